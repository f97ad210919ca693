"""The games. Each folder hands over one `GAME`; nothing else outside a folder knows its rules."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

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


def with_cards(name: str, card_file: str | Path | None) -> Game:
    """The game of a name, on another card list if one is given (a path, or a name it knows).

    Raises:
        OptionError: there is no such game, or it does not take other card lists.
    """
    game = by_name(name)
    if card_file is None:
        return game
    if "card_file" not in game.options.__dataclass_fields__:
        raise OptionError(f"card_file: {name} has no other card lists")
    found: Game = import_module(f"castle_envs.games.{name}.variant").game_for(card_file)
    return found


def card_file_of(game: Game) -> str | None:
    """The card list a game plays with, as `with_cards` takes it; None for its default one."""
    found: str | None = getattr(game.options, "card_file", None)  # the field's default
    return found


def game_of(game: Game | str, options: Mapping[str, Any]) -> Game:
    """A game, or the game of a name on the card list that the options name."""
    return with_cards(game, options.get("card_file")) if isinstance(game, str) else game
