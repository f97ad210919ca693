"""States as JSON-ready dicts, and deals given by hand."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from castle_envs.engine.checks import stream_to_text

from . import cards as c
from .options import CastleUpOptions, pack_deal
from .rules import new
from .schema import ROLES, SIDES
from .state import (
    CASTLE_MODES,
    CITY,
    EXHAUSTED,
    GIVEN_CASTLES,
    GIVEN_REMOVAL,
    HELD,
    MAIN,
    MAX_PLAYERS,
    PAYMENTS,
    PHASES,
    PICKS,
    RANDOM_REMOVAL,
    ROW,
    STATUSES,
    TURN_LIMIT,
    WINDOW_LIMIT,
)
from .usable import action_at

MOST = 2000  # tokens, points and counters a record can hold with room to grow

# Fields of the pending action, purchase or payment that are saved as they are: name, low, high.
NUMBERS = (
    ("source", -1, HELD + len(ROLES) - 1),
    ("gain_left", 0, MOST),
    ("pick_left", 0, CITY),
    ("pick_suit", 0, c.NO_SUIT),
    ("role", 0, len(ROLES) - 1),
    ("buy_from", -1, c.FROM_DISCARD),
    ("discount", 0, MOST),
    ("taken", 0, (1 << CITY) - 1),
    ("last_taken", -1, CITY - 1),
    ("credit_slot", -1, CITY),
    ("credit_left", 0, MOST),
    ("wild", 0, MOST),
)
BATTLE = (
    ("target_seat", -1, MAX_PLAYERS - 1),
    ("target_slot", -1, CITY - 1),
    ("looting", 0, 1),
    ("attackers", 0, 1),
    ("attack", 0, MOST),
    ("defense", 0, MOST),
)
COUNTERS = (
    ("turn_decisions", 0, 2 * TURN_LIMIT),
    ("window_decisions", 0, 2 * WINDOW_LIMIT),
    ("stops", 0, MOST),
)


def deal(
    states: np.ndarray, options: CastleUpOptions, seed: int, values: Mapping[str, Any]
) -> None:
    """Deal a game with parts of the deal given, see `options.pack_deal`; raises OptionError."""
    new(states[0], pack_deal(options, values)[0], np.uint64(seed))


def card_id(kind: Any) -> str | None:
    """The id of a card; None for no card."""
    return c.CARD_IDS[kind] or None


def ids(kinds: Any) -> list[str | None]:
    """The ids of cards."""
    return [card_id(kind) for kind in kinds]


def to_dict(states: np.ndarray) -> dict[str, Any]:
    """A state as a JSON-ready dict; see docs/castle_up.md for its keys."""
    g = states[0]
    n = int(g.num_players)
    return {
        "cards": c.DATA["schema_version"],
        "options": options_dict(g),
        "sides": {role: SIDES[side] for role, side in zip(ROLES, g.sides, strict=True)},
        "round": int(g.round_number),
        "era": int(g.era),
        "active": int(g.active),
        "turn_order": [(int(g.first) + i) % n for i in range(n)],
        "initiative": int(g.initiative),
        "next_initiative": None if g.next_initiative < 0 else int(g.next_initiative),
        "direction": int(g.direction),
        "purchases": int(g.purchases),
        "battles": int(g.battles),
        "row": ids(g.row[: 3 if n == 2 else ROW]),
        "deck": ids(g.deck[: g.deck_size][::-1]),
        "discard": ids(g.discard[: g.discard_size][::-1]),
        "removed": removed_ids(g),
        "castles": ids(g.castles[:n]),
        "state": "OVER" if g.over else PHASES[g.phase],
        "current": int(g.seat),
        "supply": g.supply.tolist(),
        "seats": [seat_dict(g, seat) for seat in range(n)],
        "named": [
            [seat, slot, c.SUIT_NAMES[g.named[seat, slot] - 1]]
            for seat in range(n)
            for slot in range(CITY)
            if g.named[seat, slot]
        ],
        "battle": {name: int(g[name]) for name, _, _ in BATTLE},
        "pending": pending_dict(g),
        "counters": {name: int(g[name]) for name, _, _ in COUNTERS},
        "rng": stream_to_text(g.rng),
    }


def options_dict(g: Any) -> dict[str, Any]:
    """The options the game was dealt with."""
    n = int(g.num_players)
    given = g.castle_mode == GIVEN_CASTLES
    return {
        "players": n,
        "castles": ids(g.castles[:n]) if given else CASTLE_MODES[g.castle_mode],
        "reverse": [role for role, side in zip(ROLES, g.sides, strict=True) if side],
        "expansion": bool(g.expansion),
        "removal": removed_ids(g)
        if g.removal_mode == GIVEN_REMOVAL
        else bool(g.removal_mode == RANDOM_REMOVAL),
        "free_target": bool(g.free_target),
        **({} if c.CARD_FILE is None else {"card_file": c.named(c.CARD_FILE)}),
    }


def seat_dict(g: Any, seat: int) -> dict[str, Any]:
    """Tokens, city and held action cards of a seat."""
    city: list[Any] = []
    for kind, status, used in zip(g.city[seat], g.status[seat], g.used[seat], strict=True):
        mark = ["used"] if used and status != EXHAUSTED else []
        city.append([card_id(kind), STATUSES[status], *mark] if kind else None)
    held = {}
    for role, name in enumerate(ROLES):
        if g.holder[role] == seat:
            times = int(g.looted[role])
            looted: int | bool = times if times > 1 else bool(times)
            held[name] = {"ready": bool(g.held_ready[role]), "looted": looted}
    return {"tokens": g.tokens[seat].tolist(), "city": city, "held": held}


def counts(g: Any) -> np.ndarray:
    """int64 by kind: how often each card is in the deck, discard pile, row and cities."""
    piles = (g.deck[: g.deck_size], g.discard[: g.discard_size], g.row, g.city.ravel())
    return np.bincount(np.concatenate(piles), minlength=c.NUM_KINDS)


def box(g: Any) -> np.ndarray:
    """Copies by kind of the buildings this game may use."""
    copies = c.COPIES.astype(np.int64)
    copies[c.FIRST_CASTLE :] = 0
    return copies if g.expansion else np.where(c.EXPANSION, 0, copies)


def removed_ids(g: Any) -> list[str | None]:
    """The buildings of the box that are nowhere on the table."""
    missing = np.maximum(0, box(g) - counts(g))
    return ids(np.repeat(np.arange(c.NUM_KINDS), missing))


def pending_dict(g: Any) -> dict[str, Any] | None:
    """What is under way; None in the main state and at the end."""
    if g.over or g.phase == MAIN:
        return None
    index = 0
    while g.action and action_at(g, int(g.seat), int(g.source), index) != g.action:
        index += 1
    return {
        "mode": PHASES[g.mode],
        "performing": [int(g.source), index] if g.action else None,
        "effects_left": int(g.last_effect - g.effect),
        "pick": PICKS[g.pick],
        "paying": PAYMENTS[g.paying],
        "need": g.need.tolist(),
        "printed": g.printed.tolist(),
        "buying": card_id(g.buying),
        **{name: int(g[name]) for name, _, _ in NUMBERS},
    }
