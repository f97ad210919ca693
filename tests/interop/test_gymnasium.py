"""Gymnasium: the checkers, autoreset modes, arrays that callers may keep."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import castle_envs  # noqa: F401 - registers
from castle_envs.interop.gymnasium_vector import SingleSeatVectorEnv


@pytest.mark.parametrize("observation", ["features", "tokens"])
@pytest.mark.parametrize("players", [2, 5])
def test_check_env(observation, players):
    env = gymnasium.make(
        "castle_envs/ChateauCombo-v0", num_players=players, observation=observation
    )
    check_env(env.unwrapped, skip_render_check=True)
    if observation == "features":
        sb3_check_env(env.unwrapped, warn=False)


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


def test_vector_rows_start_as_single_environments():
    """Row i of a vector environment is dealt what a single one is from seed + i."""
    vector = SingleSeatVectorEnv("chateau_combo", 3, opponents="greedy", learner_seat=0)
    rows, _ = vector.reset(seed=10)
    for i in range(3):
        single = gymnasium.make(
            "castle_envs/ChateauCombo-v0", opponents="greedy", learner_seat=0
        ).unwrapped
        assert (single.reset(seed=10 + i)[0] == rows[i]).all()
