"""Gymnasium: the checkers, autoreset modes, arrays that callers may keep."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import castle_envs  # noqa: F401 - registers
from castle_envs.engine.errors import FinishedGameError, IllegalActionError, OptionError
from castle_envs.interop.gymnasium_vector import SingleSeatVectorEnv


@pytest.mark.parametrize("observation", ["features", "tokens"])
@pytest.mark.parametrize(
    ("name", "players"),
    [("ChateauCombo", 2), ("ChateauCombo", 5), ("CastleUp", 2), ("CastleUp", 4)],
)
def test_check_env(name, players, observation):
    """Both checkers; whatever they warn about is an error here."""
    env = gymnasium.make(f"castle_envs/{name}-v0", num_players=players, observation=observation)
    check_env(env.unwrapped)
    sb3_check_env(env.unwrapped, warn=True)


def test_natural_ends_terminate_only():
    env = gymnasium.make("castle_envs/ChateauCombo-v0", opponents="greedy").unwrapped
    rng = np.random.default_rng(0)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            assert info["action_mask"].dtype == np.int8 and info["action_mask"].any()
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            observation, reward, over, truncated, info = env.step(action)
            assert env.observation_space.contains(observation) and not truncated
            assert over or reward == 0
        assert reward in (-1, 0, 1) and not info["action_mask"].any()
        assert len(info["scores"]) == 2


def test_illegal_action_ends_with_minus_one():
    env = gymnasium.make("castle_envs/ChateauCombo-v0").unwrapped
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = env.step(102)
    assert (reward, terminated, truncated) == (-1, True, False)


def play(env, steps, seed=3):
    rng = np.random.default_rng(0)
    seen = [env.reset(seed=seed)]
    for _ in range(steps):
        masks = seen[-1][-1]["action_mask"]
        seen.append(env.step(np.array([rng.choice(np.flatnonzero(m)) for m in masks])))
    return seen


def test_same_step():
    env = gymnasium.make_vec("castle_envs/ChateauCombo-v0", num_envs=8)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen = play(env, 40)
    ends = 0
    for observation, rewards, ended, truncated, info in seen[1:]:
        assert not truncated.any() and not rewards[~ended].any()
        assert info["action_mask"].any(1).all()
        if ended.any():
            ends += ended.sum()
            last = np.stack(info["final_obs"][ended])
            assert (last != observation[ended]).any(1).all()
            assert (info["_final_obs"] == ended).all()
    assert ends > 8


def test_next_step():
    env = SingleSeatVectorEnv("chateau_combo", 8, autoreset_mode="NextStep")
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    seen = play(env, 60)
    waiting = np.zeros(8, bool)
    ends = 0
    for _, rewards, ended, _, info in seen[1:]:
        assert not (waiting & ended).any() and not rewards[waiting].any()
        assert (info["action_mask"][ended] == 1).all(), "a finished row shows an all-ones mask"
        waiting, ends = ended, ends + ended.sum()
    assert ends > 8


def test_returned_arrays_are_the_callers():
    env = SingleSeatVectorEnv("chateau_combo", 4)
    observation, info = env.reset(seed=1)
    kept = observation.copy(), info["action_mask"].copy()
    env.step(info["action_mask"].argmax(1))
    assert (observation == kept[0]).all() and (info["action_mask"] == kept[1]).all()


def test_final_infos_are_those_of_single_environments():
    """As Gymnasium's own vector environments give them: an array and a `_name` for each entry."""
    keywords = {"opponents": "greedy", "num_players": 3, "seed": None}
    own = SingleSeatVectorEnv("chateau_combo", 4, **keywords)
    stock = gymnasium.make_vec(
        "castle_envs/ChateauCombo-v0",
        num_envs=4,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        **keywords,
    )
    ends = 0
    for one, other in zip(play(own, 40), play(stock, 40), strict=True):
        assert all((a == b).all() for a, b in zip(one[:-1], other[:-1], strict=True))
        assert one[-1].keys() == other[-1].keys()
        assert (one[-1]["action_mask"] == other[-1]["action_mask"]).all()
        if "final_info" in one[-1]:
            ended = one[-1]["_final_info"]
            ends += ended.sum()
            assert (ended == other[-1]["_final_info"]).all()
            for a, b in zip(one[-1]["final_obs"], other[-1]["final_obs"], strict=True):
                assert (a is None and b is None) or (a == b).all()
            found, expected = one[-1]["final_info"], other[-1]["final_info"]
            assert found.keys() == expected.keys()
            for key in found:
                assert (found[key][ended] == expected[key][ended]).all()
    assert ends > 4


def test_stepping_out_of_order():
    env = gymnasium.make("castle_envs/CastleUp-v0").unwrapped
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    env.step(-1)
    with pytest.raises(FinishedGameError):
        env.step(0)
    env.reset()
    with pytest.raises(IllegalActionError):
        env.step("first")


def test_given_deals_and_seeds_by_row():
    env = gymnasium.make(
        "castle_envs/ChateauCombo-v0", learner_seat=0, opponents="greedy"
    ).unwrapped
    assert env.reset(seed=1, options={"first_player": 0})[1]["learner_seat"] == 0
    assert env.core.episode_length[0] == 0 and env.core.states["seat"][0] == 0
    rows = SingleSeatVectorEnv("chateau_combo", 3)
    observation, _ = rows.reset(seed=[5, 5, 6])
    assert (observation[0] == observation[1]).all() and (observation[0] != observation[2]).any()
    with pytest.raises(OptionError, match="one a row"):
        rows.reset(seed=[1, 2])


def test_a_plain_list_is_one_opponent_a_seat():
    env = gymnasium.make(
        "castle_envs/CastleUp-v0", num_players=3, opponents=["greedy", "random"]
    ).unwrapped
    assert [agent.name for agent in env.core.opponents.agents] == ["greedy", "random"]
    assert env.core.opponents.seating.tolist() == [[0, 1]]
