"""How fast our environments are, beside other libraries, in one sitting.

`python -m benchmarks.speed` runs every suite in a process of its own, one after the other, and
writes speed.json, speed.md and speed.png into benchmarks/results. Leave the machine alone
meanwhile. Peers that are not installed (extra `benchmarks`) are left out.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import own, peers, report, start
from benchmarks.harness import Figure, Settings, commit, machine, versions

SUITES: dict[str, Callable[[Settings], Iterator[Figure]]] = {
    "aec": own.measure_aec,
    "pettingzoo": peers.measure_pettingzoo,
    "open-spiel": peers.measure_open_spiel,
    "rlcard": peers.measure_rlcard,
    "batch": own.measure_batch,
    "pgx-one-core": peers.measure_pgx_one_core,
    "pgx": peers.measure_pgx,
    "playouts": own.measure_playouts,
    "copies": own.measure_copies,
    "start": start.measure_start,
}
PACKAGES = (
    "numpy", "numba", "gymnasium", "pettingzoo", "open-spiel", "rlcard", "pgx", "jax",
)  # fmt: skip
RESULTS = Path(__file__).parent / "results"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    default = Settings()
    parser.add_argument("--seconds", type=float, default=default.seconds, help="of each repeat")
    parser.add_argument("--repeats", type=int, default=default.repeats, help="the median counts")
    parser.add_argument("--seed", type=int, default=default.seed, help="of deals and moves")
    parser.add_argument("--only", nargs="+", choices=SUITES, default=list(SUITES), metavar="SUITE",
                        help=f"some of: {', '.join(SUITES)}")  # fmt: skip
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--suite", choices=SUITES, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    settings = Settings(chosen.seconds, chosen.repeats, chosen.seed)
    if chosen.suite:
        return run_suite(chosen.suite, settings)
    words = sys.argv[1:] if arguments is None else arguments
    facts = {
        "command": " ".join(["python -m benchmarks.speed", *words]),
        "commit": commit(),
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions(*PACKAGES),
        "settings": asdict(settings),
    }
    figures, left_out = [], {}
    for suite in chosen.only:
        found, problem = in_own_process(suite, settings)
        figures += found
        if problem:
            left_out[suite] = problem
    report.write({**facts, "left_out": left_out, "figures": figures}, chosen.out)
    print(f"wrote speed.json, speed.md and speed.png into {chosen.out}")
    return 1 if any(problem.startswith("failed") for problem in left_out.values()) else 0


def run_suite(suite: str, settings: Settings) -> int:
    """One suite in this process: a line of JSON for each figure."""
    for figure in SUITES[suite](settings):
        print(json.dumps(asdict(figure)), flush=True)
    return 0


def in_own_process(suite: str, settings: Settings) -> tuple[list[dict[str, Any]], str]:
    """The figures of a suite, and why some are missing (empty if none are)."""
    print(f"{suite} ...", flush=True)
    words = [f"--{name}={value}" for name, value in asdict(settings).items()]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.speed", f"--suite={suite}", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    out, errors = process.communicate()
    figures = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    for figure in figures:
        print(f"  {figure['name']}: {report.number(figure['median'])} {figure['unit']}")
    if process.returncode == 0:
        return figures, ""
    last = errors.strip().splitlines()[-1] if errors.strip() else f"status {process.returncode}"
    missing = "ModuleNotFoundError" in last
    problem = f"{'not installed' if missing else 'failed'}: {last}"
    print(f"  {problem}")
    return figures, problem


if __name__ == "__main__":
    sys.exit(main())
