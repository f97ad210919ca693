"""sb3-contrib's MaskablePPO on the native VecEnv: one learner a game against a pool of opponents.

The pool holds scripted agents and frozen past selves, added on a schedule; every game draws one.
"""

import copy
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from castle_envs.agents import Agent, resolve
from castle_envs.agents.networks import NetworkSpec, PolicyNetwork
from castle_envs.agents.policy import PolicyAgent
from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Game
from castle_envs.engine.layout import Layout
from castle_envs.games import game_of
from castle_envs.interop.sb3 import SingleSeatVecEnv
from training.chances import draw, entropy
from training.config import TrainConfig
from training.optimizer import optimizer_state, set_optimizer_state
from training.run import pack_arrays, part_of, unpack_arrays
from training.schedules import linear


class NetworkPolicy(MaskableActorCriticPolicy):
    """SB3's policy interface around our network, so that checkpoints are the same for both."""

    make_network: Any = None

    def _build(self, lr_schedule: Any) -> None:
        self.network = type(self).make_network()
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr_schedule(1), eps=1e-5, fused=True
        )

    def _outputs(self, obs: Tensor, action_masks: Any) -> tuple[Tensor, Tensor]:
        if action_masks is None:
            masks = torch.ones((len(obs), self.network.num_actions), dtype=torch.int8)
        else:
            masks = torch.as_tensor(action_masks).reshape(len(obs), -1)
        return self.network(obs, masks)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (B,), values (B, 1) and log probabilities (B,)."""
        logits, value = self._outputs(obs, action_masks)
        log_probs = torch.log_softmax(logits, 1)
        actions = logits.argmax(1) if deterministic else draw(logits)
        return actions, value[:, None], log_probs.gather(1, actions[:, None]).squeeze(1)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values (B, 1), log probabilities (B,) and entropies (B,)."""
        logits, value = self._outputs(obs, action_masks)
        log_probs = torch.log_softmax(logits, 1)
        log_prob = log_probs.gather(1, actions[:, None]).squeeze(1)
        return value[:, None], log_prob, entropy(logits, log_probs)

    def predict_values(self, obs: Tensor) -> Tensor:
        """Values (B, 1)."""
        return self._outputs(obs, None)[1][:, None]

    def _predict(
        self, observation: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> Tensor:
        return self.forward(observation, deterministic, action_masks)[0]


def maskable_ppo(env: VecEnv, game: Game, layout: Layout, config: TrainConfig) -> MaskablePPO:
    """sb3-contrib's algorithm with our network, on any `VecEnv` with that layout's integers."""
    spec = NetworkSpec(tuple(config.trunk), config.card_size)

    class Policy(NetworkPolicy):
        make_network = staticmethod(lambda: PolicyNetwork(game, layout, spec))

    return MaskablePPO(
        Policy,
        env,
        learning_rate=lambda left: linear(config.learning_rate, config.learning_rate_end, 1 - left),
        n_steps=config.rollout,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        gamma=config.discount,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        vf_coef=config.value_weight,
        max_grad_norm=config.gradient_clip,
        seed=config.seed,
        device="cpu",
    )


class FinalScores(BaseCallback):
    """Keeps the learners' final points of the games that end, in a given list."""

    def __init__(self, found: list[np.ndarray]) -> None:
        super().__init__()
        self.found = found

    def _on_step(self) -> bool:
        ended = self.locals["dones"]
        if ended.any():
            core = self.training_env.core
            self.found.append(core.final_scores[ended, core.final_learners[ended]])
        return True


class MaskableLearner:
    """MaskablePPO behind the same interface as `training.ppo.PPO`."""

    def __init__(self, config: TrainConfig) -> None:
        if len(config.players) != 1:
            raise OptionError("maskable_ppo takes one player count; ppo mixes several")
        self.config, self.samples = config, 0
        self.game = game_of(config.game, config.options)
        self.scripted: list[Agent] = [resolve(name, self.game) for name in config.scripted]
        self.env = SingleSeatVecEnv(
            self.game,
            config.num_envs,
            opponents=self.scripted,
            num_players=config.players[0],
            observation=config.observation,
            extras=config.extras,
            reward=config.reward,
            seed=config.seed,
            scaled=False,
            **config.options,
        )
        self.layout = self.env.core.layout
        self.model = maskable_ppo(self.env, self.game, self.layout, config)
        self.model.set_logger(Logger(None, []))
        self.network: PolicyNetwork = self.model.policy.network
        self.finished_scores: list[np.ndarray] = []
        watching = FinalScores(self.finished_scores)
        _, self.callback = self.model._setup_learn(config.total_samples, watching)
        self.past: list[PolicyAgent] = []
        self.added = 0

    def iterate(self) -> dict[str, float]:
        """One rollout and its updates; returns what there is to log."""
        c, model = self.config, self.model
        if self.samples >= (self.added + 1) * c.pool_every:
            self._freeze()
        model.collect_rollouts(self.env, self.callback, model.rollout_buffer, c.rollout)
        self.samples = model.num_timesteps
        model._update_current_progress_remaining(self.samples, c.total_samples)
        model.ent_coef = linear(c.entropy, c.entropy_end, self.samples / c.total_samples)
        model.train()
        facts = {k.removeprefix("train/"): float(v) for k, v in model.logger.name_to_value.items()}
        if self.finished_scores:
            facts["score"] = float(np.concatenate(self.finished_scores).mean())
            self.finished_scores.clear()
        if model.ep_info_buffer:
            facts["episode_return"] = float(np.mean([e["r"] for e in model.ep_info_buffer]))
        return facts

    def _freeze(self) -> None:
        """Add the present self to the pool, in place of the oldest where it is full."""
        self._put(self.added % self.config.pool_size, copy.deepcopy(self.network))
        self.added += 1
        self._mix()

    def _put(self, place: int, network: PolicyNetwork) -> None:
        agent = PolicyAgent(
            self.game, self.layout, network.requires_grad_(False), False, f"past-{self.added}"
        )
        if place < len(self.past):
            self.past[place] = agent
        else:
            self.past.append(agent)

    def _mix(self) -> None:
        """Scripted agents take their share of the games, past selves the rest."""
        share = self.config.pool_scripted if self.past else 1.0
        pool: list[tuple[Agent, float]] = []
        pool += [(agent, share / len(self.scripted)) for agent in self.scripted]
        pool += [(agent, (1 - share) / len(self.past)) for agent in self.past]
        self.env.set_opponents(pool)

    # Saving ------------------------------------------------------------------------------------

    def _arrays(self) -> dict[str, np.ndarray]:
        """The games and what the next rollout starts with."""
        return self.env.get_state() | {"last_starts": np.asarray(self.model._last_episode_starts)}

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Tensors and JSON-ready facts that `set_state` continues from."""
        model = self.model
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= optimizer_state("optimizer", model.policy.optimizer)
        for i, agent in enumerate(self.past):
            tensors |= {f"past{i}.{k}": v for k, v in agent.network.state_dict().items()}
        tensors |= pack_arrays("env", self._arrays())
        tensors["torch_rng"] = torch.get_rng_state()
        name, keys, *rest = np.random.get_state()  # noqa: NPY002 - SB3 shuffles with it
        tensors["numpy_rng"] = torch.from_numpy(np.asarray(keys).astype(np.int64))
        more = {
            "numpy_rng": [str(name), *rest],
            "added": self.added,
            "past": len(self.past),
            "updates": model._n_updates,
        }
        return {k: v.clone() for k, v in tensors.items()}, more

    def set_state(self, tensors: dict[str, Tensor], facts: dict[str, Any], samples: int) -> None:
        """Continue where `state` was taken; raises KeyError or RuntimeError on other shapes."""
        model = self.model
        self.network.load_state_dict(part_of(tensors, "network."))
        set_optimizer_state(part_of(tensors, "optimizer."), model.policy.optimizer)
        for i in range(facts["past"]):
            network = PolicyNetwork(self.game, self.layout, self.network.spec)
            network.load_state_dict(part_of(tensors, f"past{i}."))
            self._put(i, network)
        self.added = facts["added"]
        self._mix()
        arrays = unpack_arrays("env", tensors, self._arrays())
        model._last_obs = self.env.set_state(arrays)
        model._last_episode_starts = arrays["last_starts"]
        self.samples = model.num_timesteps = samples
        model._n_updates = facts["updates"]
        torch.set_rng_state(tensors["torch_rng"])
        name, *rest = facts["numpy_rng"]
        keys = tensors["numpy_rng"].numpy().astype(np.uint32)
        np.random.set_state((name, keys, *rest))  # noqa: NPY002
