"""What all measurements share: repeats, medians, the loop over an AEC environment, the machine."""

import os
import platform
import random
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Settings:
    """How long to measure, and from which seed."""

    seconds: float = 1.0
    repeats: int = 5
    seed: int = 0


@dataclass(frozen=True)
class Figure:
    """One measured number: the median over repeats, with the smallest and largest.

    Attributes:
        group: heading it stands under.
        name: what was measured; unique within the group.
        unit: what `median` counts, as "decisions/s" or "s".
        note: stack, players and whatever else one must know to read it.
    """

    group: str
    name: str
    unit: str
    median: float
    low: float
    high: float
    repeats: int
    note: str = ""

    @classmethod
    def of(cls, group: str, name: str, unit: str, values: list[float], note: str = "") -> "Figure":
        """The figure of some repeats."""
        middle = statistics.median(values)
        return cls(group, name, unit, middle, min(values), max(values), len(values), note)


def rates(work: Callable[[], int], settings: Settings) -> list[float]:
    """Units a second: `work` does some and returns how many; called for `seconds`, `repeats` times.

    One call beforehand warms up and is not counted.
    """
    work()
    found = []
    for _ in range(settings.repeats):
        done, start = 0, time.perf_counter()
        while (taken := time.perf_counter() - start) < settings.seconds:
            done += work()
        found.append(done / taken)
    return found


def random_games(env: Any, seed: int) -> Callable[[], int]:
    """Legal random play of an AEC environment: each call plays one game to its real end.

    Observation and mask of the agent to act are read before every move (`last`), dead steps are
    played. Returns the number of decisions. The same loop for every library.
    """
    uniform, games = random.Random(seed).random, iter(range(seed, 2**31))

    def play() -> int:
        decisions = 0
        env.reset(seed=next(games))
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(uniform() * len(legal))]))
            decisions += 1
        return decisions

    return play


class Hollow:
    """An AEC environment that does nothing: what `random_games` itself costs."""

    def __init__(self, actions: int = 103, legal: int = 40, length: int = 22) -> None:
        self.mask = np.zeros(actions, np.int8)
        self.mask[:legal] = 1
        self.seen: dict[str, np.ndarray] = {
            "observation": np.zeros(1, np.float32),
            "action_mask": self.mask,
        }
        self.length = length

    def reset(self, seed: int) -> None:
        """A game of `length` decisions and two dead steps."""
        self.left = self.length + 2

    def agent_iter(self) -> Any:
        """The agent to act."""
        while self.left > 0:
            yield "player_0"

    def last(self) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Always the same observation."""
        return self.seen, 0.0, self.left <= 2, False, {}

    def step(self, action: int | None) -> None:
        """One step nearer to the end."""
        self.left -= 1


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {
        "cpu": name,
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def versions(*names: str) -> dict[str, str]:
    """Installed versions of some distributions."""
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The checkout's commit, marked if there are changes to what is measured."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=Path(__file__).parents[1], capture_output=True, text=True
        ).stdout.strip()

    changed = git("status", "--porcelain", "--", "castle_envs", "benchmarks/*.py")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")
