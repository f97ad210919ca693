"""Payoffs by hand from the definitions of the design, and on the environments."""

from itertools import product

import numpy as np
import pytest

from castle_envs import chateau_combo_v0
from castle_envs.engine.rewards import REWARDS, payoffs
from tests.chateau_combo.walk import new_env, visited


def expected(kind, totals, ranks):
    n = len(totals)
    if kind == "outcome":
        winners = ranks.count(0)
        return [(n * (1 / winners if rank == 0 else 0) - 1) / (n - 1) for rank in ranks]
    if kind == "placement":
        places = [sum(other < rank for other in ranks) for rank in ranks]
        ties = [(ranks.count(rank) - 1) / 2 for rank in ranks]
        return [1 - 2 * (place + tie) / (n - 1) for place, tie in zip(places, ties, strict=True)]
    return [
        (own - sum(totals[:i] + totals[i + 1 :]) / (n - 1)) / 50 for i, own in enumerate(totals)
    ]


def paid(kind, totals, ranks):
    out = np.zeros(5, np.float32)
    points, standing = np.zeros(5, np.int32), np.zeros(5, np.int32)
    points[: len(totals)], standing[: len(totals)] = totals, ranks
    payoffs(REWARDS.index(kind), points, standing, len(totals), out)
    assert not out[len(totals) :].any()
    return out[: len(totals)].tolist()


@pytest.mark.parametrize("kind", REWARDS)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_payoffs_of_every_ranking(kind, n):
    for totals in product((40, 55, 70), repeat=n):
        ranks = [sum(other > own for other in totals) for own in totals]
        found = paid(kind, list(totals), ranks)
        assert found == pytest.approx(expected(kind, list(totals), ranks), abs=1e-6)
        assert sum(found) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "totals", "ranks", "wanted"),
    [
        ("outcome", [60, 50], [0, 1], [1, -1]),
        ("outcome", [60, 60], [0, 0], [0, 0]),
        ("outcome", [60, 50, 40], [0, 1, 2], [1, -0.5, -0.5]),
        ("outcome", [60, 60, 40, 40], [0, 0, 2, 2], [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        ("placement", [60, 50, 40], [0, 1, 2], [1, 0, -1]),
        ("placement", [60, 60, 40], [0, 0, 2], [0.5, 0.5, -1]),
        ("placement", [60, 50, 50, 40, 30], [0, 1, 1, 3, 4], [1, 0.25, 0.25, -0.5, -1]),
        ("score", [60, 50], [0, 1], [0.2, -0.2]),
        ("score", [90, 40, 20], [0, 1, 2], [1.2, -0.3, -0.9]),
    ],
)
def test_payoffs_by_hand(kind, totals, ranks, wanted):
    assert paid(kind, totals, ranks) == pytest.approx(wanted)


@pytest.mark.parametrize("kind", REWARDS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_games_pay_what_scores_and_placements_say(kind, players):
    for seed in range(10):
        env = new_env(players, seed, reward=kind)
        for _ in visited(env, seed=seed):
            if not env.terminations[env.agent_selection]:
                assert set(env.rewards.values()) == {0.0}
        totals = [env.infos[agent]["score"] for agent in env.agents]
        ranks = [env.infos[agent]["placement"] - 1 for agent in env.agents]
        assert totals == list(env.scores().values())
        wanted = pytest.approx(expected(kind, totals, ranks), abs=1e-6)
        assert list(env.rewards.values()) == wanted
        assert list(env._cumulative_rewards.values()) == wanted


def test_default_reward_is_the_outcome():
    assert chateau_combo_v0.env().reward == "outcome"
