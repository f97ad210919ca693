"""Both algorithms learn a game that only a correct return assignment can solve."""

import numpy as np
import pytest
import torch

from castle_envs.agents.policy import PolicyAgent
from castle_envs.engine.batch import Batch
from tests.training.two_decisions import GAME, MOST_POINTS
from training.config import TrainConfig
from training.maskable import MaskableLearner
from training.ppo import PPO


def mean_points(learner, players):
    """Of play sampled from the policy in all seats; the best is MOST_POINTS, chance a third."""
    agent = PolicyAgent(GAME, learner.layout, learner.network, deterministic=False)
    batch = Batch(GAME, 200, num_players=players, seed=9, observation=None)
    rng = np.random.default_rng(0)
    for _ in range(2 * players):
        batch.step(agent.act_batch(batch.states, batch.current_player, rng))
    assert batch.terminated.all()
    return batch.final_scores[:, :players].mean()


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(
    ("algorithm", "module"), [(PPO, "training.ppo"), (MaskableLearner, "training.maskable")]
)
def test_two_decisions_are_learnt(monkeypatch, algorithm, module, players):
    monkeypatch.setattr(f"{module}.game_of", lambda name, options: GAME)
    torch.set_num_threads(1)
    config = TrainConfig(
        players=(players,),
        extras=(),
        reward="score",
        trunk=(32,),
        total_samples=25_000,
        num_envs=64,
        rollout=16,
        epochs=4,
        minibatch=256,
        learning_rate=1e-2,
        pool_every=10_000,
        scripted=("random",),
    )
    learner = algorithm(config)
    assert mean_points(learner, players) < 0.6 * MOST_POINTS
    while learner.samples < config.total_samples:
        learner.iterate()
    assert mean_points(learner, players) > 0.93 * MOST_POINTS
