"""Whether Castle Up's numbers are in balance: `python -m benchmarks.castle_up_balance`.

Each agent plays itself; win rates by seat, castle and suit, and how often every card is bought when
it could be, with what is plainly out of balance marked. Writes balance.json and balance.md.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks import balance_report
from benchmarks.balance_figures import figures
from benchmarks.balance_record import play_games
from benchmarks.harness import commit
from castle_envs.agents import Agent, load, resolve
from castle_envs.agents.resolve import BASELINES
from castle_envs.engine.errors import CastleEnvsError
from castle_envs.engine.game import Game
from castle_envs.games import with_cards
from castle_envs.games.castle_up.schema import ROLES


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.castle_up_balance", description=__doc__
    )
    parser.add_argument("--agents", nargs="+", default=["random", "greedy"], metavar="AGENT",
                        help="random, greedy, or checkpoint folders (sampled)")  # fmt: skip
    parser.add_argument("--games", type=int, default=10000, help="of each agent")
    parser.add_argument("--players", type=int, default=2, help="2 to 4")
    parser.add_argument("--castles", choices=("none", "random"), default="none",
                        help="basic castles for all, or asymmetric ones")  # fmt: skip
    parser.add_argument("--reverse", nargs="*", choices=ROLES, default=[], metavar="ROLE",
                        help=f"action cards on their reverse: {', '.join(ROLES)}")  # fmt: skip
    parser.add_argument("--expansion", action="store_true", help="with Feasts and Fury")
    parser.add_argument("--card-file", help="another card list: a path, or tuned")
    parser.add_argument("--seed", type=int, default=0, help="of deals and moves")
    parser.add_argument("--out", type=Path, required=True, help="folder for the report")
    chosen = parser.parse_args(arguments)
    if chosen.games < 1:
        parser.error("--games must be at least 1")
    words = sys.argv[1:] if arguments is None else arguments
    settings = {k: v for k, v in vars(chosen).items() if k not in ("agents", "out")}
    results: dict[str, Any] = {
        "command": " ".join(["python -m benchmarks.castle_up_balance", *words]),
        "commit": commit(),
        "date": time.strftime("%Y-%m-%d"),
        "settings": settings,
        "agents": [],
    }
    try:
        game = with_cards("castle_up", chosen.card_file)
        agents = [agent_of(name, game, chosen.seed) for name in chosen.agents]
        for agent in agents:
            found = measure(agent, settings)
            results["agents"].append(found)
            print("\n".join(balance_report.summary(found)))
    except CastleEnvsError as problem:
        parser.error(str(problem))
    balance_report.write(results, chosen.out)
    print(f"balance.json and balance.md are in {chosen.out}")
    return 0


def agent_of(name: str, game: Game, seed: int) -> Agent:
    """A baseline by name, or a checkpoint that samples its moves."""
    agent = resolve(name, game, seed)
    return agent if name in BASELINES else load(name, deterministic=False)


def measure(agent: Agent, settings: dict[str, Any]) -> dict[str, Any]:
    """Play one agent's games under a progress bar; its figures."""
    start = time.perf_counter()
    with tqdm(total=settings["games"], desc=agent.name, unit="game") as bar:
        record = play_games(agent, progress=bar.update, **settings)
    taken = time.perf_counter() - start
    sides = dict.fromkeys(settings["reverse"], "back")
    return {"agent": agent.name, "seconds": taken, **figures(record, sides)}


if __name__ == "__main__":
    sys.exit(main())
