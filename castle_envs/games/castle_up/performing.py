"""Performing an action: price first, then the effects in printed order (section 4)."""

from typing import Any

from castle_envs.engine.kernel import kernel

from . import actions as a
from . import cards as c
from .state import (
    CITY,
    COMMIT,
    DAMAGED,
    GAIN,
    HELD,
    NO_PICK,
    PAY_ACTION,
    PICK,
    PICK_EXHAUST,
    PICK_READY,
    PICK_REPAIR,
    READY,
    SPECIAL,
    TURN_ATTACKS,
    i64,
)
from .table import amount, base_in_supply, exhaust, gain, repair, resume
from .usable import action_at, pickables


@kernel
def begin_use(g: Any, chosen: int) -> bool:
    """Exhaust or flip the card of a USE id; True where its price can be asked for at once."""
    seat = i64(g.seat)
    place = (chosen - a.USE) // 3 if chosen < a.USE_HELD else HELD + chosen - a.USE_HELD
    index = (chosen - a.USE) % 3 if chosen < a.USE_HELD else 0
    action = action_at(g, seat, place, index)
    g.mode, g.action, g.source = g.phase, action, place
    if g.phase == COMMIT:
        g.attackers = 1
    if place >= CITY:
        if c.IS_ACTIVE[action]:
            g.held_ready[place - HELD] = 0
    elif c.SELF_DAMAGE[action]:
        g.status[seat, place], g.used[seat, place] = DAMAGED, 1
    elif c.IS_ACTIVE[action]:
        exhaust(g, seat, place)
    for kind in range(5):
        g.need[kind] = c.PRICE[action, kind]
    g.paying = PAY_ACTION
    g.effect, g.last_effect = c.FIRST_EFFECT[action], c.LAST_EFFECT[action]
    if c.OTHERS[action] == 0:
        return True
    g.pick, g.pick_left, g.pick_suit = PICK_EXHAUST, c.OTHERS[action], c.OTHERS_SUIT[action]
    g.phase = PICK
    return False


@kernel
def pick_slot(g: Any, slot: int) -> bool:
    """Exhaust, repair or ready a picked building; True when no more are to be picked."""
    seat = i64(g.seat)
    if g.pick == PICK_EXHAUST:
        exhaust(g, seat, slot)
    elif g.pick == PICK_REPAIR:
        repair(g, seat, slot)
    else:
        g.status[seat, slot] = READY
    g.pick_left -= 1
    return g.pick_left == 0 or nothing_to_pick(g)


@kernel
def nothing_to_pick(g: Any) -> bool:
    """Whether no building is left that could be picked."""
    return pickables(g, i64(g.seat), i64(g.pick), i64(g.source), i64(g.pick_suit)) == 0


@kernel
def run_effects(g: Any) -> None:
    """Perform effects up to the next choice, or to the end of the action."""
    seat = i64(g.seat)
    while g.effect < g.last_effect:
        effect = i64(g.effect)
        g.effect += 1
        does = c.EFFECT[effect]
        number = amount(g, seat, effect, i64(0))
        if does == c.DO_GAIN:
            for kind in range(4):
                column = i64(kind if kind < 3 else c.GOLD_COST)
                gain(g, seat, kind, amount(g, seat, effect, column))
            g.gain_left = amount(g, seat, effect, i64(c.ANY))
            if g.gain_left > 0 and base_in_supply(g):
                g.phase = GAIN
                return
            g.gain_left = 0
        elif does == c.DO_ATTACK:
            g.attack += number
        elif does == c.DO_DEFEND:
            g.defense += number
        elif does == c.DO_PURCHASE:
            g.purchases += number
        elif does == c.DO_PHASE:
            g.battles += number
        elif does == c.DO_INITIATIVE:
            g.next_initiative = seat
        elif does == c.DO_DIRECTION:
            if g.num_players > 2 and g.free_target == 0:
                g.phase = TURN_ATTACKS
                return
        elif does == c.DO_BUY_FROM:
            g.buy_from, g.discount = c.SOURCE[effect], number
            g.phase = SPECIAL
            return
        else:
            g.pick = PICK_REPAIR if does == c.DO_REPAIR else PICK_READY
            g.pick_left, g.pick_suit = number, c.NO_SUIT
            if not nothing_to_pick(g):
                g.phase = PICK
                return
            g.pick, g.pick_left = NO_PICK, 0
    resume(g)


@kernel
def gain_any(g: Any, kind: int) -> None:
    """Take one any icon as a token of `kind`; further effects when the icons are used up."""
    gain(g, i64(g.seat), kind, i64(1))
    g.gain_left -= 1
    if g.gain_left == 0 or not base_in_supply(g):
        g.gain_left = 0
        run_effects(g)
