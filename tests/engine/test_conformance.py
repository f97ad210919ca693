"""PettingZoo's own tests, and a bombardment, over the table of constructor keywords."""

import random
import warnings
from itertools import product

import numpy as np
import pytest

from castle_envs import chateau_combo_v0

with warnings.catch_warnings():  # upstream's tests import an example game the deprecated way
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test

FACES = {"env": chateau_combo_v0.env, "raw_env": chateau_combo_v0.raw_env}
EXTRAS = (None, (), ("gains", "scores", "totals"))
TABLE = [
    (
        face,
        {"num_players": n, "observation": view, "reward": reward, "seats": seats, "extras": extras},
    )
    for face, n, view, reward, seats, extras in product(
        FACES,
        (2, 3, 4, 5),
        ("features", "tokens"),
        ("outcome", "placement", "score"),
        (None, 5),
        EXTRAS,
    )
]


def name_of(row):
    face, keywords = row
    return "-".join([face, *(str(value) for value in keywords.values())])


@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("face", FACES)
def test_api_at_length(face, players, view, capsys):
    api_test(FACES[face](num_players=players, observation=view), num_cycles=1000)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("row", TABLE, ids=name_of)
def test_every_combination_of_keywords(row):
    face, keywords = row
    api_test(FACES[face](**keywords), num_cycles=20)
    env = FACES[face](**keywords)
    bombard(env, games=1, seed=1)


@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("face", FACES)
def test_seed(face, players, view):
    seed_test(lambda: FACES[face](num_players=players, observation=view), num_cycles=60)


@pytest.mark.parametrize("face", FACES)
def test_render(face, capsys):
    """Upstream's test; "human" prints, "ansi" returns the text."""
    render_test(FACES[face])
    assert "to act: player_" in capsys.readouterr().out


def bombard(env, games, seed):
    """Random play with everything checked at every step, dead steps included."""
    rng = random.Random(seed)
    for _ in range(games):
        env.reset()
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            for other in env.possible_agents:
                assert env.observation_space(other).contains(env.observe(other))
            observation, reward, terminated, truncated, info = env.last()
            assert not truncated
            assert set(observation) == {"observation", "action_mask"}
            mask = observation["action_mask"]
            assert mask.any() == (not terminated)
            if terminated:
                paid[agent] += reward
                assert {"score", "placement", "action_text"} == set(info)
                env.step(None)
                continue
            assert reward == 0
            action = rng.choice(np.flatnonzero(mask).tolist())
            assert env.action_space(agent).contains(action)
            env.step(action)
            books = (env.rewards, env.terminations, env.truncations, env.infos)
            assert all(list(book) == env.agents for book in books)
            assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-6)
        assert env.agents == []
        assert sum(paid.values()) == pytest.approx(0, abs=1e-5)
        assert any(paid.values()) or len(set(env.scores().values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("reward", ["outcome", "placement", "score"])
def test_bombardment(players, reward):
    bombard(chateau_combo_v0.env(num_players=players, reward=reward), games=25, seed=players)
