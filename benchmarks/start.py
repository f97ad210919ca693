"""How long the start takes: importing, compiling for the first time, loading from the cache."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.harness import Figure, Settings
from castle_envs.games import NAMES, by_name


def seconds_of(*words: str, cache: str | None = None) -> float:
    """Wall time of a Python process."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def measure_start(settings: Settings) -> Iterator[Figure]:
    """Whole processes, started afresh."""
    group = "start"
    for name, code in (("Python alone", "pass"), ("import castle_envs", "import castle_envs")):
        found = [seconds_of("-c", code) for _ in range(settings.repeats)]
        yield Figure.of(group, name, "s", found, "process start included")
    for game in map(by_name, NAMES):
        code = (
            f"from castle_envs import {game.name}_v{game.version} as m\n"
            "e = m.env(); e.reset(seed=0); e.last()"
        )
        warm = ("-m", "castle_envs.cli", "warm", "--game", game.name)
        with tempfile.TemporaryDirectory() as cache:
            cold = [seconds_of(*warm, cache=cache)]
            yield Figure.of(group, f"{game.title}, compiling everything", "s", cold, "once")
            found = [seconds_of(*warm, cache=cache) for _ in range(settings.repeats)]
            yield Figure.of(group, f"{game.title}, everything from the cache", "s", found)
            found = [seconds_of("-c", code, cache=cache) for _ in range(settings.repeats)]
            yield Figure.of(group, f"{game.title}, first observation, from the cache", "s", found)
