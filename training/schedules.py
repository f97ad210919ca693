"""Linear schedules over the share of training that is done."""


def linear(start: float, end: float, share: float) -> float:
    """`start` at share 0, `end` from share 1 on."""
    return start + (end - start) * min(max(share, 0.0), 1.0)
