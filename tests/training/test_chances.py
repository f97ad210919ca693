"""Moves drawn from logits."""

import numpy as np
import torch

from castle_envs.agents.networks import NEVER
from training.chances import draw, entropy


def test_moves_are_drawn_by_their_probabilities():
    chances = torch.tensor([0.5, 0.0, 0.3, 0.0, 0.2, 0.0])
    logits = torch.where(chances > 0, chances.log() + 7, torch.tensor(NEVER)).repeat(200_000, 1)
    found = draw(logits, torch.Generator().manual_seed(3))
    assert found.shape == (200_000,) and found.dtype == torch.int64
    shares = np.bincount(found.numpy(), minlength=6) / len(found)
    assert (shares[[1, 3, 5]] == 0).all()
    # Four standard errors.
    assert (abs(shares - chances.numpy()) <= 4 * np.sqrt(0.25 / len(found))).all()


def test_illegal_moves_are_never_drawn(monkeypatch):
    """Neither for the smallest nor for the largest of random numbers, whatever the logits."""
    logits = torch.randn(4_000, 103, generator=torch.Generator().manual_seed(0)) * 10
    legal = torch.rand(4_000, 103, generator=torch.Generator().manual_seed(1)) < 0.1
    legal[:, 50] = True
    logits = logits.masked_fill(~legal, NEVER)
    for number in (0.0, 0.5, 1 - 2**-24):
        monkeypatch.setattr(torch, "rand", lambda *shape, generator, n=number: torch.full(shape, n))
        assert legal.gather(1, draw(logits)[:, None]).all()


def test_streams_are_the_generators_own():
    logits = torch.zeros(50, 9)
    one, two = (draw(logits, torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(one, two)
    assert not torch.equal(one, draw(logits, torch.Generator().manual_seed(6)))


def test_entropy_is_that_of_the_legal_moves():
    logits = torch.tensor([[2.0, 2.0, NEVER, 2.0], [0.0, NEVER, NEVER, NEVER]])
    found = entropy(logits, torch.log_softmax(logits, 1))
    assert torch.allclose(found, torch.tensor([np.log(3), 0.0], dtype=torch.float32))
