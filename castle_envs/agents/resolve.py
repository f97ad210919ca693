"""From a name, a folder, a callable or an agent to an agent: one resolver for every command."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from castle_envs.agents.base import Agent, FunctionAgent
from castle_envs.agents.baselines import GreedyAgent, RandomAgent
from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Game
from castle_envs.games import by_name, card_file_of

BASELINES: Mapping[str, Callable[[Game, int | None], Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
}


def resolve(given: Any, game: Game | str, seed: int | None = None) -> Agent:
    """The agent that `given` stands for.

    Args:
        given: "random", "greedy", the folder of a policy checkpoint, an agent, or a callable
            `(observation, action_mask) -> action` (it gets the features view).
        game: the game, or its name.
        seed: of agents that have a random generator of their own.

    Raises:
        OptionError: a name that is neither an agent nor a folder.
    """
    if isinstance(game, str):
        game = by_name(game)
    if isinstance(given, Agent):
        return given
    if callable(given):
        return FunctionAgent(game, given)
    if isinstance(given, str) and given in BASELINES:
        return BASELINES[given](game, seed)
    if isinstance(given, str | Path) and Path(given).is_dir():
        agent = load(given)
        if agent.game is not game:
            raise OptionError(f"{given} plays {_words(agent.game)}, not {_words(game)}")
        return agent
    raise OptionError(
        f"unknown agent {given!r}: give {', '.join(sorted(BASELINES))}, the folder of a policy "
        "checkpoint, an agent or a callable"
    )


def _words(game: Game) -> str:
    cards = card_file_of(game)
    return game.title if cards is None else f"{game.title} with the card list {cards}"


def load(folder: str | Path, deterministic: bool = True) -> Any:
    """The agent of a policy checkpoint; needs torch, and nothing else of training.

    Args:
        folder: holds `policy.safetensors` and `policy.json`.
        deterministic: play the most probable action, else sample.

    Raises:
        CheckpointError: a missing, damaged or tampered file, another game version or layout.
        ImportError: torch or safetensors is not installed; the message says how to.
    """
    from castle_envs.agents.policy import PolicyAgent

    return PolicyAgent.load(folder, deterministic)
