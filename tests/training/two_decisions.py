"""A game of two decisions a seat, far apart: learnt only if each is credited with its own return.

Everybody holds a card of 0 to 2 and names a number, all in turn; then all name another. Naming
the card first is worth three points, naming the card plus the first number (modulo 3) second is
worth one; what is paid at the end is the lead over the others. So a return that goes to another
seat, to the last decision only, or with the wrong sign teaches something else.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from castle_envs.engine.game import View, state_dtype
from castle_envs.engine.kernel import kernel
from castle_envs.engine.layout import Segment
from castle_envs.engine.random import below
from castle_envs.engine.seats import seat_after
from tests.engine import toy_game

MOST_PLAYERS, NUMBERS, MOST_POINTS = 4, 3, 4
STATE = state_dtype(
    ("round", "i1"),
    ("first", "i1", MOST_PLAYERS),
    ("card", "i1", MOST_PLAYERS),
    ("points", "i1", MOST_PLAYERS),
)
PACKED = np.dtype((np.record, [("num_players", "i1")]))


@dataclass(frozen=True)
class TwoOptions(toy_game.Options):
    max_players = MOST_PLAYERS


def pack(options):
    packed = np.zeros(1, PACKED)
    packed["num_players"] = options.num_players
    return packed


@kernel
def new(g: Any, o: Any, seed: Any) -> None:
    g.rng = seed
    g.num_players, g.over, g.round, g.seat = o.num_players, 0, 0, 0
    for seat in range(MOST_PLAYERS):
        g.first[seat], g.points[seat] = -1, 0
        g.card[seat] = below(g, NUMBERS) if seat < g.num_players else 0


@kernel
def legal(g: Any, mask: Any) -> None:
    mask[:] = g.over == 0


@kernel
def apply(g: Any, action: int) -> None:
    seat = int(g.seat)
    if g.round == 0:
        g.first[seat] = action
        g.points[seat] = 3 * (action == g.card[seat])
    else:
        g.points[seat] += action == (g.card[seat] + g.first[seat]) % NUMBERS
    g.seat = seat_after(seat, 1, int(g.num_players))
    if g.seat == 0:
        g.round += 1
        g.over = g.round == 2


@kernel
def scores(g: Any, out: Any) -> None:
    for seat in range(g.num_players):
        out[seat] = g.points[seat]


@kernel
def tie_break(g: Any, seat: int) -> int:
    return 0


@kernel
def greedy(g: Any) -> int:
    return int(g.card[g.seat])


SEGMENTS = (
    Segment("card", (NUMBERS,), 0, 1, "one for the own card"),
    Segment("first", (NUMBERS + 1,), 0, 1, "one for the own first number; the last for none yet"),
)


@kernel
def observe(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    out[:] = 0
    out[g.card[seat]] = 1
    out[NUMBERS + (g.first[seat] if g.first[seat] >= 0 else NUMBERS)] = 1


# Saving, given deals and the like are the toy's, and never asked for.
GAME = replace(
    toy_game.GAME,
    name="two_decisions",
    num_actions=NUMBERS,
    state=STATE,
    options=TwoOptions,
    pack=pack,
    new=new,
    legal=legal,
    apply=apply,
    scores=scores,
    tie_break=tie_break,
    greedy=greedy,
    views={"tokens": View(SEGMENTS, observe, np.dtype(np.int8), scaled=False)},
    action_names=("0", "1", "2"),
)
