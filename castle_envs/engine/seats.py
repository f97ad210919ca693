"""Seats in turn order."""

from castle_envs.engine.kernel import kernel


@kernel
def seat_after(seat: int, steps: int, n: int) -> int:
    """The seat `steps` (0 to n) on, clockwise; without the division that % would cost."""
    other = seat + steps
    return other - n if other >= n else other
