"""Rewards at the end of a game: zero-sum over the seats, from the final points and ranks."""

from functools import cache
from typing import Any

import numpy as np

from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Game, Kernel
from castle_envs.engine.kernel import kernel

REWARDS = ("outcome", "placement", "score")
SCORE_UNIT = 50.0
ILLEGAL_REWARD = -1.0  # of the offender, where an illegal action ends a game


def reward_index(name: str) -> int:
    """The place of a reward kind in REWARDS; raises OptionError on another name."""
    if name not in REWARDS:
        raise OptionError(f"reward must be one of {', '.join(REWARDS)}, got {name!r}")
    return REWARDS.index(name)


@kernel
def payoffs(kind: int, points: Any, ranks: Any, n: Any, out: Any) -> None:
    """Fill `out[:n]` (float32) with the rewards of `kind`, an index into REWARDS.

    outcome: (n * share - 1) / (n - 1), share = 1/k for k shared winners, else 0.
    placement: linear from +1 (first) to -1 (last), ties averaged over the places they take.
    score: own points minus the mean of the others', over 50.
    """
    winners, total = 0, 0
    for seat in range(n):
        winners += ranks[seat] == 0
        total += points[seat]
    for seat in range(n):
        if kind == 0:
            share = 1.0 / winners if ranks[seat] == 0 else 0.0
            out[seat] = (n * share - 1.0) / (n - 1)
        elif kind == 1:
            tied = 0
            for other in range(n):
                tied += ranks[other] == ranks[seat]
            place = ranks[seat] + (tied - 1) / 2.0
            out[seat] = 1.0 - 2.0 * place / (n - 1)
        else:
            own = points[seat]
            out[seat] = (own - (total - own) / (n - 1.0)) / SCORE_UNIT


@cache
def make_ranks(game: Game) -> Kernel:
    """The kernel `ranks(g, points, out)` of a game: per seat, how many stand strictly better.

    `points` are those of `game.scores`; `out` takes int32.
    """
    tie_break = game.tie_break

    @kernel
    def ranks(g: Any, points: Any, out: Any) -> None:
        n = np.int64(g.num_players)
        for seat in range(n):
            out[seat] = 0
            for other in range(n):
                if points[other] > points[seat]:
                    out[seat] += 1
                elif points[other] == points[seat] and other != seat:
                    out[seat] += tie_break(g, other) > tie_break(g, seat)

    return ranks


@cache
def make_returns(game: Game) -> Kernel:
    """The kernel `returns(g, kind, points, ranks, out)` of a game.

    Fills the scratch arrays `points` and `ranks` (int32) on the way.
    """
    scores, rank_seats = game.scores, make_ranks(game)

    @kernel
    def returns(g: Any, kind: int, points: Any, ranks: Any, out: Any) -> None:
        scores(g, points)
        rank_seats(g, points, ranks)
        payoffs(kind, points, ranks, np.int64(g.num_players), out)

    return returns
