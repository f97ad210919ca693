"""PPO from self-play in one file: all seats learn, one network, many games at once.

Each seat's trajectory is its own decisions (see credit.py); in a share of the games greedy may have
the other seats. One iteration: play `rollout` steps of
`num_envs` games with the current policy in every seat, then `epochs` passes of clipped policy
updates over these N x T decisions.
"""

import time
from typing import Any

import numpy as np
import torch
from torch import nn

from castle_envs.agents.networks import NetworkSpec, PolicyNetwork
from castle_envs.engine.batch import Batch
from castle_envs.engine.drivers import drivers_of
from castle_envs.engine.rewards import SCORE_UNIT
from castle_envs.games import game_of
from training.chances import draw, entropy
from training.config import TrainConfig
from training.credit import advantages
from training.optimizer import optimizer_state, set_optimizer_state
from training.run import pack_arrays, part_of, unpack_arrays
from training.schedules import linear


class Rollout:
    """Storage of T x N decisions."""

    def __init__(self, batch: Batch, steps: int) -> None:
        n, most = batch.num_envs, batch.rewards.shape[1]
        assert batch.observation is not None
        shape = (steps, n)
        self.observation = np.zeros((*shape, batch.observation.shape[1]), batch.observation.dtype)
        self.action_mask = np.zeros((*shape, batch.action_mask.shape[1]), np.int8)
        self.action = np.zeros(shape, np.int64)
        self.log_prob = np.zeros(shape, np.float32)
        self.value = np.zeros(shape, np.float32)
        self.seat = np.zeros(shape, np.int64)
        self.payoff = np.zeros((*shape, most), np.float32)
        self.points = np.zeros((*shape, most), np.float32)
        self.ended = np.zeros(shape, np.bool_)
        self.own = np.ones(shape, np.bool_)  # not greedy's
        self.advantage = np.zeros(shape, np.float32)

    def paid(self, num_players: np.ndarray) -> np.ndarray:
        """bool (T, N, P): the seats of games that a step ended."""
        playing = np.arange(self.payoff.shape[2]) < num_players[:, None]
        return self.ended[..., None] & playing

    def flat(self, name: str) -> torch.Tensor:
        """One field as a tensor with T and N joined."""
        array = getattr(self, name)
        return torch.from_numpy(array.reshape(-1, *array.shape[2:]))


class PPO:
    """The learner: network, optimiser, games and random streams.

    Everything it needs to go on is in `state()`; a learner restored by `set_state` continues
    bit for bit as the saved one would have.
    """

    def __init__(self, config: TrainConfig) -> None:
        self.config = config
        self.game = game_of(config.game, config.options)
        players = list(config.players)
        self.batch = Batch(
            self.game,
            config.num_envs,
            num_players=players[0] if len(players) == 1 else players,
            seed=config.seed,
            observation=config.observation,
            extras=config.extras,
            reward=config.reward,
            **config.options,
        )
        assert self.batch.layout is not None
        self.layout = self.batch.layout
        self.samples = 0
        torch.manual_seed(config.seed)
        self.sampler = torch.Generator().manual_seed(config.seed + 1)
        spec = NetworkSpec(tuple(config.trunk), config.card_size)
        self.network = PolicyNetwork(self.game, self.layout, spec)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, eps=1e-5, fused=True
        )
        self.rollout = Rollout(self.batch, config.rollout)
        self.usual_points: float | None = None
        # Of the first rows, the seat that learns; greedy has the others. It changes every game.
        self.learning_seat = np.arange(round(config.greedy_share * config.num_envs))
        self.learning_seat %= self.batch.num_players[: len(self.learning_seat)]
        self._spread_ages()

    def _spread_ages(self) -> None:
        """Bring the games to different ages, so that a rollout holds every part of a game."""
        longest = 60
        start = np.arange(self.config.num_envs) * longest // self.config.num_envs
        for step in range(longest):
            young = self.batch.get_state()
            self.batch.step_random()
            if step >= longest - 1:
                break
            aged = self.batch.get_state()
            keep = start <= step
            for name, array in aged.items():
                array[keep] = young[name][keep]
            self.batch.set_state(aged)

    @property
    def share_done(self) -> float:
        """Part of the training that is over, 0 to 1."""
        return self.samples / self.config.total_samples

    def iterate(self) -> dict[str, float]:
        """One rollout and its updates; returns what there is to log."""
        start, store = time.perf_counter(), self.rollout
        self.play()
        played = time.perf_counter()
        facts = self.learn()
        paid = store.paid(self.batch.num_players)
        paid[:, : len(self.learning_seat)] = False
        if paid.any():
            facts["score"] = float(store.points[paid].mean())
        facts["play_seconds"] = played - start
        facts["learn_seconds"] = time.perf_counter() - played
        self.samples += int(store.own.sum())
        return facts

    @torch.no_grad()
    def play(self) -> None:
        """Fill the rollout with the current policy in all seats, and its advantages."""
        batch, store = self.batch, self.rollout
        assert batch.observation is not None
        for t in range(self.config.rollout):
            store.observation[t] = batch.observation
            store.action_mask[t] = batch.action_mask
            store.seat[t] = batch.current_player
            logits, value = self.network(
                torch.from_numpy(store.observation[t]), torch.from_numpy(store.action_mask[t])
            )
            log_probs = torch.log_softmax(logits, 1)
            action = draw(logits, self.sampler)
            store.action[t] = action.numpy()
            store.log_prob[t] = log_probs.gather(1, action[:, None]).squeeze(1).numpy()
            store.value[t] = value.numpy()
            self._play_greedy(t)
            batch.step(store.action[t])
            store.payoff[t] = batch.rewards
            store.ended[t] = batch.terminated
            store.points[t] = np.where(batch.terminated[:, None], batch.final_scores, 0)
            k = len(self.learning_seat)
            self.learning_seat += batch.terminated[:k]
            self.learning_seat %= batch.num_players[:k]
        self._temper_rivalry()
        _, last = self.network(
            torch.from_numpy(batch.observation), torch.from_numpy(batch.action_mask)
        )
        advantages(
            store.seat,
            store.value,
            store.payoff,
            store.ended,
            batch.current_player,
            last.numpy(),
            self.config.discount,
            self.config.gae_lambda,
            store.advantage,
        )

    def _play_greedy(self, t: int) -> None:
        """Put greedy's moves where it is greedy's turn."""
        batch, store, k = self.batch, self.rollout, len(self.learning_seat)
        store.own[t, :k] = batch.current_player[:k] == self.learning_seat
        rows = np.flatnonzero(~store.own[t])
        if len(rows):
            actions = np.zeros(len(rows), np.int64)
            drivers_of(self.game).greedy(batch.get_rows(rows), actions)
            store.action[t, rows] = actions

    def _temper_rivalry(self) -> None:
        """Count the others' points in the payoffs as much as the present rivalry says.

        Own points count from the first rollout's mean, so that values start near 0.
        """
        c, store = self.config, self.rollout
        later = (self.share_done - c.rivalry_from) / max(1e-9, c.rivalry_until - c.rivalry_from)
        weight = linear(c.rivalry, c.rivalry_end, later)
        if c.reward != "score" or weight == 1:
            return
        paid = store.paid(self.batch.num_players)
        if self.usual_points is None and paid.any():
            self.usual_points = float(store.points[paid].mean())
        own = np.where(paid, (store.points - (self.usual_points or 0.0)) / SCORE_UNIT, 0)
        store.payoff += (1 - weight) * (own - store.payoff)

    def learn(self) -> dict[str, float]:
        """Clipped updates over the rollout."""
        c, store = self.config, self.rollout
        rate = linear(c.learning_rate, c.learning_rate_end, self.share_done)
        entropy_weight = linear(c.entropy, c.entropy_end, self.share_done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        observation, mask = store.flat("observation"), store.flat("action_mask")
        action, old_log_prob = store.flat("action"), store.flat("log_prob")
        advantage, old_value = store.flat("advantage"), store.flat("value")
        target = advantage + old_value
        own = torch.from_numpy(np.flatnonzero(store.own))
        advantage = (advantage - advantage[own].mean()) / (advantage[own].std() + 1e-8)
        totals: dict[str, Any] = dict.fromkeys(("policy_loss", "value_loss", "entropy", "kl"), 0.0)
        batches = 0
        for _ in range(c.epochs):
            order = own[torch.randperm(len(own), generator=self.sampler)]
            for pick in torch.split(order, c.minibatch):
                logits, value = self.network(observation[pick], mask[pick])
                log_probs = torch.log_softmax(logits, 1)
                log_prob = log_probs.gather(1, action[pick, None]).squeeze(1)
                disorder = entropy(logits, log_probs).mean()
                ratio = (log_prob - old_log_prob[pick]).exp()
                gain = advantage[pick]
                clipped = ratio.clamp(1 - c.clip, 1 + c.clip)
                policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
                value_loss = (value - target[pick]).square().mean()
                loss = policy_loss + c.value_weight * value_loss - entropy_weight * disorder
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), c.gradient_clip)
                self.optimizer.step()
                with torch.no_grad():
                    totals["policy_loss"] += policy_loss.item()
                    totals["value_loss"] += value_loss.item()
                    totals["entropy"] += disorder.item()
                    totals["kl"] += (old_log_prob[pick] - log_prob).mean().item()
                batches += 1
        facts = {name: total / batches for name, total in totals.items()}
        return {**facts, "learning_rate": rate, "entropy_weight": entropy_weight}

    # Saving ------------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """Tensors and JSON-ready facts that `set_state` continues from."""
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= optimizer_state("optimizer", self.optimizer)
        tensors["sampler"] = self.sampler.get_state()
        tensors["learning_seat"] = torch.from_numpy(self.learning_seat)
        tensors |= pack_arrays("batch", self.batch.get_state())
        return {k: v.clone() for k, v in tensors.items()}, {"usual_points": self.usual_points}

    def set_state(
        self, tensors: dict[str, torch.Tensor], facts: dict[str, Any], samples: int
    ) -> None:
        """Continue where `state` was taken; raises KeyError or RuntimeError on other shapes."""

        self.samples, self.usual_points = samples, facts["usual_points"]
        self.network.load_state_dict(part_of(tensors, "network."))
        set_optimizer_state(part_of(tensors, "optimizer."), self.optimizer)
        self.sampler.set_state(tensors["sampler"])
        self.learning_seat[:] = tensors["learning_seat"].numpy()
        self.batch.set_state(unpack_arrays("batch", tensors, self.batch.get_state()))
