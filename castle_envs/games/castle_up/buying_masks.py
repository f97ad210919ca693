"""What is legal while a building is bought or a price is paid (sections 5 and 10)."""

from typing import Any

from castle_envs.engine.kernel import kernel

from . import actions as a
from . import cards as c
from .state import CITY, DAMAGED, DISCOUNT, EXHAUSTED, i64
from .table import (
    buildings,
    covers,
    need_lanes,
    outstanding,
    token_lanes,
    top_of_deck,
    top_of_pile,
)
from .usable import NOWHERE, can_buy, can_promote

NOTHING = i64(0)


@kernel
def special_mask(g: Any, mask: Any) -> None:
    """Buy, or promote into, the top card of the opened pile."""
    seat = i64(g.active)
    low, high = token_lanes(g, seat)
    kind = top_of_deck(g) if g.buy_from == c.FROM_DECK else top_of_pile(g)
    mask[a.BUY_TOP] = can_buy(g, seat, kind, NOWHERE, i64(g.discount), low, high)
    mask[a.PROMOTE_TOP] = can_promote(g, seat, kind, NOWHERE)


@kernel
def refurbish_mask(g: Any, mask: Any) -> None:
    """Slots above the last one taken from which the cost can still be met; DONE when it is."""
    seat, taken, last = i64(g.active), i64(g.taken), i64(g.last_taken)
    low, high = token_lanes(g, seat)
    low += i64(g.discount) * c.GIVE_LOW[c.GOLD_COST]
    high += i64(g.discount) * c.GIVE_HIGH[c.GOLD_COST]
    number, later_low, later_high = 0, 0, 0
    for slot in range(CITY):
        kind, status = i64(g.city[seat, slot]), i64(g.status[seat, slot])
        if taken >> slot & 1:
            number += 1
            low += c.CREDIT_LOW[status >> 1, kind]
            high += c.CREDIT_HIGH[status >> 1, kind]
        elif slot > last and status != EXHAUSTED:
            later_low += c.CREDIT_LOW[status >> 1, kind]
            later_high += c.CREDIT_HIGH[status >> 1, kind]
    need_low, need_high = c.COST_LOW[g.buying], c.COST_HIGH[g.buying]
    fits = buildings(g, seat) - number < CITY
    mask[a.DONE] = fits and covers(low, high, need_low, need_high)
    for slot in range(last + 1, CITY):
        kind, status = i64(g.city[seat, slot]), i64(g.status[seat, slot])
        if kind == 0 or status == EXHAUSTED:
            continue
        mask[a.SELECT + slot] = covers(low + later_low, high + later_high, need_low, need_high)
        later_low -= c.CREDIT_LOW[status >> 1, kind]
        later_high -= c.CREDIT_HIGH[status >> 1, kind]


@kernel
def credits_to_come(g: Any, printed_low: int, printed_high: int) -> tuple[int, int]:
    """Own tokens, discount, wild credits, and the damaged cards after the one at hand."""
    seat = i64(g.active)
    low, high = token_lanes(g, seat)
    low += i64(g.discount) * c.GIVE_LOW[c.GOLD_COST] + i64(g.wild) * c.GIVE_LOW[c.ANY]
    high += i64(g.discount) * c.GIVE_HIGH[c.GOLD_COST] + i64(g.wild) * c.GIVE_HIGH[c.ANY]
    for slot in range(g.credit_slot + 1, CITY):
        if g.taken >> slot & 1 and g.status[seat, slot] == DAMAGED:
            low += c.CREDIT_LOW[1, g.city[seat, slot]]
            high += c.CREDIT_HIGH[1, g.city[seat, slot]]
    return low + printed_low, high + printed_high


@kernel
def printed_lanes(g: Any, left: int, gone: int) -> tuple[int, int]:
    """What `left` more tokens of the damaged card at hand give once `gone` is taken off it."""
    low, high = 0, 0
    for lane in range(8):
        reach = 0
        for kind in range(5):
            number = i64(g.printed[kind]) - (kind == gone)
            reach += number * c.GIVE[kind, lane]
        if lane < 4:
            low += min(left, reach) << (c.LANE * lane)
        else:
            high += min(left, reach) << (c.LANE * (lane - 4))
    return low, high


@kernel
def credit_mask(g: Any, mask: Any) -> None:
    """Tokens of the damaged card at hand that lower the cost, or uses of a wild credit."""
    if g.credit_slot >= CITY:
        wild_mask(g, mask)
        return
    need_low, need_high = need_lanes(g)
    for kind in range(4):
        gone = kind if kind < 3 else c.GOLD_COST
        if kind < 3 and g.printed[kind] == 0:
            gone = c.ANY
        if g.printed[gone] == 0:
            continue
        extra_low, extra_high = 0, 0
        if kind < 3:
            covered = kind if g.need[kind] > 0 else c.ANY
        else:
            covered = c.GOLD_COST
            if g.need[covered] == 0:  # the gold becomes a wild credit
                covered = -1
                extra_low, extra_high = c.GIVE_LOW[c.ANY], c.GIVE_HIGH[c.ANY]
        if covered >= 0 and g.need[covered] == 0:
            continue
        if covered < 0 and outstanding(g) == 5:
            continue
        low, high = printed_lanes(g, i64(g.credit_left) - 1, gone)
        low, high = credits_to_come(g, low + extra_low, high + extra_high)
        left_low, left_high = need_low, need_high
        if covered >= 0:
            left_low -= c.NEED_LOW[covered]
            left_high -= c.NEED_HIGH[covered]
        mask[a.TOKEN + kind] = covers(low, high, left_low, left_high)


@kernel
def wild_mask(g: Any, mask: Any) -> None:
    """Base kinds that a wild credit, or a token of the discount, can cover."""
    low, high = credits_to_come(g, NOTHING, NOTHING)
    unit = c.GOLD_COST if g.phase == DISCOUNT else c.ANY
    low -= c.GIVE_LOW[unit]
    high -= c.GIVE_HIGH[unit]
    need_low, need_high = need_lanes(g)
    for kind in range(3):
        mask[a.TOKEN + kind] = g.need[kind] > 0 and covers(
            low, high, need_low - c.NEED_LOW[kind], need_high - c.NEED_HIGH[kind]
        )


@kernel
def pay_mask(g: Any, mask: Any) -> None:
    """Tokens for the next one outstanding, if the rest stays payable."""
    seat, due = i64(g.seat), outstanding(g)
    low, high = token_lanes(g, seat)
    need_low, need_high = need_lanes(g)
    need_low -= c.NEED_LOW[due]
    need_high -= c.NEED_HIGH[due]
    for kind in range(4):
        fits = kind == c.G or kind == due or due == c.ANY
        if fits and g.tokens[seat, kind] > 0:
            unit = kind if kind < 3 else c.GOLD_COST
            mask[a.TOKEN + kind] = covers(
                low - c.GIVE_LOW[unit], high - c.GIVE_HIGH[unit], need_low, need_high
            )
