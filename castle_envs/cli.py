"""The `castle-envs` command. Each subcommand imports what it needs, so that `--help` is quick."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from castle_envs import __version__
from castle_envs.games import NAMES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    from castle_envs.engine.errors import CastleEnvsError

    chosen = parser().parse_args(arguments)
    try:
        status: int = chosen.run(chosen)
    except CastleEnvsError as problem:
        print(f"castle-envs: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        sys.stdout = None
        return 0
    return status


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="castle-envs",
        description="Environments for Château Combo and Castle Up: look at them from a terminal.",
    )
    top.add_argument("--version", action="version", version=f"castle-envs {__version__}")
    commands = top.add_subparsers(required=True, metavar="command")

    play = commands.add_parser("play-random", help="play a game of random legal moves, as text")
    add_game(play)
    play.add_argument("--players", type=int, default=2, help="number of players (default 2)")
    play.add_argument("--seed", type=int, help="of the deal and the moves; random without")
    play.add_argument("--tables", action="store_true", help="show the table after every move")
    play.set_defaults(run=play_random)

    cards = commands.add_parser("cards", help="list every card in words")
    add_game(cards)
    cards.add_argument("--card-file", help="another card list: a path, or a name the game knows")
    cards.set_defaults(run=list_cards)

    docs = commands.add_parser("docs", help="print the reference tables of the games")
    docs.add_argument("--game", choices=NAMES, help="only this game")
    pages = docs.add_mutually_exclusive_group()
    for flag, does in (("--write", "renew the tables of"), ("--check", "fail if out of date:")):
        pages.add_argument(flag, type=Path, nargs="+", metavar="PAGE", help=f"{does} these pages")
    docs.set_defaults(run=show_docs)

    warm = commands.add_parser("warm", help="compile everything now, so that first runs are quick")
    warm.add_argument("--game", choices=NAMES, help="only this game")
    warm.set_defaults(run=warm_up)

    version = commands.add_parser("version", help="versions, and where compiled code is kept")
    version.set_defaults(run=show_version)
    return top


def add_game(command: argparse.ArgumentParser) -> None:
    """The `--game` of a command for one game."""
    command.add_argument("--game", choices=NAMES, default=NAMES[0], help=f"default {NAMES[0]}")


def play_random(chosen: argparse.Namespace) -> int:
    """One game by the random agent, every move in words, then the table and the points."""
    import numpy as np

    from castle_envs.games import by_name

    face = import_module(f"castle_envs.{chosen.game}_v{by_name(chosen.game).version}")
    env = face.env(num_players=chosen.players, render_mode="ansi")
    env.reset(seed=chosen.seed)
    rng = np.random.default_rng(chosen.seed)
    print(env.render(), end="\n\n")
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        print(f"{agent}: {env.game.action_names[action]}")
        env.step(action)
        if chosen.tables:
            print(f"\n{env.render()}\n")
    print(f"\n{env.render()}\n")
    for agent, points in env.scores().items():
        print(f"{agent}: {points} points")
    return 0


def list_cards(chosen: argparse.Namespace) -> int:
    """All cards of a game in words; where its data is not certain, what is known about it."""
    from castle_envs.games import with_cards

    package = with_cards(chosen.game, chosen.card_file).options.__module__.rpartition(".")[0]
    if find_spec(f"{package}.provenance") is not None:
        print(import_module(f"{package}.provenance").listing())
    else:
        print("\n".join(import_module(f"{package}.words").all_cards()))
    return 0


def show_docs(chosen: argparse.Namespace) -> int:
    """The reference tables: printed, written into their pages, or compared with them."""
    from castle_envs import reference
    from castle_envs.games import by_name

    stale = []
    for page in chosen.write or chosen.check or ():
        new = reference.filled(page)
        if chosen.write:
            page.write_text(new, "utf-8")
        elif new != page.read_text("utf-8"):
            stale.append(page)
    for page in stale:
        print(f"{page} is out of date: castle-envs docs --write {page}")
    if not (chosen.write or chosen.check):
        for game in map(by_name, [chosen.game] if chosen.game else NAMES):
            for table in reference.names(game):
                print(f"{game.title}: {table}\n\n{reference.table(game, table)}\n")
    return 1 if stale else 0


def warm_up(chosen: argparse.Namespace) -> int:
    """Compile whatever the faces, the batch and the agents call, unless the cache has it."""
    import time

    from castle_envs.games import by_name
    from castle_envs.warm import compile_all

    for name in [chosen.game] if chosen.game else NAMES:
        start = time.perf_counter()
        compile_all(by_name(name))
        print(f"{name}: ready after {time.perf_counter() - start:.1f} s")
    return 0


def show_version(_: argparse.Namespace) -> int:
    """Versions of this package and of those it stands on, and the cache folder."""
    from castle_envs.engine.kernel import PACKAGE, cache_folder

    print(f"castle-envs {__version__}, Python {sys.version.split()[0]}")
    core = ("numpy", "numba", "gymnasium", "pettingzoo")
    extra = ("torch", "stable-baselines3", "sb3-contrib", "pygame-ce")
    for name in core + extra:
        print(f"  {name} {installed(name)}")
    print(f"compiled code: {cache_folder(PACKAGE) or 'kept nowhere, no folder is writable'}")
    return 0


def installed(name: str) -> Any:
    """The version of an installed distribution."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(not installed)"


if __name__ == "__main__":
    sys.exit(main())
