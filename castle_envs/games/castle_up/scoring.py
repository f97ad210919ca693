"""Points and tie-breaks (section 9)."""

from typing import Any

import numpy as np

from castle_envs.engine.kernel import kernel

from . import cards as c
from .state import CITY, DAMAGED, MAX_PLAYERS, i64

# A standing in the control of a suit is one number: cards, then those of era III, then of era II.
# The standings in red, green and blue lie side by side in one integer.
CARD, ERA_3, ERA_2 = 1 << 12, 1 << 6, 1
SUIT_BITS = 20
BY_ERA = (0, CARD, CARD + ERA_2, CARD + ERA_3)
SUIT_STANDING = (1 << SUIT_BITS) - 1
PRINTED_STANDING = np.array(
    [
        BY_ERA[era] << SUIT_BITS * suit if suit < c.GOLDEN and not wild else 0
        for era, suit, wild in zip(c.ERA, c.SUIT.tolist(), c.WILD, strict=True)
    ],
    np.int64,
)
ERA_STANDING = np.array(BY_ERA, np.int64)


@kernel
def standings(g: Any, seat: int) -> int:
    """How a seat stands in the control of each suit, by printed suit or the one named (9.2)."""
    total = i64(0)
    for slot in range(CITY):
        if g.status[seat, slot] != DAMAGED:
            kind = g.city[seat, slot]
            total += PRINTED_STANDING[kind]
            if g.named[seat, slot]:
                total += ERA_STANDING[c.ERA[kind]] << SUIT_BITS * (g.named[seat, slot] - 1)
    return total


@kernel
def control_points(g: Any, seat: int) -> int:
    """Points for controlling red, green and blue (section 9.3)."""
    own = standings(g, seat)
    if own == 0:
        return 0
    rivals, better = 0, 0  # bit of a suit: somebody stands equal, somebody stands better
    for other in range(g.num_players):
        if other != seat:
            theirs = standings(g, other)
            for suit in range(3):
                mine = own >> SUIT_BITS * suit & SUIT_STANDING
                his = theirs >> SUIT_BITS * suit & SUIT_STANDING
                rivals |= (his == mine) << suit
                better |= (his > mine) << suit
    points = 0
    for suit in range(3):
        if own >> SUIT_BITS * suit & SUIT_STANDING and not better >> suit & 1:
            points += c.SHARED_CONTROL if rivals >> suit & 1 else c.CONTROL
    return points


@kernel
def card_points(g: Any, seat: int) -> int:
    """Points of undamaged cards by suit and era (section 9.1)."""
    points = 0
    for slot in range(CITY):
        if g.status[seat, slot] != DAMAGED:
            points += c.POINTS[g.city[seat, slot]]
    return points


@kernel
def extra_points(g: Any, seat: int) -> int:
    """Extra points printed on undamaged cards; those per suit count printed suits (R29)."""
    points = 0
    for slot in range(CITY):
        kind = g.city[seat, slot]
        if g.status[seat, slot] == DAMAGED:
            continue
        points += c.BONUS[kind]
        if c.HAS_SUIT_BONUS[kind]:
            for other in range(CITY):
                suit = c.SUIT[g.city[seat, other]]
                if suit < c.NO_SUIT and g.status[seat, other] != DAMAGED:
                    points += c.SUIT_BONUS[kind, suit]
    return points


@kernel
def golden_cards(g: Any, seat: int) -> int:
    """Golden cards held, damaged ones too: they break ties (R20)."""
    found = 0
    for slot in range(CITY):
        found += c.SUIT[g.city[seat, slot]] == c.GOLDEN
    return found


@kernel
def score(g: Any, seat: int) -> int:
    """Points of a seat as if the game ended now; a wild card not yet named controls nothing."""
    return card_points(g, seat) + control_points(g, seat) + extra_points(g, seat)


@kernel
def scores(g: Any, out: Any) -> None:
    """Fill `out` (int32) with the points of every seat as if the game ended now."""
    for seat in range(MAX_PLAYERS):
        out[seat] = score(g, seat) if seat < g.num_players else 0
