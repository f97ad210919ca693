"""Purchases: refurbishing, credits, discount, payment, promotion, action cards (section 5)."""

from typing import Any

from castle_envs.engine.kernel import inlined, kernel

from . import cards as c
from .performing import run_effects
from .state import (
    CITY,
    CREDIT,
    DAMAGED,
    DISCOUNT,
    PAY,
    PAY_ACTION,
    PAY_BUILDING,
    PAY_CARD,
    PICK,
    PICK_PROMOTE,
    READY,
    REFURBISH,
    i64,
)
from .table import (
    base_outstanding,
    draw,
    enter,
    from_pile,
    leave,
    outstanding,
    pay,
    print_cost,
    resume,
    to_pile,
    top_of_deck,
    top_of_pile,
)


@kernel
def begin_purchase(g: Any, place: int) -> None:
    """Spend a purchase action on the building at `place`: row slot, FROM_DECK or FROM_DISCARD."""
    g.purchases -= 1
    g.buy_from = place
    if place == c.FROM_DECK:
        g.buying = top_of_deck(g)
    elif place == c.FROM_DISCARD:
        g.buying = top_of_pile(g)
    else:
        g.buying = g.row[place]


@kernel
def begin_buying(g: Any, place: int) -> None:
    """Buy a building: first choose what to refurbish."""
    begin_purchase(g, place)
    g.taken, g.last_taken = 0, -1
    g.phase = REFURBISH


@kernel
def take_slot(g: Any, slot: int) -> None:
    """Give an own building for the purchase."""
    g.taken |= 1 << slot
    g.last_taken = slot


# Credits ---------------------------------------------------------------------------------------


@inlined
def begin_credits(g: Any) -> None:
    """Undamaged buildings lower the cost first, all together; nothing is asked (R31)."""
    seat = i64(g.active)
    for kind in range(5):
        g.need[kind] = c.COST[g.buying, kind]
        g.printed[kind] = 0
    for slot in range(CITY):
        if g.taken >> slot & 1 and g.status[seat, slot] != DAMAGED:
            for kind in range(5):
                g.printed[kind] += c.COST[g.city[seat, slot], kind]
    g.wild = g.printed[c.ANY]
    left = 0
    for kind in range(3):
        spent = min(g.printed[kind], g.need[kind])
        g.need[kind] -= spent
        left += g.printed[kind] - spent
    g.need[c.ANY] -= min(left, i64(g.need[c.ANY]))
    spent = min(g.printed[c.GOLD_COST], g.need[c.GOLD_COST])
    g.need[c.GOLD_COST] -= spent
    g.wild += g.printed[c.GOLD_COST] - spent
    g.credit_slot, g.credit_left = -1, 0
    next_credit(g)


@kernel
def next_credit(g: Any) -> None:
    """On to the next token to be chosen: damaged cards, wild credits, discount, payment."""
    while g.credit_slot < CITY:
        if g.credit_left > 0 and credit_is_useful(g):
            g.phase = CREDIT
            return
        next_damaged(g)
    while g.wild > 0:
        if base_outstanding(g):
            g.phase = CREDIT
            return
        g.wild -= 1
        if g.need[c.ANY] > 0:
            g.need[c.ANY] -= 1
    next_discount(g)


@kernel
def next_damaged(g: Any) -> None:
    """Lay out the tokens of the next damaged card given, or go on to wild credits."""
    seat = i64(g.active)
    slot = g.credit_slot + 1
    while slot < CITY and not (g.taken >> slot & 1 and g.status[seat, slot] == DAMAGED):
        slot += 1
    g.credit_slot = slot
    kind = i64(g.city[seat, slot]) if slot < CITY else 0
    print_cost(g, kind)
    g.credit_left = c.SIZE[kind] // 2


@kernel
def credit_is_useful(g: Any) -> bool:
    """Whether a token of the damaged card at hand still lowers the cost."""
    if g.printed[c.GOLD_COST] > 0 and outstanding(g) < 5:
        return True
    for kind in range(3):
        printed = g.printed[kind] > 0 or g.printed[c.ANY] > 0
        if printed and (g.need[kind] > 0 or g.need[c.ANY] > 0):
            return True
    return False


@inlined
def use_credit(g: Any, kind: int) -> None:
    """Take a token from the damaged card at hand, or use a wild credit, as `kind`."""
    if g.credit_slot >= CITY:
        g.wild -= 1
        g.need[kind] -= 1
        next_credit(g)
        return
    g.credit_left -= 1
    if kind == c.G:
        g.printed[c.GOLD_COST] -= 1
        if g.need[c.GOLD_COST] > 0:
            g.need[c.GOLD_COST] -= 1
        else:
            g.wild += 1
    else:
        g.printed[kind if g.printed[kind] > 0 else c.ANY] -= 1
        g.need[kind if g.need[kind] > 0 else c.ANY] -= 1
    next_credit(g)


@kernel
def next_discount(g: Any) -> None:
    """The discount takes gold, then M, S, F by choice, then any icons (R38)."""
    while g.discount > 0:
        if g.need[c.GOLD_COST] > 0:
            g.need[c.GOLD_COST] -= 1
        elif base_outstanding(g):
            g.phase = DISCOUNT
            return
        elif g.need[c.ANY] > 0:
            g.need[c.ANY] -= 1
        g.discount -= 1
    g.paying = PAY_BUILDING
    next_payment(g)


@kernel
def use_discount(g: Any, kind: int) -> None:
    """Take a token of `kind` off the cost."""
    g.discount -= 1
    g.need[kind] -= 1
    next_discount(g)


# Payment ---------------------------------------------------------------------------------------


@kernel
def next_payment(g: Any) -> None:
    """Ask for the next token, or go on when all is paid."""
    if outstanding(g) < 5:
        g.phase = PAY
    elif g.paying == PAY_ACTION:
        run_effects(g)
    elif g.paying == PAY_BUILDING:
        finish_purchase(g)
    else:
        take_action_card(g)


@kernel
def pay_token(g: Any, kind: int) -> None:
    """Pay the next outstanding token with one of `kind`."""
    g.need[outstanding(g)] -= 1
    pay(g, i64(g.seat), kind, i64(1))
    next_payment(g)


@kernel
def finish_purchase(g: Any) -> None:
    """Move the cards: the bought one leaves its place before the given ones are discarded (R36)."""
    seat, kind = i64(g.active), i64(g.buying)
    leave_place(g)
    for slot in range(CITY):
        if g.taken >> slot & 1:
            to_pile(g, i64(g.city[seat, slot]))
            leave(g, seat, slot)
    enter(g, seat, kind)
    resume(g)


@kernel
def leave_place(g: Any) -> None:
    """The bought card leaves the row, the deck or the discard pile."""
    if g.buy_from == c.FROM_DECK:
        draw(g)
    elif g.buy_from == c.FROM_DISCARD:
        from_pile(g)
    else:
        g.row[g.buy_from] = 0


@kernel
def begin_promotion(g: Any, place: int) -> None:
    """Promote into the building at `place`; with several ready sources the owner picks (5.2)."""
    begin_purchase(g, place)
    seat, found, last = i64(g.active), 0, i64(0)
    source = c.PROMOTES_FROM[g.buying]
    for slot in range(CITY):
        if g.city[seat, slot] == source and g.status[seat, slot] == READY:
            found += 1
            last = slot
    if found == 1:
        promote(g, last)
    else:
        g.pick, g.pick_left, g.phase = PICK_PROMOTE, 1, PICK


@kernel
def promote(g: Any, slot: int) -> None:
    """Discard the source in `slot`, nothing else is paid."""
    g.taken = 1 << slot
    finish_purchase(g)


# Action cards ----------------------------------------------------------------------------------


@kernel
def begin_action_card(g: Any, role: int) -> None:
    """Spend a purchase action on the action card of a role."""
    g.purchases -= 1
    g.role = role
    for kind in range(5):
        g.need[kind] = c.ROLE_COST[role, g.sides[role], g.era - 1, kind]
    g.paying = PAY_CARD
    next_payment(g)


@kernel
def take_action_card(g: Any) -> None:
    """The paid card lies before its buyer, and does what it does at once."""
    role = i64(g.role)
    g.holder[role], g.held_ready[role], g.looted[role] = g.active, 1, 0
    g.source = -1
    first, last = c.ROLE_EFFECTS[role, g.sides[role], g.era - 1]
    g.effect, g.last_effect = first, last
    run_effects(g)
