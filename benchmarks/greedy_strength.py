"""How strong the greedy baseline is: `python -m benchmarks.greedy_strength`.

Greedy against random on common deals with seats swapped, greedy against itself and random against
itself: win rates with 95 % intervals and mean scores.
"""

import argparse
import sys

from benchmarks.harness import commit
from castle_envs.agents import resolve
from castle_envs.evaluation import run_tournament
from castle_envs.games import NAMES, by_name


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.greedy_strength", description=__doc__
    )
    parser.add_argument("--game", choices=NAMES, default=NAMES[0])
    parser.add_argument("--games", type=int, default=2000, help="of each pairing")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    game = by_name(chosen.game)
    words = sys.argv[1:] if arguments is None else arguments
    print(" ".join(["python -m benchmarks.greedy_strength", *words]) + f", commit {commit()}")
    greedy, chance = (resolve(name, game, chosen.seed) for name in ("greedy", "random"))
    run_tournament(game, [greedy, chance], 2, chosen.players)  # compiles, so that speeds are true
    for agents in ([greedy, chance], [greedy], [chance]):
        found = run_tournament(game, agents, chosen.games, chosen.players, chosen.seed)
        print(found.table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
