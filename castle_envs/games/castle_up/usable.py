"""Which actions can be used, and what they are good for: judged before anything is paid."""

from typing import Any

from castle_envs.engine.kernel import kernel

from . import cards as c
from .state import CITY, DAMAGED, EXHAUSTED, HELD, PICK_EXHAUST, PICK_READY, PICK_REPAIR, READY, i64
from .table import amount, base_in_supply, buildings, covers, top_of_deck, top_of_pile

# Typed, as a literal would compile a function once more for every value.
NOWHERE = i64(-1)


@kernel
def held_action(g: Any, role: int) -> int:
    """The action of an action card as it lies, in the era of the moment (R39); 0: none."""
    return i64(c.ROLE_ACTION[role, g.sides[role], g.era - 1])


@kernel
def action_at(g: Any, seat: int, place: int, index: int) -> int:
    """Action `index` of an own slot or held card (HELD + role); 0: none."""
    if place < CITY:
        return i64(c.CARD_ACTIONS[g.city[seat, place], index])
    if index == 0 and g.holder[place - HELD] == seat:
        return held_action(g, place - HELD)
    return 0


@kernel
def pickable(g: Any, seat: int, slot: int, pick: int, source: int, suit: int) -> bool:
    """Whether a building can be picked: exhausted as a price, repaired or readied.

    `source` is the place of the card that asks for it; `suit` limits what is exhausted.
    """
    kind, status = g.city[seat, slot], g.status[seat, slot]
    if kind == 0:
        return False
    if pick == PICK_REPAIR:
        return status == DAMAGED
    if slot == source:
        return False
    if pick == PICK_READY:
        return status == EXHAUSTED and c.READIES[kind] == 0
    fits = suit == c.NO_SUIT or c.SUIT[kind] == suit
    return pick == PICK_EXHAUST and status == READY and fits


@kernel
def pickables(g: Any, seat: int, pick: int, source: int, suit: int) -> int:
    """How many buildings can be picked."""
    found = 0
    for slot in range(CITY):
        found += pickable(g, seat, slot, pick, source, suit)
    return found


@kernel
def can_perform(g: Any, seat: int, place: int, action: int, low: int, high: int) -> bool:
    """Whether the card is in a state to act and its price can be paid from tokens `low`, `high`."""
    if place < CITY:
        status = g.status[seat, place]
        if status == DAMAGED or (c.IS_ACTIVE[action] and status != READY):
            return False
    elif c.IS_ACTIVE[action] and g.held_ready[place - HELD] == 0:
        return False
    if c.HAS_PRICE[action] and not covers(low, high, c.PRICE_LOW[action], c.PRICE_HIGH[action]):
        return False
    number = i64(c.OTHERS[action])
    if number == 0:
        return True
    return pickables(g, seat, i64(PICK_EXHAUST), place, i64(c.OTHERS_SUIT[action])) >= number


@kernel
def gains_something(g: Any, seat: int, effect: int) -> bool:
    """Whether a gain would take a token from the supply."""
    if amount(g, seat, effect, i64(c.ANY)) > 0 and base_in_supply(g):
        return True
    for kind in range(4):
        column = i64(kind if kind < 3 else c.GOLD_COST)
        if g.supply[kind] > 0 and amount(g, seat, effect, column) > 0:
            return True
    return False


@kernel
def does_something(g: Any, seat: int, place: int, action: int, low: int, high: int) -> bool:
    """Whether at least one effect of an action can do something."""
    for effect in range(i64(c.FIRST_EFFECT[action]), i64(c.LAST_EFFECT[action])):
        does = c.EFFECT[effect]
        if does == c.DO_GAIN:
            if gains_something(g, seat, effect):
                return True
        elif does == c.DO_REPAIR:
            if pickables(g, seat, i64(PICK_REPAIR), place, i64(c.NO_SUIT)) > 0:
                return True
        elif does == c.DO_READY:
            if pickables(g, seat, i64(PICK_READY), place, i64(c.NO_SUIT)) > 0:
                return True
        elif does == c.DO_BUY_FROM:
            if g.purchases > 0 and top_in_reach(g, seat, place, effect, low, high):
                return True
        else:
            return True
    return False


@kernel
def top_in_reach(g: Any, seat: int, place: int, effect: int, low: int, high: int) -> bool:
    """Whether the top card of a pile can be had without the card that opens the pile."""
    kind = top_of_deck(g) if c.SOURCE[effect] == c.FROM_DECK else top_of_pile(g)
    if kind == 0:
        return False
    if can_promote(g, seat, kind, place):
        return True
    return can_buy(g, seat, kind, place, i64(c.BASE[effect, 0]), low, high)


@kernel
def can_promote(g: Any, seat: int, kind: int, but: int) -> bool:
    """Whether the city has a ready source of a promotion (R9), in another slot than `but`."""
    source = c.PROMOTES_FROM[kind]
    if source == 0:
        return False
    for slot in range(CITY):
        if g.city[seat, slot] == source and g.status[seat, slot] == READY and slot != but:
            return True
    return False


@kernel
def can_buy(g: Any, seat: int, kind: int, but: int, discount: int, low: int, high: int) -> bool:
    """Whether refurbishing all that can be (not slot `but`) makes a building payable and fit."""
    low += discount * c.GIVE_LOW[c.GOLD_COST]
    high += discount * c.GIVE_HIGH[c.GOLD_COST]
    fits = buildings(g, seat) < CITY
    for slot in range(CITY):
        status = g.status[seat, slot]
        if g.city[seat, slot] and status != EXHAUSTED and slot != but:
            fits = True
            low += c.CREDIT_LOW[status >> 1, g.city[seat, slot]]
            high += c.CREDIT_HIGH[status >> 1, g.city[seat, slot]]
    return fits and covers(low, high, c.COST_LOW[kind], c.COST_HIGH[kind])


@kernel
def points_of(g: Any, seat: int, action: int, kind_of: int) -> int:
    """Attack or defense points of an action as they would be now."""
    points = 0
    for effect in range(i64(c.FIRST_EFFECT[action]), i64(c.LAST_EFFECT[action])):
        if c.EFFECT[effect] == kind_of:
            points += amount(g, seat, effect, i64(0))
    return points


@kernel
def times_payable(action: int, low: int, high: int) -> int:
    """How often tokens pay the price of an action."""
    times = 0
    while covers(low, high, (times + 1) * c.PRICE_LOW[action], (times + 1) * c.PRICE_HIGH[action]):
        times += 1
    return times


@kernel
def attack_in_reach(g: Any, seat: int, low: int, high: int) -> int:
    """Attack points within reach: of each card its best active attack, and all passive ones.

    Every price is judged on its own against the tokens held. -1 where no attack can be used.
    """
    total, found = 0, False
    for place in range(HELD + 4):
        best = 0
        for index in range(3):
            action = action_at(g, seat, place, index)
            if c.ACTION_WINDOWS[action] & c.ATTACK_WINDOW == 0:
                continue
            if not can_perform(g, seat, place, action, low, high):
                continue
            found = True
            points = points_of(g, seat, action, c.DO_ATTACK)
            if c.IS_ACTIVE[action]:
                best = max(best, points)
            else:
                total += points * times_payable(action, low, high)
        total += best
    return total if found else -1


@kernel
def gained_kinds(g: Any, seat: int, action: int) -> int:
    """Bits of the tokens (M, S, F, G) an action would gain now; an X may be nothing."""
    kinds = i64(0)
    for effect in range(i64(c.FIRST_EFFECT[action]), i64(c.LAST_EFFECT[action])):
        if c.EFFECT[effect] != c.DO_GAIN:
            continue
        for kind in range(4):
            column = i64(kind if kind < 3 else c.GOLD_COST)
            number = amount(g, seat, effect, column)
            if kind < 3:
                number += amount(g, seat, effect, i64(c.ANY))
            if number > 0 and g.supply[kind] > 0:
                kinds |= 1 << kind
    return kinds


@kernel
def feeds_defense(g: Any, seat: int, place: int, action: int) -> bool:
    """Whether tokens an action gains could pay for a defense that can still be used (R14)."""
    kinds = gained_kinds(g, seat, action)
    for other in range(HELD + 4):
        for index in range(3):
            defense = action_at(g, seat, other, index)
            if c.ACTION_WINDOWS[defense] & c.DEFENSE_WINDOW == 0:
                continue
            if c.FED_BY[defense] & kinds and usable_after(g, seat, other, defense, place, action):
                return True
    return False


@kernel
def usable_after(g: Any, seat: int, at: int, defense: int, place: int, action: int) -> bool:
    """Whether the card at `at` may still use `defense` once `place` has performed `action`."""
    if at == place and c.SELF_DAMAGE[action]:
        return False
    if at < CITY and g.status[seat, at] == DAMAGED:
        return False
    if c.IS_ACTIVE[defense] == 0:
        return True
    ready = g.status[seat, at] == READY if at < CITY else g.held_ready[at - HELD] == 1
    return ready and not (at == place and c.IS_ACTIVE[action])
