"""Stable-Baselines3: the native VecEnv under MaskablePPO, and what goes wrong elsewhere."""

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import castle_envs  # noqa: F401 - registers
from castle_envs.interop.sb3 import SingleSeatVecEnv


def learner(env, **keywords):
    return MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu", **keywords
    )


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_maskable_ppo_runs_without_illegal_actions(players):
    """The environment raises on an illegal action: none is ever chosen."""
    env = SingleSeatVecEnv("chateau_combo", 32, num_players=players, seed=1)
    learner(env).learn(2_048)


def test_maskable_ppo_on_dummy_vec_env():
    def make():
        return gymnasium.make("castle_envs/ChateauCombo-v0", illegal_action="raise").unwrapped

    learner(DummyVecEnv([make] * 4)).learn(512)


def test_infos_of_finished_rows():
    env = SingleSeatVecEnv("chateau_combo", 16, opponents="greedy", seed=1)
    env.reset()
    finished = 0
    for _ in range(40):
        masks = np.stack(env.env_method("action_masks"))
        observation, rewards, ended, infos = env.step(masks.argmax(1))
        for row, info in enumerate(infos):
            assert ("episode" in info) == ended[row]
            assert "TimeLimit.truncated" not in info
            if ended[row]:
                finished += 1
                assert info["episode"]["r"] == rewards[row] and info["episode"]["l"] >= 9
                assert (info["terminal_observation"] != observation[row]).any()
    assert finished > 16


def test_rollout_buffer_keeps_what_it_was_given():
    """Returned arrays are not overwritten: the buffer's observations differ from step to step."""
    env = SingleSeatVecEnv("chateau_combo", 8, seed=1)
    model = learner(env)
    model.learn(8 * 16)
    stored = model.rollout_buffer.observations.reshape(-1, env.observation_space.shape[0])
    assert len(np.unique(stored, axis=0)) > 0.9 * len(stored)


def test_held_references():
    env = SingleSeatVecEnv("chateau_combo", 4, seed=1)
    first = env.reset()
    kept = first.copy()
    mask = env.action_masks()
    env.step(mask.argmax(1))
    assert (first == kept).all()


def test_rewards_in_the_buffer_are_the_payoffs():
    """Through MaskablePPO itself: rewards sit on the learner's last decision of each game."""
    env = SingleSeatVecEnv("chateau_combo", 16, seed=1)
    model = learner(env)
    model.n_steps = 16
    model.learn(16 * 16)
    rewards = model.rollout_buffer.rewards.reshape(-1)
    assert set(np.unique(rewards)) <= {-1.0, 0.0, 1.0} and (rewards != 0).any()
