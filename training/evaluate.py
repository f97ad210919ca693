"""Evaluate agents against each other.

`python -m training.evaluate --game chateau_combo --agents runs/x/best greedy random --games 1000`
"""

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import tyro
from tqdm import tqdm

from castle_envs.agents import resolve
from castle_envs.engine.errors import CastleEnvsError, OptionError
from castle_envs.evaluation.plots import plot_tournament
from castle_envs.evaluation.tournament import games_in, run_tournament
from castle_envs.games import game_of
from training.config import GameOptions
from training.run import commit


@dataclass(frozen=True)
class EvaluateArguments:
    """Round robin on common deals with all seat rotations."""

    agents: tuple[str, ...]
    """Agents: "random", "greedy", or folders of policy checkpoints."""
    game: Literal["chateau_combo", "castle_up"] = "chateau_combo"
    """Game to play."""
    games: int = 1000
    """Games of each pairing."""
    players: int = 2
    """Seats; with more than two one agent of a pairing takes one seat, the other the rest."""
    options: GameOptions = field(default_factory=dict)
    """Further options of the game, as YAML: "{castles: random}"."""
    seed: int = 0
    """Of deals and of sampling agents."""
    workers: int = os.cpu_count() or 1
    """Threads."""
    out: Path = Path("runs/evaluation")
    """Folder for evaluation.json and evaluation.png."""


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    given = tyro.cli(
        EvaluateArguments, args=arguments, prog="python -m training.evaluate", description=__doc__
    )
    try:
        evaluate(given)
    except CastleEnvsError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    return 0


def evaluate(given: EvaluateArguments) -> None:
    """Play, print the table, write JSON and figure."""
    if given.games < 1 or not given.agents:
        raise OptionError("give at least one agent and one game")
    game = game_of(given.game, given.options)
    agents = [resolve(name, game, given.seed) for name in given.agents]
    total = games_in(len(agents), given.games, given.players)
    with tqdm(total=total, unit="game", desc=game.title, disable=None) as bar:
        found = run_tournament(
            game,
            agents,
            given.games,
            given.players,
            given.seed,
            given.workers,
            bar.update,
            **given.options,
        )
    print(found.table())
    given.out.mkdir(parents=True, exist_ok=True)
    record = {"command": " ".join(sys.argv), "commit": commit(), **found.to_dict()}
    (given.out / "evaluation.json").write_text(json.dumps(record) + "\n")
    plot_tournament(found, given.out / "evaluation.png")
    print(f"wrote {given.out / 'evaluation.json'} and {given.out / 'evaluation.png'}")


if __name__ == "__main__":
    sys.exit(main())
