"""Stable-Baselines3: the native VecEnv under MaskablePPO, and what goes wrong elsewhere."""

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import castle_envs  # noqa: F401 - registers
from castle_envs.engine.errors import StateError
from castle_envs.interop.gymnasium import SingleSeatEnv
from castle_envs.interop.sb3 import SingleSeatVecEnv

torch.set_num_threads(1)  # the networks are tiny


def learner(env, batch_size=32):
    return MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=batch_size, n_epochs=1, seed=0, device="cpu"
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


def make_single():
    return SingleSeatEnv("chateau_combo", illegal_action="raise", num_players=3)


@pytest.mark.parametrize("kind", ["dummy", "spawned"])
def test_stock_vec_envs_play_what_the_native_one_plays(kind):
    if kind == "dummy":
        stock = DummyVecEnv([make_single] * 2)
    else:
        stock = SubprocVecEnv([make_single] * 2, start_method="spawn")
    native = SingleSeatVecEnv("chateau_combo", 2, num_players=3)
    for env in (stock, native):
        env.seed(11)
    assert (stock.reset() == native.reset()).all()
    ends = 0
    for _ in range(60):
        masks = native.action_masks()
        assert (np.stack(stock.env_method("action_masks")) == masks).all()
        one, other = stock.step(masks.argmax(1)), native.step(masks.argmax(1))
        assert all((a == b).all() for a, b in zip(one[:3], other[:3], strict=True))
        for row in np.flatnonzero(one[2]):
            ends += 1
            last = [infos[row]["terminal_observation"] for infos in (one[3], other[3])]
            assert (last[0] == last[1]).all()
            assert not one[3][row]["TimeLimit.truncated"]
    stock.close()
    assert ends > 4


class Payoffs(BaseCallback):
    """Compares the buffer with what the engine's final points are worth to the learner's seat."""

    def __init__(self, core):
        super().__init__()
        self.core, self.games, self.paid, self.held, self.now = core, 0, 0.0, 0.0, []

    def _on_rollout_start(self):
        self.now = []

    def _on_step(self):
        core, n = self.core, self.core.options.num_players
        points = core.final_scores[:, :n].astype(float)
        own = points[np.arange(len(points)), core.final_learners]
        lead = (own - (points.sum(1) - own) / (n - 1)) / 50
        self.games += self.locals["dones"].sum()
        self.now.append(np.where(self.locals["dones"], lead, 0))
        return True

    def _on_rollout_end(self):
        rewards = self.model.rollout_buffer.rewards
        assert np.allclose(rewards, np.array(self.now), atol=1e-6)
        self.paid, self.held = self.paid + np.sum(self.now), self.held + rewards.sum()


@pytest.mark.parametrize(("game", "players"), [("chateau_combo", 3), ("castle_up", 2)])
def test_the_buffer_holds_the_payoffs_of_a_thousand_games(game, players):
    """Through MaskablePPO: each payoff sits on the learner's last decision of its game."""
    env = SingleSeatVecEnv(game, 128, num_players=players, reward="score", seed=1)
    model, seen = learner(env, 2048), Payoffs(env.core)
    while seen.games < 1_000:
        model.learn(128 * 16, callback=seen, reset_num_timesteps=False)
    assert seen.held == pytest.approx(seen.paid, abs=1e-3)


def test_state_round_trip_with_returns():
    env = SingleSeatVecEnv("castle_up", 4, opponents=["random", "greedy"], seed=2)
    env.reset()
    state, twin = env.get_state(), SingleSeatVecEnv("castle_up", 4, opponents=["random", "greedy"])
    seen = twin.set_state(state)
    for _ in range(80):
        actions = env.action_masks().argmax(1)
        one, other = env.step(actions), twin.step(actions)
        assert all((a == b).all() for a, b in zip(one[:3], other[:3], strict=True))
    assert len(seen) == 4
    with pytest.raises(StateError, match="'return'"):
        twin.set_state({k: v for k, v in state.items() if k != "return"})
    with pytest.raises(StateError, match="'shared'"):
        twin.set_state(state | {"shared": np.zeros(2)})
