"""Constructor options of Castle Up, and deals given by hand (section 2)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from castle_envs.engine.checks import is_whole
from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Options

from .cards import (
    BASIC_CASTLE,
    CARD_FILE,
    CARD_IDS,
    COPIES,
    EXPANSION,
    FIRST_CASTLE,
    KIND_OF,
    named,
    resolved,
)
from .schema import ROLES, SIDES
from .state import (
    CASTLE_MODES,
    GIVEN_CASTLES,
    GIVEN_REMOVAL,
    MAX_PLAYERS,
    NO_CASTLES,
    NO_REMOVAL,
    OPTIONS,
    RANDOM_CASTLES,
    RANDOM_REMOVAL,
)

DEAL_KEYS = ("deck", "removed", "castles", "sides", "first_player")


@dataclass(frozen=True)
class CastleUpOptions(Options):
    """Options of a game.

    Attributes:
        castles: "none" (basic ones for all), "random" (asymmetric ones), or a castle id a seat.
        reverse: roles whose action card lies on its reverse: "initiative", "mercantile",
            "defensive", "military".
        expansion: whether Feasts and Fury is in; base cards make room for it.
        removal: True takes two more random cards out of every era; a list of building ids takes
            out exactly those, and nothing at random.
        free_target: whether every opponent may be attacked with three and four players.
        card_file: path of a card list that replaces the default one, or "tuned" for the list
            whose reconstructed numbers were balanced by trained policies.
    """

    max_players: ClassVar[int] = MAX_PLAYERS
    castles: str | Sequence[str] = "none"
    reverse: Sequence[str] = ()
    expansion: bool = False
    removal: bool | Sequence[str] = False
    free_target: bool = False
    card_file: str | None = named(CARD_FILE)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("expansion", "free_target"):
            _flag(name, getattr(self, name))
        if self.card_file is not None:
            if not isinstance(self.card_file, str | Path):
                raise OptionError(f"card_file must be a path, got {self.card_file!r}")
            object.__setattr__(self, "card_file", named(resolved(self.card_file)))
        if self.plays_with_these_cards():
            object.__setattr__(self, "reverse", _roles(self.reverse))
            object.__setattr__(self, "castles", self._castles())
            object.__setattr__(self, "removal", self._removal())

    def plays_with_these_cards(self) -> bool:
        """Whether `card_file` is the list this copy of the rules is compiled for."""
        return resolved(self.card_file) == CARD_FILE

    def _castles(self) -> str | tuple[str, ...]:
        if isinstance(self.castles, str):
            if self.castles not in CASTLE_MODES[:2]:
                raise OptionError(
                    f'castles must be "none", "random" or a list, got {self.castles!r}'
                )
            available = _asymmetric(self.expansion)
            if self.castles == "random" and len(available) < self.num_players:
                raise OptionError(f"castles: only {len(available)} can be dealt at random")
            return self.castles
        castle_kinds(self.castles, self)
        return tuple(self.castles)

    def _removal(self) -> bool | tuple[str, ...]:
        if isinstance(self.removal, bool | np.bool_):
            return bool(self.removal)
        removed_counts("removal", self.removal, self.expansion)
        return tuple(self.removal)


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} must be true or false, got {value!r}")


def _list(name: str, values: Any) -> Sequence[Any]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise OptionError(f"{name} must be a list, got {values!r}")
    return values


def _roles(values: Any) -> tuple[str, ...]:
    for role in _list("reverse", values):
        if role not in ROLES:
            raise OptionError(f"reverse: roles are {', '.join(ROLES)}, got {role!r}")
    return tuple(role for role in ROLES if role in values)


def _asymmetric(expansion: bool) -> list[int]:
    kinds = range(FIRST_CASTLE, len(CARD_IDS))
    return [k for k in kinds if k != BASIC_CASTLE and (expansion or not EXPANSION[k])]


def castle_kinds(castles: Any, options: CastleUpOptions) -> list[int]:
    """The kinds of a castle id a seat (R32); raises OptionError."""
    if len(_list("castles", castles)) != options.num_players:
        raise OptionError(f"castles: {options.num_players} are needed, got {len(castles)}")
    kinds = []
    for name in castles:
        kind = KIND_OF.get(name, 0) if isinstance(name, str) else 0
        if kind < FIRST_CASTLE:
            raise OptionError(f"castles: unknown castle {name!r}")
        if kind != BASIC_CASTLE and kind in kinds:
            raise OptionError(f"castles: {name!r} exists only once")
        if EXPANSION[kind] and not options.expansion:
            raise OptionError(f"castles: {name!r} belongs to the expansion")
        kinds.append(kind)
    return kinds


def building_kind(name: Any, where: str) -> int:
    """The kind of a building id; raises OptionError."""
    kind = KIND_OF.get(name, 0) if isinstance(name, str) else 0
    if not 0 < kind < FIRST_CASTLE:
        raise OptionError(f"{where}: unknown building {name!r}")
    return kind


def removed_counts(where: str, names: Any, expansion: bool) -> np.ndarray:
    """Copies of each kind in a list of buildings of the box; raises OptionError."""
    counts = np.zeros(len(CARD_IDS), np.int8)
    for name, number in Counter(_list(where, names)).items():
        kind = building_kind(name, where)
        if EXPANSION[kind] and not expansion:
            raise OptionError(f"{where}: {name!r} belongs to the expansion")
        if number > COPIES[kind]:
            raise OptionError(f"{where}: {name!r} exists {COPIES[kind]} times, got {number}")
        counts[kind] = number
    return counts


def pack(options: CastleUpOptions) -> np.ndarray:
    """The options as the record array (1,) that `new` takes."""
    if not options.plays_with_these_cards():
        raise OptionError(
            f"card_file {options.card_file!r} is not the list this game is compiled for; "
            "castle_envs.games.castle_up.variant.game_for gives the game that is"
        )
    packed = np.zeros(1, OPTIONS)
    o = packed[0]
    o.num_players, o.first_player = options.num_players, -1
    o.expansion, o.free_target = options.expansion, options.free_target
    o.sides = [role in options.reverse for role in ROLES]
    if isinstance(options.castles, str):
        o.castle_mode = NO_CASTLES if options.castles == "none" else RANDOM_CASTLES
    else:
        o.castle_mode = GIVEN_CASTLES
        o.castles[: options.num_players] = castle_kinds(options.castles, options)
    if isinstance(options.removal, bool):
        o.removal_mode = RANDOM_REMOVAL if options.removal else NO_REMOVAL
    else:
        o.removal_mode, o.removed_given = GIVEN_REMOVAL, 1
        o.removed = removed_counts("removal", options.removal, options.expansion)
    return packed


def pack_deal(options: CastleUpOptions, values: Mapping[str, Any]) -> np.ndarray:
    """The options with parts of the deal given.

    Args:
        values: any of `deck` (building ids, top first, the whole deck before the first deal),
            `removed` (ids taken out of the box), `castles` (an id a seat), `sides` (role ->
            "front" or "back") and `first_player` (a seat).

    Raises:
        OptionError: a value that is not possible, named.
    """
    packed = pack(options)
    o = packed[0]
    if "removed" in values:
        o.removed_given = 1
        o.removed = removed_counts("removed", values["removed"], options.expansion)
    if "deck" in values:
        deck = _list("deck", values["deck"])
        counts = removed_counts("deck", deck, options.expansion)
        if not deck:
            raise OptionError("deck: must not be empty")
        if "removed" in values:
            for kind in np.flatnonzero(counts + o.removed > COPIES):
                raise OptionError(f"deck: {CARD_IDS[kind]!r} is listed as removed")
        o.deck_size = len(deck)
        o.deck[: len(deck)] = [KIND_OF[name] for name in reversed(deck)]
    if "castles" in values:
        o.castles[: options.num_players] = castle_kinds(values["castles"], options)
    if "sides" in values:
        _give_sides(o, values["sides"])
    if "first_player" in values:
        first = values["first_player"]
        if not is_whole(first) or not 0 <= first < options.num_players:
            raise OptionError(
                f"first_player must be a seat from 0 to {options.num_players - 1}, got {first!r}"
            )
        o.first_player = first
    return packed


def _give_sides(o: Any, sides: Any) -> None:
    if not isinstance(sides, Mapping):
        raise OptionError(f"sides must map roles to sides, got {sides!r}")
    for role, side in sides.items():
        if role not in ROLES or side not in SIDES:
            raise OptionError(
                f"sides: roles are {', '.join(ROLES)}, sides {', '.join(SIDES)}, "
                f"got {role!r}: {side!r}"
            )
        o.sides[ROLES.index(role)] = SIDES.index(side)
