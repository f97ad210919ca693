"""The games. Each folder hands over one `GAME`; nothing else outside a folder knows its rules."""

from functools import cache
from importlib import import_module

from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Game

NAMES = ("chateau_combo", "castle_up")


@cache
def by_name(name: str) -> Game:
    """The game of a lower_snake name; raises OptionError where there is none."""
    if name not in NAMES:
        raise OptionError(f"game must be one of {', '.join(NAMES)}, got {name!r}")
    game: Game = import_module(f"castle_envs.games.{name}").GAME
    return game
