"""Drawing moves from masked logits, and their entropy, in the ways that are fast.

`exp` of the log probabilities is not: numbers that vanish take it ten times as long, and most moves
are illegal. Nor is `torch.multinomial`, which draws a number for every move instead of one a row.
"""

import torch
from torch import Tensor

BELOW_ONE = 1 - 1e-6  # keeps float32 products below the last partial sum


def draw(logits: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """A move for each row of logits (B, A), by its probability: int64 (B,).

    Moves of probability 0 are never drawn.
    """
    sums = torch.softmax(logits, 1).cumsum(1)
    point = torch.rand(len(logits), 1, generator=generator) * sums[:, -1:] * BELOW_ONE
    return torch.searchsorted(sums, point, right=True).squeeze(1)


def entropy(logits: Tensor, log_probs: Tensor) -> Tensor:
    """Entropies (B,) of the moves, in nats."""
    return -(torch.softmax(logits, 1) * log_probs).sum(1)
