"""Points and ranks (section 9)."""

from typing import Any

from castle_envs.engine.kernel import kernel

from . import cards as c
from .state import CITY, DAMAGED, MAX_PLAYERS

# A standing in the control of a suit: number of cards, then those of era III, then of era II.
CARD, ERA_3, ERA_2 = 1 << 12, 1 << 6, 1


@kernel
def controls(g: Any, seat: int, slot: int, suit: int) -> bool:
    """Whether a card counts for the control of a suit: printed, or named for a wild card."""
    kind = g.city[seat, slot]
    if kind == 0 or g.status[seat, slot] == DAMAGED:
        return False
    if c.WILD[kind]:
        return g.named[seat, slot] == suit + 1
    return c.SUIT[kind] == suit


@kernel
def standing(g: Any, seat: int, suit: int) -> int:
    """How a seat stands in the control of a suit; 0 without a card."""
    total = 0
    for slot in range(CITY):
        if controls(g, seat, slot, suit):
            era = c.ERA[g.city[seat, slot]]
            total += CARD + (ERA_3 if era == 3 else ERA_2 if era == 2 else 0)
    return total


@kernel
def control_points(g: Any, seat: int) -> int:
    """Points for controlling red, green and blue (section 9.3)."""
    points = 0
    for suit in range(3):
        own, rivals, beaten = standing(g, seat, suit), 1, False
        for other in range(g.num_players):
            if other != seat:
                theirs = standing(g, other, suit)
                rivals += theirs == own
                beaten = beaten or theirs > own
        if own > 0 and not beaten:
            points += c.CONTROL if rivals == 1 else c.SHARED_CONTROL
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
    """Golden cards held, damaged ones too (R20)."""
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


@kernel
def ranks(g: Any, out: Any) -> None:
    """Fill `out` (int32): how many seats stand strictly better; golden cards break ties."""
    n = int(g.num_players)
    for seat in range(MAX_PLAYERS):
        out[seat] = 0
    for seat in range(n):
        own = (score(g, seat) << 8) + golden_cards(g, seat)
        for other in range(n):
            out[seat] += (score(g, other) << 8) + golden_cards(g, other) > own
