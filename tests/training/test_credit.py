"""Wrong credit would show here: hand-worked trajectories, payoff sums, through the learner."""

import numpy as np
import pytest
import torch

from castle_envs.games import by_name
from training.config import TrainConfig
from training.credit import advantages
from training.ppo import PPO

SMALL = {"num_envs": 16, "rollout": 8, "minibatch": 32, "trunk": (16,), "total_samples": 256}


def estimate(seats, payoffs, ended, values=None, last_seat=0, last_value=0.0, lam=1.0):
    steps, most = len(seats), 5
    paid = np.zeros((steps, 1, most), np.float32)
    for t, payoff in enumerate(payoffs):
        paid[t, 0, : len(payoff)] = payoff
    value = np.zeros((steps, 1), np.float32)
    if values is not None:
        value[:, 0] = values
    out = np.zeros((steps, 1), np.float32)
    advantages(
        np.array(seats)[:, None],
        value,
        paid,
        np.array(ended)[:, None],
        np.array([last_seat]),
        np.array([last_value], np.float32),
        1.0,
        lam,
        out,
    )
    return out[:, 0].tolist()


def test_a_seat_is_paid_for_what_an_opponent_ends():
    """Seat 0 decides, then seat 1 ends the game: both last decisions carry their payoff."""
    assert estimate([0, 1], [(0, 0), (1, -1)], [False, True]) == [1, -1]


def test_all_decisions_of_a_seat_share_its_payoff():
    found = estimate([0, 0, 1, 0], [(0, 0), (0, 0), (0, 0), (-1, 1)], [False] * 3 + [True])
    assert found == [-1, -1, 1, -1]


def test_games_do_not_leak_into_each_other():
    """Two games in one rollout: the second's payoff never reaches the first."""
    found = estimate([0, 1, 1, 0], [(0, 0), (1, -1), (0, 0), (-1, 1)], [False, True, False, True])
    assert found == [1, -1, 1, -1]


def test_three_players():
    payoffs = [(0, 0, 0), (0, 0, 0), (1, -0.5, -0.5)]
    assert estimate([0, 1, 2], payoffs, [False, False, True]) == [1, -0.5, -0.5]


def test_bootstrap_of_the_actor_and_of_those_who_wait():
    """The rollout stops before seat 0's turn: the actor's value is known, seat 1's is its last."""
    found = estimate(
        [0, 1], [(0, 0), (0, 0)], [False, False], values=[0.1, 0.4], last_seat=0, last_value=0.6
    )
    assert found == pytest.approx([0.6 - 0.1, 0.0])


def test_bootstrap_goes_back_through_all_decisions():
    """Seat 1's last value reaches its first decision, seat 0 having nothing to add."""
    found = estimate(
        [1, 0, 1], [(0, 0)] * 3, [False] * 3, values=[0.1, 0.5, 0.4], last_seat=0, last_value=0.5
    )
    assert found == pytest.approx([0.4 - 0.1, 0.0, 0.0])


def test_lambda_zero_looks_one_own_decision_ahead():
    values = [0.1, 0.2, 0.5, -0.3]
    found = estimate(
        [0, 1, 0, 1], [(0, 0)] * 3 + [(1, -1)], [False] * 3 + [True], values=values, lam=0.0
    )
    assert found == pytest.approx([0.5 - 0.1, -0.3 - 0.2, 1 - 0.5, -1 + 0.3])


@pytest.mark.parametrize("players", [(2,), (3,), (2, 3, 4, 5)])
def test_rollout_payoffs_are_the_engines(players):
    """Every game that ends in a rollout pays zero in sum, and what its final points say."""
    learner = PPO(TrainConfig(players=players, reward="outcome", **SMALL | {"rollout": 64}))
    learner.play()
    paid = learner.rollout.payoff
    assert learner.rollout.ended.any()
    assert not paid[~learner.rollout.ended].any()
    assert np.abs(paid.sum(axis=2)).max() < 1e-6
    assert (np.abs(paid[learner.rollout.ended]).max(axis=1) > 0).mean() > 0.9


@pytest.mark.parametrize("players", [(2,), (2, 3, 4, 5)])
@pytest.mark.parametrize("rivalry", [0.0, 0.25, 1.0])
def test_rivalry_weighs_the_others_points(players, rivalry):
    """By hand: (own - rivalry * mean of the others - (1 - rivalry) * usual points) / 50."""
    config = TrainConfig(
        players=players, rivalry=rivalry, rivalry_end=rivalry, **SMALL | {"rollout": 64}
    )
    learner = PPO(config)
    learner.usual_points = 40.0
    learner.play()
    store, counts = learner.rollout, learner.batch.num_players
    assert store.ended.any() and not store.payoff[~store.ended].any()
    for t, row in np.argwhere(store.ended):
        n = counts[row]
        points = store.points[t, row, :n]
        others = (points.sum() - points) / (n - 1)
        due = (points - rivalry * others - (1 - rivalry) * 40) / 50
        assert np.allclose(store.payoff[t, row, :n], due, atol=1e-6)
        assert not store.payoff[t, row, n:].any()


@pytest.mark.parametrize("players", [(2,), (2, 3, 4, 5)])
def test_games_against_greedy(players):
    """In that share of games one seat learns, another in every game; the others play greedily."""
    learner = PPO(TrainConfig(players=players, greedy_share=0.5, **SMALL | {"rollout": 200}))
    store, batch = learner.rollout, learner.batch
    states, seats, step = [], [], batch.step

    def watched(actions):
        states.append(batch.states.copy())
        seats.append(learner.learning_seat.copy())
        step(actions)

    batch.step = watched
    learner.play()
    learnt = [set() for _ in range(8)]
    for t, now in enumerate(states):
        assert store.own[t, 8:].all()
        for row in range(8):
            own = now[row]["seat"] == seats[t][row]
            assert store.own[t, row] == own
            assert own or store.action[t, row] == learner.game.greedy(now[row])
            learnt[row].add(int(seats[t][row]))
            if t and store.ended[t - 1, row]:
                assert seats[t][row] == (seats[t - 1][row] + 1) % batch.num_players[row]
    assert all(len(found) > 1 for found in learnt)


def test_nothing_is_learnt_from_greedy():
    """Its rows in the rollout may hold anything."""
    learners = [PPO(TrainConfig(greedy_share=0.5, **SMALL)) for _ in range(2)]
    for learner, noise in zip(learners, (0, 7), strict=True):
        learner.play()
        others = ~learner.rollout.own
        assert others.any()
        learner.rollout.advantage[others] = noise
        learner.rollout.log_prob[others] = -noise
        learner.learn()
    one, other = (learner.network.state_dict() for learner in learners)
    assert all(torch.equal(one[k], other[k]) for k in one)


def test_no_illegal_action_in_fifty_thousand_steps():
    """`Batch.step` raises on an illegal action; logits of illegal ones leave them exactly 0."""
    learner = PPO(TrainConfig(**SMALL | {"num_envs": 128, "rollout": 400}))
    learner.play()
    chosen = np.take_along_axis(learner.rollout.action_mask, learner.rollout.action[..., None], 2)
    assert chosen.all() and chosen.size >= 50_000
    logits, _ = learner.network(
        torch.from_numpy(learner.rollout.observation[0]),
        torch.from_numpy(learner.rollout.action_mask[0]),
    )
    probabilities = torch.softmax(logits * 1e3, 1).detach().numpy()
    assert not probabilities[learner.rollout.action_mask[0] == 0].any()


def test_advantages_reach_the_mover_not_the_next_seat():
    """Through the learner: after a won last decision the winner's advantage is the higher one."""
    learner = PPO(TrainConfig(reward="outcome", **SMALL | {"rollout": 64}))
    learner.play()
    store = learner.rollout
    steps, rows = np.nonzero(store.ended)
    seats = store.seat[steps, rows]
    payoff = store.payoff[steps, rows, seats]
    advantage = store.advantage[steps, rows] + store.value[steps, rows]
    assert np.allclose(advantage, payoff, atol=1e-5)


def test_game_by_name_is_one_object():
    assert by_name("chateau_combo") is by_name("chateau_combo")
