"""The two baselines that need no learning: uniform random, and greedy."""

import numpy as np

from castle_envs.agents.base import BatchAgent, rng_from
from castle_envs.engine.drivers import drivers_of
from castle_envs.engine.game import Game


class RandomAgent(BatchAgent):
    """Uniform over the legal actions."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game, self.name = game, "random"
        self._rng = rng_from(seed)

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """A uniform legal action, from the agent's own generator."""
        return int(self._rng.choice(np.flatnonzero(action_mask)))

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Uniform legal actions, int64 (N,)."""
        n = len(states)
        actions = np.zeros(n, np.int64)
        streams = rng.integers(0, 2**64, n, np.uint64)
        drivers_of(self.game).sample(0, n, streams, states, actions)
        return actions


class GreedyAgent(BatchAgent):
    """Takes what adds most to its own score as it would be now (the game's `greedy` kernel)."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game, self.name = game, "greedy"

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Greedy actions, int64 (N,)."""
        actions = np.zeros(len(states), np.int64)
        drivers_of(self.game).greedy(states, actions)
        return actions
