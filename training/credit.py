"""Advantages by seat: each seat's trajectory is its own decisions.

A seat is credited with everything that happens until its next own decision, on whoever's turn.
"""

from typing import Any

import numpy as np

from castle_envs.engine.kernel import allocating


@allocating
def advantages(
    seats: Any,
    values: Any,
    payoffs: Any,
    ended: Any,
    last_seats: Any,
    last_values: Any,
    discount: float,
    gae_lambda: float,
    out: Any,
) -> None:
    """Generalised advantage estimates of T x N decisions, into `out` (float32).

    Args:
        seats: int64 (T, N) seat that decided.
        values: float32 (T, N) its value then.
        payoffs: float32 (T, N, P) what the step paid every seat (zero but at a game's end).
        ended: bool (T, N) whether the step ended the game.
        last_seats, last_values: (N,) seat to act after the rollout, and its value.

    A seat that is not to act after the rollout is worth what it was at its last decision.
    """
    steps, rows, most = payoffs.shape
    next_value = np.empty(most, np.float64)
    next_advantage = np.empty(most, np.float64)
    earned = np.empty(most, np.float64)
    known = np.empty(most, np.bool_)  # whether next_value holds something
    for row in range(rows):
        next_advantage[:], earned[:] = 0.0, 0.0
        known[:] = False
        next_value[last_seats[row]], known[last_seats[row]] = last_values[row], True
        for t in range(steps - 1, -1, -1):
            for seat in range(most):
                if ended[t, row]:
                    next_value[seat], next_advantage[seat], earned[seat] = 0.0, 0.0, 0.0
                    known[seat] = True
                earned[seat] += payoffs[t, row, seat]
            seat, value = seats[t, row], values[t, row]
            if not known[seat]:
                next_value[seat], known[seat] = value / discount, True
            delta = earned[seat] + discount * next_value[seat] - value
            advantage = delta + discount * gae_lambda * next_advantage[seat]
            out[t, row] = advantage
            next_value[seat], next_advantage[seat], earned[seat] = value, advantage, 0.0
