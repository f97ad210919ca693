"""What is legal: the mask of every decision (rules reference, sections 5, 6 and 10)."""

from typing import Any

from castle_envs.engine.kernel import kernel

from . import actions as a
from . import cards as c
from .buying_masks import credit_mask, pay_mask, refurbish_mask, special_mask, wild_mask
from .state import (
    CITY,
    COMMIT,
    COMPENSATE,
    CREDIT,
    DAMAGED,
    DEFENSE,
    DISCOUNT,
    EXHAUSTED,
    GAIN,
    HELD,
    MAIN,
    NUM_ACTIONS,
    PAY,
    PICK,
    PICK_PROMOTE,
    READY,
    REFURBISH,
    ROLES_IN_PLAY,
    ROW,
    SPECIAL,
    TURN_ATTACKS,
    TURN_LIMIT,
    WILD,
    WINDOW_LIMIT,
    i64,
)
from .table import (
    covers,
    token_lanes,
)
from .usable import (
    NOWHERE,
    action_at,
    attack_in_reach,
    can_perform,
    can_promote,
    does_something,
    feeds_defense,
    pickable,
)

MILITARY = 3


@kernel
def legal(g: Any, mask: Any) -> None:
    """Fill the int8 mask (88) of the seat to act; zeros once the game is over."""
    if g.phase == MAIN:
        for i in range(NUM_ACTIONS):
            mask[i] = 0
        main_mask(g, mask)
    else:
        for i in range(NUM_ACTIONS):
            mask[i] = g.mask[i]


@kernel
def fill_sub_mask(g: Any, mask: Any) -> None:
    """The mask of a sub-decision; zeros in the main state and once the game is over."""
    for i in range(NUM_ACTIONS):
        mask[i] = 0
    if g.over:
        return
    phase = g.phase
    if phase == PAY:
        pay_mask(g, mask)
    elif phase == GAIN:
        for kind in range(3):
            mask[a.TOKEN + kind] = g.supply[kind] > 0
    elif phase == REFURBISH:
        refurbish_mask(g, mask)
    elif phase == COMMIT:
        commit_mask(g, mask)
    elif phase == DEFENSE:
        defense_mask(g, mask)
    elif phase == CREDIT:
        credit_mask(g, mask)
    elif phase == DISCOUNT:
        wild_mask(g, mask)
    elif phase == COMPENSATE:
        compensation_mask(g, mask)
    elif phase == PICK:
        pick_mask(g, mask)
    elif phase == TURN_ATTACKS:
        mask[a.YES], mask[a.NO] = 1, 1
    elif phase == SPECIAL:
        special_mask(g, mask)
    elif phase == WILD:
        for suit in range(3):
            mask[a.SUIT + suit] = 1


# The main state --------------------------------------------------------------------------------


@kernel
def main_mask(g: Any, mask: Any) -> None:
    """Everything the active player may do between sub-decisions."""
    mask[a.DONE] = 1
    if g.turn_decisions >= TURN_LIMIT:
        return
    seat = i64(g.active)
    low, high = token_lanes(g, seat)
    fights = False
    all_low, all_high, cards, movable = low, high, 0, 0
    for slot in range(CITY):
        kind, status = i64(g.city[seat, slot]), i64(g.status[seat, slot])
        if kind == 0:
            continue
        cards += 1
        if status != EXHAUSTED:
            movable += 1
            all_low += c.CREDIT_LOW[status >> 1, kind]
            all_high += c.CREDIT_HIGH[status >> 1, kind]
        if status == DAMAGED:
            mask[a.REPAIR + slot] = g.tokens[seat, c.G] >= c.REPAIR_COST[kind]
            continue
        if c.CARD_WINDOWS[kind] & c.MAIN_WINDOW:
            use_mask(g, mask, seat, slot, low, high)
        fights = fights or c.CARD_WINDOWS[kind] & c.ATTACK_WINDOW != 0
    for role in range(ROLES_IN_PLAY):
        if g.holder[role] == seat:
            fights = fights or role == MILITARY
            use_mask(g, mask, seat, HELD + role, low, high)
    if g.purchases > 0:
        purchase_mask(g, mask, seat, low, high)
        if cards < CITY or movable > 0:
            for slot in range(ROW):
                kind = i64(g.row[slot])
                mask[a.BUY + slot] = kind > 0 and covers(
                    all_low, all_high, c.COST_LOW[kind], c.COST_HIGH[kind]
                )
    if fights and g.battles > 0:
        battle_mask(g, mask, seat, low, high)
    if g.supply[c.G] > 0:
        for kind in range(3):
            mask[a.EXCHANGE + kind] = g.tokens[seat, kind] >= c.EXCHANGE_PAYS


@kernel
def use_mask(g: Any, mask: Any, seat: int, place: int, low: int, high: int) -> None:
    """Actions of one card that can be used in the main state."""
    for index in range(3):
        action = action_at(g, seat, place, index)
        if c.ACTION_WINDOWS[action] & c.MAIN_WINDOW == 0:
            continue
        if can_perform(g, seat, place, action, low, high) and does_something(
            g, seat, place, action, low, high
        ):
            mask[use_id(place, index)] = 1


@kernel
def use_id(place: int, index: int) -> int:
    """The id of USE for a slot or a held card."""
    return a.USE + 3 * place + index if place < CITY else a.USE_HELD + place - HELD


@kernel
def purchase_mask(g: Any, mask: Any, seat: int, low: int, high: int) -> None:
    """Promotions and action cards."""
    for slot in range(ROW):
        kind = i64(g.row[slot])
        mask[a.PROMOTE + slot] = kind > 0 and can_promote(g, seat, kind, NOWHERE)
    for role in range(ROLES_IN_PLAY):
        if g.holder[role] < 0:
            side, era = g.sides[role], g.era - 1
            mask[a.BUY_CARD + role] = covers(
                low, high, c.ROLE_LOW[role, side, era], c.ROLE_HIGH[role, side, era]
            )


@kernel
def battle_mask(g: Any, mask: Any, seat: int, low: int, high: int) -> None:
    """Targets, and the own loot card if enough points are in reach."""
    reach = attack_in_reach(g, seat, low, high)
    if reach < 0:
        return
    n = i64(g.num_players)
    for on in range(1, n):
        who = (seat + on) % n
        if n > 2 and g.free_target == 0 and who != (seat + n + g.direction) % n:
            continue
        for slot in range(CITY):
            mask[a.ATTACK + CITY * (on - 1) + slot] = 0 < g.city[who, slot] < c.FIRST_CASTLE
    if g.holder[MILITARY] == seat:
        side = g.sides[MILITARY]
        pays_out = c.LOOT_POINTS[side] >= 0 and g.looted[MILITARY] < c.LOOT_TIMES[side]
        mask[a.LOOT] = pays_out and reach >= c.LOOT_POINTS[side]


# Battles ---------------------------------------------------------------------------------------


@kernel
def commit_mask(g: Any, mask: Any) -> None:
    """Attack actions, and DONE after the first."""
    seat = i64(g.active)
    low, high = token_lanes(g, seat)
    mask[a.DONE] = g.attackers
    for place in range(HELD + ROLES_IN_PLAY):
        for index in range(3):
            action = action_at(g, seat, place, index)
            if c.ACTION_WINDOWS[action] & c.ATTACK_WINDOW and can_perform(
                g, seat, place, action, low, high
            ):
                mask[use_id(place, index)] = 1


@kernel
def defense_mask(g: Any, mask: Any) -> None:
    """Defense actions, what feeds them, and DONE."""
    mask[a.DONE] = 1
    if g.window_decisions >= WINDOW_LIMIT:
        return
    seat = i64(g.seat)
    low, high = token_lanes(g, seat)
    for place in range(HELD + ROLES_IN_PLAY):
        for index in range(3):
            action = action_at(g, seat, place, index)
            windows = i64(c.ACTION_WINDOWS[action])
            if windows & (c.DEFENSE_WINDOW | c.COMBO_WINDOW) == 0:
                continue
            if not can_perform(g, seat, place, action, low, high):
                continue
            if windows & c.DEFENSE_WINDOW or (
                does_something(g, seat, place, action, low, high)
                and feeds_defense(g, seat, place, action)
            ):
                mask[use_id(place, index)] = 1


@kernel
def compensation_mask(g: Any, mask: Any) -> None:
    """Printed tokens of the destroyed card not yet taken, kinds in the supply."""
    for kind in range(3):
        printed = g.printed[kind] > 0 or g.printed[c.ANY] > 0
        mask[a.TOKEN + kind] = printed and g.supply[kind] > 0
    mask[a.TOKEN + c.G] = g.printed[c.GOLD_COST] > 0 and g.supply[c.G] > 0


@kernel
def pick_mask(g: Any, mask: Any) -> None:
    """Own buildings that can be picked."""
    seat = i64(g.seat)
    for slot in range(CITY):
        if g.pick == PICK_PROMOTE:
            source = c.PROMOTES_FROM[g.buying]
            mask[a.SELECT + slot] = g.city[seat, slot] == source and g.status[seat, slot] == READY
        else:
            mask[a.SELECT + slot] = pickable(
                g, seat, slot, i64(g.pick), i64(g.source), i64(g.pick_suit)
            )
