"""One learner a game against opponents that act in batches: the core of every single-seat face.

After a deal the opponents play until the learner's first decision. A game that an opponent ends
closes the learner's last transition, with its reward. Rows that end are dealt anew at once.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from castle_envs.agents import Agent, resolve
from castle_envs.engine.drivers import drivers_of, make_observer
from castle_envs.engine.errors import IllegalActionError, OptionError, StateError
from castle_envs.engine.game import Game
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import ILLEGAL_REWARD, reward_index


class SingleSeat:
    """N games with one learner each.

    Args:
        game: the game.
        num_envs: rows.
        opponents: a name, agent or callable, or a list of them: a pool from which every game
            draws the agent of all its other seats.
        weights: how often each opponent of the pool is drawn; evenly by default.
        learner_seat: a seat, or "random" for another one every game.
        scaled: observations as float32 in [0, 1] instead of integers; by default as the view says.
        illegal_action: "raise", or "terminate": the game ends with reward -1.
        num_players, observation, reward, seats, extras, options: as for the AEC environment.

    Attributes (N rows):
        action_mask: int8 (N, actions) of the learner, who is always to act.
        final_observation: (N, size), of the learner, where `step` just ended a game.
        episode_length: int64 (N,) learner's decisions in the game at hand.
        final_length: int64 (N,) and final_scores: int32 (N, P) of the row's last game.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Any = "random",
        weights: Sequence[float] | None = None,
        learner_seat: int | str = "random",
        illegal_action: str = "raise",
        num_players: int = 2,
        observation: str = "features",
        reward: str = "outcome",
        seats: int | None = None,
        extras: Sequence[str] | None = None,
        seed: int | None = None,
        scaled: bool | None = None,
        **options: Any,
    ) -> None:
        self.game, self.num_envs = game, num_envs
        self.options = game.options.from_keywords(num_players=num_players, **options)
        self.layout = game.layout(observation, game.seats(seats, self.options), extras)
        self.scaled = game.views[observation].scaled if scaled is None else scaled
        self._reward = reward_index(reward)
        n = self.options.num_players
        if learner_seat != "random" and learner_seat not in range(n):
            raise OptionError(
                f'learner_seat must be "random" or 0 to {n - 1}, got {learner_seat!r}'
            )
        if illegal_action not in ("raise", "terminate"):
            raise OptionError(
                f'illegal_action must be "raise" or "terminate", got {illegal_action!r}'
            )
        self.learner_seat, self.illegal_action = learner_seat, illegal_action
        self._drivers = drivers_of(game)
        self._see = make_observer(game, observation)
        self._packed = np.repeat(game.pack(self.options), num_envs)
        most = game.options.max_players
        self._buffer = np.zeros(num_envs * game.state.itemsize, np.uint8)
        self.states = game.view(self._buffer)
        self.streams = np.zeros(num_envs, np.uint64)
        self.learners = np.zeros(num_envs, np.int64)
        self.opponent = np.zeros(num_envs, np.int64)
        self.action_mask = np.zeros((num_envs, game.num_actions), np.int8)
        self.episode_length = np.zeros(num_envs, np.int64)
        self.final_length = np.zeros(num_envs, np.int64)
        self.final_scores = np.zeros((num_envs, most), np.int32)
        dtype = np.float32 if self.scaled else self.layout.dtype
        self.final_observation = np.zeros((num_envs, self.layout.size), dtype)
        self.rng = np.random.default_rng(seed)
        self.set_opponents(opponents, weights)
        self._seeded = False
        self._start_seed = seed

    def set_opponents(self, opponents: Any, weights: Sequence[float] | None = None) -> None:
        """Change the pool; games that run keep the place in the pool they drew (modulo its size).

        Raises:
            OptionError: an empty pool, or weights that do not fit it.
        """
        several = isinstance(opponents, list | tuple)
        given = list(opponents) if several else [opponents]
        self.opponents: list[Agent] = [resolve(agent, self.game) for agent in given]
        if not self.opponents:
            raise OptionError("opponents must name at least one agent")
        shares = np.ones(len(given)) if weights is None else np.asarray(weights, float)
        if shares.shape != (len(given),) or (shares < 0).any() or shares.sum() <= 0:
            raise OptionError(f"weights must be {len(given)} numbers from 0 on, not all 0")
        self._weights = shares / shares.sum()
        self.opponent %= len(given)

    # Playing -----------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Deal new games in all rows; returns the learners' observations."""
        if seed is not None or not self._seeded:
            start = self._start_seed if seed is None else seed
            first = seed_stream(start)
            self.streams[:] = [seed_stream(first + i) for i in range(self.num_envs)]
            self.rng = np.random.default_rng(next_seed(first)[1])
            self._seeded = True
        self._deal(np.arange(self.num_envs))
        self._play_opponents()
        return self._look()

    def step(
        self, actions: np.ndarray, active: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play the learners' actions, then the opponents until every learner is to act again.

        Args:
            actions: integers (N,).
            active: bool (N,) rows that act; the others stay as they are. All by default.

        Returns:
            observations (N, size) after any new deal, rewards float32 (N,), ended bool (N,).

        Raises:
            IllegalActionError: with `illegal_action="raise"`; nothing has changed.
        """
        actions = np.asarray(actions).astype(np.int64, casting="safe")
        rewards = np.zeros(self.num_envs, np.float32)
        inside = (actions >= 0) & (actions < self.game.num_actions)
        legal = self.action_mask[np.arange(self.num_envs), np.where(inside, actions, 0)] == 1
        legal &= inside
        acting = np.ones(self.num_envs, np.bool_) if active is None else active
        legal |= ~acting
        if not legal.all() and self.illegal_action == "raise":
            row = int(np.argmin(legal))
            raise IllegalActionError(
                f"action {int(actions[row])} of row {row} is not legal now; phase: "
                f"{self.game.phase_name(self.states[row])}"
            )
        rows = np.flatnonzero(legal & acting)
        self._drivers.apply_rows(rows, self.states, actions[rows])
        self.episode_length += acting
        running = self.states["over"] == 0
        self._play_opponents(legal & running)
        ended = (self.states["over"] != 0) | ~legal
        finished = np.flatnonzero(ended)
        if len(finished):
            self.final_observation[finished] = self._observe(
                self.states[finished], self.learners[finished]
            )
            self.final_length[finished] = self.episode_length[finished]
            self._pay(np.flatnonzero(self.states["over"]), rewards)
            rewards[~legal] = ILLEGAL_REWARD
            self._deal(finished)
            dealt = np.zeros(self.num_envs, np.bool_)
            dealt[finished] = True
            self._play_opponents(dealt)
        return self._look(), rewards, ended

    def _deal(self, rows: np.ndarray) -> None:
        self._drivers.deal_rows(rows, self.states, self._packed, self.streams)
        if self.learner_seat == "random":
            self.learners[rows] = self.rng.integers(0, self.options.num_players, len(rows))
        else:
            self.learners[rows] = int(self.learner_seat)
        self.opponent[rows] = self.rng.choice(len(self.opponents), len(rows), p=self._weights)
        self.episode_length[rows] = 0

    def _play_opponents(self, among: np.ndarray | None = None) -> None:
        """Opponents act, all rows of one opponent together, until none of them is to act."""
        while True:
            waiting = (self.states["over"] == 0) & (self.states["seat"] != self.learners)
            if among is not None:
                waiting &= among
            if not waiting.any():
                return
            for i in np.unique(self.opponent[waiting]):
                agent = self.opponents[i]
                rows = np.flatnonzero(waiting & (self.opponent == i))
                seats = self.states["seat"][rows].astype(np.int64)
                chosen = agent.act_batch(self.states[rows], seats, self.rng)
                wrong = self._drivers.apply_rows(rows, self.states, np.asarray(chosen, np.int64))
                if wrong >= 0:
                    raise IllegalActionError(
                        f"opponent {agent.name!r} chose {int(chosen[wrong])}, not legal in: "
                        f"{self.game.phase_name(self.states[rows[wrong]])}"
                    )

    def _pay(self, rows: np.ndarray, rewards: np.ndarray) -> None:
        paid = np.zeros((len(rows), self.final_scores.shape[1]), np.float32)
        scores = np.zeros((len(rows), self.final_scores.shape[1]), np.int32)
        self._drivers.pay_rows(rows, self.states, self._reward, scores, paid)
        self.final_scores[rows] = scores
        rewards[rows] = paid[np.arange(len(rows)), self.learners[rows]]

    def _look(self) -> np.ndarray:
        current = np.zeros(self.num_envs, np.int64)
        self._drivers.refresh(0, self.num_envs, self.states, self.action_mask, current)
        return self._observe(self.states, self.learners)

    def _observe(self, states: np.ndarray, who: np.ndarray) -> np.ndarray:
        layout = self.layout
        out = np.zeros((len(states), layout.size), layout.dtype)
        self._see(0, len(states), states, who, layout.seats, layout.starts, out)
        return layout.scaled(out) if self.scaled else out

    # Saving ------------------------------------------------------------------------------------

    def _arrays(self) -> dict[str, np.ndarray]:
        return {
            "states": self._buffer,
            "streams": self.streams,
            "learners": self.learners,
            "opponent": self.opponent,
            "episode_length": self.episode_length,
        }

    def get_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Everything the games to come depend on but the opponents: arrays and JSON-ready facts."""
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        return arrays, {"rng": self.rng.bit_generator.state}

    def set_state(self, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> np.ndarray:
        """The inverse of `get_state`; returns the learners' observations."""
        for name, array in self._arrays().items():
            if name not in arrays or arrays[name].shape != array.shape:
                raise StateError(f"{name!r} is missing or of another size")
        for name, array in self._arrays().items():
            array[...] = arrays[name]
        self.rng.bit_generator.state = facts["rng"]
        self._seeded = True
        return self._look()
