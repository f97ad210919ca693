"""The greedy baseline: try every move of the main state to its end, keep the best position.

A position is worth points, income for the rounds to come, and tokens, own ones more than the
others' ones less. Sub-decisions follow simple habits, in trials and in play alike. Only public
knowledge is used: a trial stops before the turn ends, so no card of the deck is ever turned.
"""

from typing import Any

import numpy as np

from castle_envs.engine.kernel import inlined, kernel

from . import actions as a
from . import cards as c
from . import features as f
from .rules import apply, legal
from .scoring import score
from .state import (
    CITY,
    COMMIT,
    COMPENSATE,
    CREDIT,
    DAMAGED,
    DEFENSE,
    DISCOUNT,
    GAIN,
    HELD,
    MAIN,
    NUM_ACTIONS,
    PAY,
    PICK,
    PICK_EXHAUST,
    REFURBISH,
    ROW,
    SPECIAL,
    STATE,
    TURN_ATTACKS,
    WILD,
    i64,
)
from .usable import action_at, points_of

# Worths in hundredths of a point.
POINT, BASE_TOKEN, GOLD_TOKEN = 100, 12, 30
STRENGTH = 4  # a point of attack or defense
ROUNDS_AHEAD = 6  # income is counted for no more rounds than this
RIVALS = 2  # what the others have counts as 1 / RIVALS
# Sources are promoted before they are exhausted, tokens gained before they are spent.
PROMOTE_FIRST, GAIN_FIRST = 20_000, 10_000


def _income(kind: int) -> int:
    """Tokens' worth of the best gain of a card, price deducted."""
    numbers = f.ACTION_NUMBERS[c.CARD_ACTIONS[kind]].astype(int)
    gains = numbers[:, 2:6].sum(axis=1) * BASE_TOKEN + numbers[:, 6] * GOLD_TOKEN
    return max(0, int((gains - numbers[:, 7] * BASE_TOKEN).max()))


INCOME = np.array([_income(kind) for kind in range(c.NUM_KINDS)], np.int64)
FORCE = f.OTHER_NUMBERS[:, 3:5].max(axis=1).astype(np.int64) * STRENGTH


@kernel
def rounds_left(g: Any) -> int:
    """Rounds still to come, as far as they count."""
    return min(ROUNDS_AHEAD, (i64(g.deck_size) + 3) // 4)


@kernel
def value_of(g: Any, kind: int) -> int:
    """What a building is worth beyond the score: income and force, while the game lasts."""
    rounds = rounds_left(g)
    return c.POINTS[kind] * POINT + (INCOME[kind] * rounds) // 2 + (FORCE[kind] if rounds else 0)


@kernel
def holdings(g: Any, seat: int) -> int:
    """The worth of a seat: score, buildings' income and force, tokens."""
    total = score(g, seat) * POINT
    for slot in range(CITY):
        if g.status[seat, slot] != DAMAGED:
            kind = g.city[seat, slot]
            total += value_of(g, kind) - c.POINTS[kind] * POINT
    tokens = i64(g.tokens[seat, c.M]) + g.tokens[seat, c.S] + g.tokens[seat, c.F]
    return total + tokens * BASE_TOKEN + i64(g.tokens[seat, c.G]) * GOLD_TOKEN


@kernel
def worth(g: Any, seat: int) -> int:
    """The worth of a position for a seat."""
    total, n = holdings(g, seat), i64(g.num_players)
    for other in range(n):
        if other != seat:
            total -= holdings(g, other) // (RIVALS * (n - 1))
    return total


@kernel
def first_things_first(action: int) -> int:
    """What puts an action before others that are worth it as well."""
    if a.PROMOTE <= action < a.BUY_CARD:
        return PROMOTE_FIRST
    return GAIN_FIRST if a.USE <= action < a.BUY else 0


@inlined
def greedy(g: Any) -> int:
    """The move of the baseline."""
    if g.phase != MAIN and g.phase != WILD:
        return habit(g)
    seat = i64(g.seat)
    mask = np.empty(NUM_ACTIONS, np.int8)
    legal(g, mask)
    scratch = np.empty(1, STATE)
    s = scratch[0]
    before = worth(g, seat)
    best, most = i64(a.DONE), i64(0 if g.phase == MAIN else -(1 << 30))
    for action in range(NUM_ACTIONS):
        if mask[action] == 0 or (g.phase == MAIN and action == a.DONE):
            continue
        scratch[0] = g
        apply(s, action)
        while s.phase != MAIN and s.phase != WILD and not s.over:
            apply(s, habit(s))
        better = worth(s, seat) - before
        if better > 0:
            better += first_things_first(action)
        if better > most:
            best, most = i64(action), better
    return best


@kernel
def habit(g: Any) -> int:
    """What is done in a sub-decision."""
    phase = g.phase
    if phase in (GAIN, COMPENSATE):
        return wanted_token(g)
    if phase in (PAY, CREDIT, DISCOUNT):
        return spare_token(g)
    if phase == REFURBISH:
        return a.DONE if g.mask[a.DONE] else picked(g, False)
    if phase == PICK:
        return picked(g, g.pick != PICK_EXHAUST)
    if phase == COMMIT:
        return next_attacker(g)
    if phase == DEFENSE:
        return next_defense(g)
    if phase == TURN_ATTACKS:
        return a.NO
    if phase == SPECIAL and g.mask[a.PROMOTE_TOP] == 0:
        return a.BUY_TOP
    return a.PROMOTE_TOP if phase == SPECIAL else a.DONE


@kernel
def wanted_token(g: Any) -> int:
    """Gold, else the kind that buildings on offer ask for most, else the one held least."""
    seat, best, most = i64(g.seat), i64(0), i64(-(1 << 30))
    if g.mask[a.TOKEN + c.G]:
        return a.TOKEN + c.G
    for kind in range(3):
        held = i64(g.tokens[seat, kind])
        lacking = -held
        for slot in range(ROW):
            lacking += 4 * max(0, c.COST[g.row[slot], kind] - held)
        if g.mask[a.TOKEN + kind] and lacking > most:
            best, most = i64(a.TOKEN + kind), lacking
    return best


@kernel
def spare_token(g: Any) -> int:
    """The base kind held most; gold last."""
    seat, best, most = i64(g.seat), i64(a.TOKEN + c.G), i64(-1)
    for kind in range(3):
        if g.mask[a.TOKEN + kind] and g.tokens[seat, kind] > most:
            best, most = i64(a.TOKEN + kind), i64(g.tokens[seat, kind])
    return best


@kernel
def picked(g: Any, dearest: bool) -> int:
    """The slot that may be picked with the building worth most, or least."""
    seat, best, most = i64(g.seat), i64(a.SELECT), i64(-(1 << 30))
    for slot in range(CITY):
        value = value_of(g, g.city[seat, slot])
        if g.mask[a.SELECT + slot] and (value if dearest else -value) > most:
            best, most = i64(a.SELECT + slot), value if dearest else -value
    return best


@kernel
def place_and_index(action: int) -> tuple[int, int]:
    """Place and action index of a USE id."""
    if action < a.USE_HELD:
        return (action - a.USE) // 3, (action - a.USE) % 3
    return HELD + action - a.USE_HELD, 0


@kernel
def strongest(g: Any, does: int, enough: int) -> int:
    """The weakest use that alone gives `enough` points of a kind, else the strongest; or DONE."""
    seat, best, best_points = i64(g.seat), i64(a.DONE), i64(0)
    for action in range(a.USE, a.BUY):
        if g.mask[action] == 0:
            continue
        place, index = place_and_index(action)
        points = points_of(g, seat, action_at(g, seat, place, index), does)
        if best_points < enough:
            better = points > best_points
        else:
            better = enough <= points < best_points
        if better:
            best, best_points = i64(action), points
    return best


@kernel
def next_attacker(g: Any) -> int:
    """Attack until the target is damaged, or the loot is paid."""
    if g.looting:
        enough = i64(c.LOOT_POINTS[g.sides[3]])
    else:
        enough = i64(c.ENDURANCE[g.city[g.target_seat, g.target_slot]])
    missing = enough - i64(g.attack)
    if missing <= 0 and g.mask[a.DONE]:
        return a.DONE
    found = strongest(g, i64(c.DO_ATTACK), missing)
    if found == a.DONE and g.mask[a.DONE] == 0:  # only attacks without points are left
        found = i64(a.USE)
        while g.mask[found] == 0:
            found += 1
    return found


@kernel
def next_defense(g: Any) -> int:
    """Defend while the target would be damaged otherwise."""
    kind = g.city[g.target_seat, g.target_slot]
    excess = i64(g.attack) - i64(g.defense) - c.ENDURANCE[kind] + 1
    if excess <= 0:
        return a.DONE
    return strongest(g, i64(c.DO_DEFEND), excess)
