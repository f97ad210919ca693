"""MaskablePPO against the pool: legal actions only, opponents that learning leaves alone."""

import numpy as np
import torch

from training.config import TrainConfig
from training.maskable import MaskableLearner


def test_pool_is_frozen_and_fifty_thousand_steps_are_legal():
    torch.set_num_threads(1)
    config = TrainConfig(
        algorithm="maskable_ppo",
        num_envs=256,
        rollout=67,
        epochs=1,
        trunk=(16,),
        pool_every=1,
        pool_size=2,
        total_samples=10**6,
    )
    learner, steps = MaskableLearner(config), 0
    before = None
    while steps < 50_000:
        learner.iterate()
        buffer = learner.model.rollout_buffer
        masks = buffer.action_masks.reshape(-1, learner.game.num_actions)
        actions = buffer.actions.reshape(-1).astype(int)
        assert (masks[np.arange(len(masks)), actions] == 1).all()
        steps += len(actions)
        if before is not None:
            frozen = learner.past[0].network.state_dict()
            assert all(torch.equal(frozen[name], old) for name, old in before.items())
            assert not any(p.requires_grad for p in learner.past[0].network.parameters())
        elif learner.past:
            before = {k: v.clone() for k, v in learner.past[0].network.state_dict().items()}
    assert before is not None and len(learner.past) == 2
    own = learner.network.state_dict()
    assert any(not torch.equal(own[name], old) for name, old in before.items())
    assert set(learner.env.core.lineup.tolist()) == {0, 1, 2, 3}, "all of the pool is drawn"
    shares = np.diff(learner.env.core.opponents.shares, prepend=0)
    assert np.allclose(shares, [0.25] * 4)
