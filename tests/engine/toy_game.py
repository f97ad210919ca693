"""A tiny second game for the engine: Nim with a hidden card.

Players take one to three stones in turn; every stone is a point, the last one five more. Everybody
holds a card of 0 to 3 that only they know and that counts at the end; once a game one may show it,
before taking, for a point.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from castle_envs.engine.aec import CheckedEnv, GameEnv
from castle_envs.engine.checks import (
    entries,
    flag,
    mapping,
    sequence,
    stream_from_text,
    stream_to_text,
    whole,
)
from castle_envs.engine.errors import OptionError, StateError
from castle_envs.engine.game import Game, Options, View, state_dtype
from castle_envs.engine.kernel import kernel
from castle_envs.engine.layout import Segment, positions
from castle_envs.engine.random import below

MOST_PLAYERS, MOST_STONES, CARDS, LAST = 4, 60, 4, 5
SHOW, NUM_ACTIONS = 3, 4
NAMES = ("take 1", "take 2", "take 3", "show")

STATE = state_dtype(
    ("stones", "i2"),
    ("card", "i1", MOST_PLAYERS),
    ("shown", "i1", MOST_PLAYERS),
    ("points", "i2", MOST_PLAYERS),
)
PACKED = np.dtype((np.record, [("num_players", "i1"), ("stones", "i2")]))


@dataclass(frozen=True)
class ToyOptions(Options):
    max_players: ClassVar[int] = MOST_PLAYERS
    stones: int = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.stones <= MOST_STONES:
            raise OptionError(f"stones must be 1 to {MOST_STONES}, got {self.stones!r}")


def pack(options):
    packed = np.zeros(1, PACKED)
    packed["num_players"], packed["stones"] = options.num_players, options.stones
    return packed


@kernel
def new(g: Any, o: Any, seed: Any) -> None:
    g.rng = seed
    g.num_players, g.stones, g.over = o.num_players, o.stones, 0
    for seat in range(MOST_PLAYERS):
        g.shown[seat], g.points[seat] = 0, 0
        g.card[seat] = below(g, CARDS) if seat < g.num_players else 0
    g.seat = below(g, int(g.num_players))


@kernel
def legal(g: Any, mask: Any) -> None:
    mask[:] = 0
    if g.over == 0:
        for taken in range(1, 4):
            mask[taken - 1] = taken <= g.stones
        mask[SHOW] = g.shown[g.seat] == 0


@kernel
def apply(g: Any, action: int) -> None:
    seat = int(g.seat)
    if action == SHOW:
        g.shown[seat] = 1
        g.points[seat] += 1
        return
    g.stones -= action + 1
    g.points[seat] += action + 1
    if g.stones == 0:
        g.points[seat] += LAST
        g.over = 1
    else:
        g.seat = (seat + 1) % int(g.num_players)


@kernel
def scores(g: Any, out: Any) -> None:
    for seat in range(g.num_players):
        out[seat] = g.points[seat] + g.card[seat]


@kernel
def tie_break(g: Any, seat: int) -> int:
    return 0


@kernel
def redeal(g: Any, seat: int, seed: Any) -> None:
    g.rng = seed
    for other in range(g.num_players):
        if other != seat and g.shown[other] == 0:
            g.card[other] = below(g, CARDS)


@kernel
def greedy(g: Any) -> int:
    return SHOW if g.shown[g.seat] == 0 else min(3, int(g.stones)) - 1


SEGMENTS = (
    Segment("stones", (1,), 0, MOST_STONES, "stones left"),
    Segment("cards", ("seats",), -1, CARDS - 1, "cards, own first; -1 for those not known"),
    Segment("points", ("seats",), 0, 99, "points so far"),
    Segment("left", ("others",), 0, 1, "1 for others that have not shown", extra="left"),
)
_AT = positions(SEGMENTS)
AT_STONES, AT_CARDS, AT_POINTS, AT_LEFT = (_AT[s.name] for s in SEGMENTS)


@kernel
def observe(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    out[:] = 0
    out[starts[AT_STONES]] = g.stones
    for i in range(g.num_players):
        other = (seat + i) % int(g.num_players)
        known = i == 0 or g.shown[other] == 1
        out[starts[AT_CARDS] + i] = g.card[other] if known else -1
        out[starts[AT_POINTS] + i] = g.points[other]
        if i > 0 and starts[AT_LEFT] >= 0:
            out[starts[AT_LEFT] + i - 1] = g.shown[other] == 0


class Take(NamedTuple):
    stones: int


class Show(NamedTuple):
    pass


MOVES = (Take(1), Take(2), Take(3), Show())


def deal(states, options, seed, values):
    new(states[0], pack(options)[0], np.uint64(seed))
    cards = values.get("cards")
    n = options.num_players
    if cards is not None:
        if len(cards) != n or not all(0 <= card < CARDS for card in cards):
            raise OptionError(f"cards must be {n} numbers from 0 to {CARDS - 1}, got {cards!r}")
        states["card"][0, :n] = cards


def to_dict(states):
    g = states[0]
    n = int(g.num_players)
    return {
        "stones": int(g.stones),
        "seat": int(g.seat),
        "over": bool(g.over),
        "players": [
            {"card": int(g.card[s]), "shown": bool(g.shown[s]), "points": int(g.points[s])}
            for s in range(n)
        ],
        "rng": stream_to_text(g.rng),
    }


def from_dict(values, check):
    players = sequence(values, "players")
    states = np.zeros(STATE.itemsize, np.uint8).view(STATE)
    g = states[0]
    g.num_players = len(players)
    g.stones = whole(values, "stones", 0, MOST_STONES)
    g.seat = whole(values, "seat", 0, len(players) - 1)
    g.over = flag(values, "over")
    g.rng = stream_from_text(entries(values, "rng"), "rng")
    for seat, player in enumerate(players):
        g.card[seat] = whole(player, "card", 0, CARDS - 1)
        g.shown[seat] = flag(player, "shown")
        g.points[seat] = whole(player, "points", 0, 99)
    if bool(g.over) != (g.stones == 0):
        raise StateError("'over' does not fit the stones")
    options = mapping(values, "options", {})
    return states, ToyOptions(num_players=len(players), **options)


def breakdown(states, seat):
    g = states[0]
    return {"points": int(g.points[seat]), "card": int(g.card[seat])}


GAME = Game(
    name="toy",
    title="Nim with a hidden card",
    version=3,
    schema=1,
    num_actions=NUM_ACTIONS,
    state=STATE,
    options=ToyOptions,
    pack=pack,
    new=new,
    legal=legal,
    apply=apply,
    scores=scores,
    tie_break=tie_break,
    redeal=redeal,
    greedy=greedy,
    views={
        "features": View(SEGMENTS, observe, np.dtype(np.int8), scaled=True),
        "tokens": View(SEGMENTS, observe, np.dtype(np.int16), scaled=False),
    },
    action_names=NAMES,
    deal_keys=("cards",),
    deal=deal,
    decode=MOVES.__getitem__,
    encode=MOVES.index,
    to_dict=to_dict,
    from_dict=from_dict,
    breakdown=breakdown,
    phase_name=lambda g: "over" if g.over else "take or show",
    text=lambda states, last: f"{states[0].stones} stones left; last: {last}",
)


class raw_env(GameEnv):  # noqa: N801 - PettingZoo's name for it
    game = GAME


class env(CheckedEnv):  # noqa: N801 - PettingZoo's name for it
    game = GAME
