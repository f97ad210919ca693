"""PettingZoo's own tests on several combinations of keywords, and random play step by step."""

import random
import warnings

import numpy as np
import pytest

from castle_envs import castle_up_v0
from tests.castle_up.positions import seat, table
from tests.castle_up.walk import CASTLES, ROLES

with warnings.catch_warnings():  # upstream's tests import an example game the deprecated way
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, seed_test

FACES = {"env": castle_up_v0.env, "raw_env": castle_up_v0.raw_env}
KEYWORDS = [
    {},
    {"num_players": 3, "reverse": ROLES, "reward": "placement"},
    {"num_players": 4, "castles": "random", "expansion": True, "removal": True},
    {"num_players": 2, "castles": list(CASTLES[:2]), "seats": 4, "observation": "tokens"},
    {"num_players": 3, "free_target": True, "extras": (), "reward": "score"},
    {"num_players": 4, "expansion": True, "observation": "tokens", "removal": ["farm", "dump"]},
]


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
@pytest.mark.parametrize("face", FACES)
def test_api(face, keywords, capsys):
    api_test(FACES[face](**keywords), num_cycles=150)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("keywords", KEYWORDS[:3], ids=str)
def test_seed(keywords):
    seed_test(lambda: castle_up_v0.env(**keywords), num_cycles=40)


def whole_game(env, rng):
    """Random play, everything checked at every step; returns who acted out of turn."""
    env.reset()
    paid = dict.fromkeys(env.possible_agents, 0.0)
    others = set()
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert not truncated
        for other in env.possible_agents:
            seen = env.observe(other)
            assert env.observation_space(other).contains(seen)
            assert other == agent or not seen["action_mask"].any()
        if terminated:
            paid[agent] += reward
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert reward == 0 and observation["action_mask"].any()
        now = env.to_dict()
        if f"player_{now['active']}" != agent:
            others.add(now["state"])
        ids = np.flatnonzero(observation["action_mask"]).tolist()
        fights = [i for i in ids if 38 <= i < 59]
        env.step(rng.choice(fights or [i for i in ids if i] or ids))
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-5)
    assert env.agents == [] and sum(paid.values()) == pytest.approx(0, abs=1e-5)
    return others


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_whole_games_with_decisions_in_the_turn_of_another(keywords):
    env = castle_up_v0.env(**keywords)
    rng, others = random.Random(1), set()
    for _ in range(12):
        others |= whole_game(env, rng)
        if {"DEFENSE", "COMPENSATE"} <= others:
            return
    assert others & {"DEFENSE", "COMPENSATE"}


def test_the_defender_acts_in_the_turn_of_the_attacker():
    """The masks and the agent to act pass to the defender and back."""
    env = table(seat("castle e", "soldiers_barracks"), seat("castle", "farm", "palisade"))
    env.step(env.game.string_to_action("attack 1 on, slot 1"))
    assert env.agent_selection == "player_1" and env.to_dict()["active"] == 0
    assert env.observe("player_1")["action_mask"].sum() == 2
    assert not env.observe("player_0")["action_mask"].any()
    env.step(0)
    # 4 against an endurance of 2 destroys the farm: its owner takes one of 1 M + 2 S.
    assert env.agent_selection == "player_1" and env.to_dict()["state"] == "COMPENSATE"
    env.step(env.game.string_to_action("token supplies"))
    assert env.agent_selection == "player_0" and env.to_dict()["state"] == "MAIN"
    assert not env.observe("player_1")["action_mask"].any()
