"""Ratings of actions reach the logits of their own actions, with the weight that is learnt."""

import numpy as np
import pytest
import torch

from castle_envs.agents.networks import NetworkSpec, PolicyNetwork
from castle_envs.engine.batch import Batch
from castle_envs.games import game_of

GAME = game_of("chateau_combo", {})
FIRST_RECRUIT = 2  # action of the first entry of the ratings of recruits


@pytest.fixture
def batch():
    return Batch(GAME, 4, seed=1, observation="tokens", extras=("scores", "totals", "gains"))


@pytest.fixture
def network(batch):
    """A network whose trunk is blind, so that only the ratings themselves move its logits."""
    network = PolicyNetwork(GAME, batch.layout, NetworkSpec((8,)))
    with torch.no_grad():
        for weight in network.trunk.parameters():
            weight.zero_()
        network.skip_weights.bias.copy_(torch.tensor([0.5, 0.25, -2.0, 3.0]))
    return network


def change_of_logits(network, batch, entry, by):
    observation = torch.from_numpy(batch.observation.copy())
    everything = torch.ones(len(observation), GAME.num_actions)
    with torch.no_grad():
        before, _ = network(observation, everything)
        observation[:, entry] += by
        after, _ = network(observation, everything)
    return (after - before).numpy()


@pytest.mark.parametrize(
    ("segment", "weight"), [("gains", 0.5), ("gold_gains", 0.25), ("key_gains", -2)]
)
@pytest.mark.parametrize("place", [0, 17, 95])
def test_a_rating_moves_its_own_action(network, batch, segment, weight, place):
    entry = batch.layout.slices[segment].start + place
    expected = np.zeros((4, GAME.num_actions))
    expected[:, FIRST_RECRUIT + place] = weight * 4
    np.testing.assert_allclose(change_of_logits(network, batch, entry, 4), expected, atol=1e-4)


def test_the_best_gain_after_a_move_moves_that_move(network, batch):
    moved = batch.layout.slices["gains_moved"]
    batch.observation[:, moved] = [1, 2, 3, 4, 5, 6]
    expected = np.zeros((4, GAME.num_actions))
    expected[:, 0] = 3.0 * 4  # the third becomes 10, the best was 6
    np.testing.assert_allclose(
        change_of_logits(network, batch, moved.start + 2, 7), expected, atol=1e-4
    )


def test_a_new_network_already_follows_the_gains(batch):
    """Weights of greedy's points at the start, of gold and keys nothing."""
    network = PolicyNetwork(GAME, batch.layout, NetworkSpec((8,)))
    assert network.skip_weights.bias.tolist() == [0.5, 0.0, 0.0, 0.5]
