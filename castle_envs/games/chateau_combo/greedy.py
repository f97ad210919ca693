"""The greedy baseline and the gains it goes by: what each recruit adds to the own score now."""

from typing import Any

import numpy as np

from castle_envs.engine.kernel import allocating, kernel
from castle_envs.games.chateau_combo.actions import (
    FIRST_DISCARD,
    FIRST_OPTION,
    FIRST_RECRUIT,
    KEY_MOVE,
    RECRUITS,
)
from castle_envs.games.chateau_combo.cards import COST, FACE_DOWN
from castle_envs.games.chateau_combo.rules import (
    add_cost,
    choose,
    discard_place,
    discounts,
    perform,
    price,
    put,
)
from castle_envs.games.chateau_combo.scoring import reckon
from castle_envs.games.chateau_combo.state import (
    CELLS,
    DISCARD,
    FACE_DOWN_GOLD,
    FACE_DOWN_KEYS,
    LEGAL_CELLS,
    OPTION,
    ROW_SIZE,
    STATE,
    TURN,
)

# Points count in hundredths, so that leftover gold (1/100 each) only breaks ties.
POINT = 100
NONE = -(1 << 30)


@kernel
def worth(g: Any, seat: int) -> int:
    """A seat's points now in hundredths, plus one for each leftover gold."""
    points, gold = reckon(g, seat, None)
    return POINT * points + gold


@kernel
def restore(s: Any, g: Any, seat: int) -> None:
    """Undo a trial on the scratch record `s`: what belongs to the seat, and the phase."""
    s.gold[seat], s.keys[seat], s.occupied[seat] = g.gold[seat], g.keys[seat], g.occupied[seat]
    for cell in range(CELLS):
        s.tableau[seat, cell], s.purse[seat, cell] = g.tableau[seat, cell], g.purse[seat, cell]
    s.phase = g.phase


@kernel
def dearest(g: Any, place: int) -> int:
    """The slot of the dearest card of a row, the first of equals."""
    best, cost = 0, -1
    for slot in range(ROW_SIZE):
        token = g.row[place, slot]
        if token and COST[token] > cost:
            best, cost = slot, COST[token]
    return best


@kernel
def worth_face_down(g: Any, s: Any, seat: int, cell: int) -> int:
    """Worth after any card goes face-down to a cell."""
    restore(s, g, seat)
    s.gold[seat] += FACE_DOWN_GOLD
    s.keys[seat] += FACE_DOWN_KEYS
    put(s, seat, FACE_DOWN + 1, cell)
    return worth(s, seat)


@kernel
def worth_face_up(g: Any, s: Any, seat: int, token: int, paid: int, cell: int, left: Any) -> int:
    """Worth after a card is bought and placed, its choices made for the best.

    `left` takes the gold and the keys that the seat gains on the way (the price is a loss).
    """
    best = NONE
    for option in range(2):
        restore(s, g, seat)
        s.gold[seat] -= paid
        put(s, seat, token, cell)
        perform(s, seat, token)
        if s.phase == OPTION:
            choose(s, seat, option)
        elif s.phase == DISCARD:
            take_dearest(g, s, seat)
        value = worth(s, seat)
        if value > best:
            best = value
            left[0] = s.gold[seat] - g.gold[seat]
            left[1] = s.keys[seat] - g.keys[seat]
        if s.phase != OPTION:
            break
    return best


@kernel
def take_dearest(g: Any, s: Any, seat: int) -> None:
    """The gain of discarding the dearest card; the row stays, for further trials."""
    place = discard_place(s)
    add_cost(s, seat, int(g.row[place, dearest(g, place)]))


@kernel
def gains_of_row(g: Any, s: Any, place: int, gains: Any, left: Any) -> int:
    """Gain of every legal recruit from a row into `gains` (96); returns the best's index or -1.

    A gain is worth after minus worth before, in hundredths; NONE where the recruit is illegal.
    `left` (96, 2) takes the gold and the keys gained.
    """
    seat = int(g.seat)
    before = worth(g, seat)
    cells, gold, discount = LEGAL_CELLS[g.occupied[seat]], int(g.gold[seat]), discounts(g, seat)
    best, most = -1, NONE
    gains[:] = NONE
    for cell in range(16):
        if not cells[cell]:
            continue
        down = worth_face_down(g, s, seat, cell) - before
        for slot in range(ROW_SIZE):
            token = int(g.row[place, slot])
            up_at, down_at = 32 * slot + cell, 32 * slot + 16 + cell
            if token == 0:
                continue
            gains[down_at] = down
            left[down_at, 0], left[down_at, 1] = FACE_DOWN_GOLD, FACE_DOWN_KEYS
            if down > most:
                best, most = down_at, down
            paid = price(token, discount)
            if paid <= gold:
                up = worth_face_up(g, s, seat, token, paid, cell, left[up_at]) - before
                gains[up_at] = up
                if up > most:
                    best, most = up_at, up
    return best


@kernel
def can_move(g: Any) -> bool:
    """Whether the Messenger can be moved by a key now."""
    return g.phase == TURN and g.keys[g.seat] > 0 and g.exhausted[1 - g.messenger] == 0


@allocating
def greedy(g: Any) -> int:
    """The action that adds most to the seat's own score as it would be now.

    A key counts 1, the Messenger's move is tried, the best option and the dearest card are
    taken, leftover gold breaks ties.
    """
    scratch = np.empty(1, STATE)
    gains, left = np.empty(RECRUITS, np.int32), np.empty((RECRUITS, 2), np.int32)
    scratch[0] = g
    return best_action(g, scratch, gains, left)


@kernel
def best_action(g: Any, scratch: Any, gains: Any, left: Any) -> int:
    """`greedy` with arrays to work on; `scratch` (1,) holds a copy of `g`."""
    s = scratch[0]
    seat = int(g.seat)
    if g.phase == DISCARD:
        return FIRST_DISCARD + dearest(g, discard_place(g))
    if g.phase == OPTION:
        choose(s, seat, 0)
        first = worth(s, seat)
        restore(s, g, seat)
        choose(s, seat, 1)
        return FIRST_OPTION + (1 if worth(s, seat) > first else 0)
    place = int(g.messenger)
    best = gains_of_row(g, s, place, gains, left)
    if can_move(g):
        most = gains[best]
        moved = gains_of_row(g, s, 1 - place, gains, left)
        if gains[moved] - POINT > most:
            return KEY_MOVE
    return FIRST_RECRUIT + best
