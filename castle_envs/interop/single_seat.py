"""One learner a game against opponents that act in batches: the core of every single-seat face.

After a deal the opponents play until the learner's first decision. A game that an opponent ends
closes the learner's last transition, with its reward. It stands on the batch's compiled drivers,
not on `Batch` itself, whose step deals anew before the end of a game could be looked at.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from castle_envs.engine.checks import check_whole, is_whole
from castle_envs.engine.drivers import drivers_of, observe_rows
from castle_envs.engine.errors import (
    FinishedGameError,
    IllegalActionError,
    OptionError,
    StateError,
)
from castle_envs.engine.game import Game
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import ILLEGAL_REWARD, reward_index
from castle_envs.interop.opponents import Opponents, seat_rows
from castle_envs.interop.streams import RowGenerator

MOST_DEALS = 100
SAVED = ("streams", "choices", "learners", "lineup", "finished", "episode_length")


class SingleSeat:
    """N games with one learner each.

    Row i plays the games of an AEC environment seeded with seed + i; its own stream `choices`
    draws the learner's seat, the line-up and what sampling opponents need. So a row plays the
    same games alone and among others (agents that draw otherwise: see `RowGenerator`).

    Args:
        game: the game.
        num_envs: N, rows.
        opponents: who takes the other seats: a name, agent or callable for all of them; a tuple
            for one each, in turn order after the learner; or a pool from which every game draws:
            a list of such, or of pairs (such, weight).
        weights: how often each entry of the pool is drawn; evenly by default.
        learner_seat: a seat, or "random" for another one every game.
        illegal_action: "raise", or "terminate": the game ends with reward -1.
        auto_reset: deal ended rows anew at once; otherwise they wait for `deal`.
        scaled: observations as float32 in [0, 1] instead of integers; by default as the view says.
        num_players, observation, reward, seats, extras, options: as for the AEC environment.

    Attributes (N rows):
        states: records; learners: int64, seat of the learner; lineup: int64, place in the pool.
        finished: bool, games that ended and wait for a deal.
        action_mask: int8 (N, actions) of the learner, who is to act; zeros where finished.
        episode_length: int64, learner's decisions in the game at hand.
        final_observation: (N, size), of the learner, where the last `step` ended a game.
        final_length: int64 (N,), final_scores: int32 (N, P), final_learners: int64 (N,): of the
            row's last ended game.

    Raises:
        OptionError: a value that is not allowed, or a keyword that does not exist.
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
        auto_reset: bool = True,
        **options: Any,
    ) -> None:
        check_whole("num_envs", num_envs, 1)
        self.game, self.num_envs, self.view = game, int(num_envs), observation
        self.options = game.options.from_keywords(num_players=num_players, **options)
        self.layout = game.layout(observation, game.seats(seats, self.options), extras)
        self.scaled = game.views[observation].scaled if scaled is None else scaled
        self._reward = reward_index(reward)
        n, rows = self.options.num_players, self.num_envs
        if learner_seat == "random":
            self._fixed = -1
        elif is_whole(learner_seat) and 0 <= int(learner_seat) < n:
            self._fixed = int(learner_seat)
        else:
            raise OptionError(
                f'learner_seat must be "random" or 0 to {n - 1}, got {learner_seat!r}'
            )
        if illegal_action not in ("raise", "terminate"):
            raise OptionError(
                f'illegal_action must be "raise" or "terminate", got {illegal_action!r}'
            )
        self.illegal_action, self.auto_reset = illegal_action, auto_reset
        self._packed = np.repeat(game.pack(self.options), rows)
        self._all = np.arange(rows)
        self.states = game.empty(rows)
        self.streams = np.zeros(rows, np.uint64)
        self.choices = np.zeros(rows, np.uint64)
        self.learners = np.zeros(rows, np.int64)
        self.lineup = np.zeros(rows, np.int64)
        self.finished = np.zeros(rows, np.bool_)
        self.action_mask = np.zeros((rows, game.num_actions), np.int8)
        self.episode_length = np.zeros(rows, np.int64)
        self.final_length = np.zeros(rows, np.int64)
        self.final_learners = np.zeros(rows, np.int64)
        self.final_scores = np.zeros((rows, game.options.max_players), np.int32)
        dtype = np.float32 if self.scaled else self.layout.dtype
        self.final_observation = np.zeros((rows, self.layout.size), dtype)
        self._start_seed, self._seeded = seed, False
        self._rng = RowGenerator(self.choices)
        self.set_opponents(opponents, weights)

    def set_opponents(self, opponents: Any, weights: Sequence[float] | None = None) -> None:
        """Change the pool between two steps; see the class for what it may be.

        Games that run keep the place in the pool they drew (modulo its size).

        Raises:
            OptionError: an empty pool, an unknown agent, or weights that do not fit it.
        """
        self.opponents = Opponents(opponents, weights, self.game, self.options.num_players)
        self.lineup %= len(self.opponents.seating)

    # Dealing -----------------------------------------------------------------------------------

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        deal: Mapping[str, Any] | None = None,
    ) -> np.ndarray:
        """Deal new games in all rows; returns the learners' observations, a new array (N, size).

        Args:
            seed: row i from seed + i; a sequence gives each row its own, None lets it go on.
            deal: a given deal, by the keys `game.deal_keys`, for all rows.

        Raises:
            OptionError: a seed that is no whole number, or a deal that is not possible.
        """
        self._seed_rows(seed)
        self.deal(self._all, deal)
        return self.look()

    def _seed_rows(self, seed: Any) -> None:
        if seed is None and not self._seeded:
            seed = seed_stream(None) if self._start_seed is None else self._start_seed
        if seed is None:
            return
        if is_whole(seed):
            seed = [int(seed) + i for i in range(self.num_envs)]
        seeds = list(seed) if isinstance(seed, list | tuple | np.ndarray) else [seed]
        wrong = len(seeds) != self.num_envs
        if wrong or not all(one is None or is_whole(one) for one in seeds):
            raise OptionError(f"seed must be a whole number, or one a row, got {seed!r}")
        for i, one in enumerate(seeds):
            if one is None and self._seeded:
                continue
            first = seed_stream(None if one is None else int(one))
            self.streams[i] = first
            self.choices[i] = next_seed(seed_stream(~first))[1]
            if i == 0:
                self._rng = RowGenerator(self.choices, int(self.choices[0]))
        self._seeded = True

    def deal(self, rows: np.ndarray, given: Mapping[str, Any] | None = None) -> None:
        """Deal new games in some rows and let opponents play up to the learners' first decisions.

        A game that opponents end before the learner had any decision is dealt again.
        """
        drivers, n = drivers_of(self.game), self.options.num_players
        for _ in range(MOST_DEALS):
            if given:
                for i in rows:
                    stream, seed = next_seed(int(self.streams[i]))
                    self.game.deal(self.states[i : i + 1], self.options, seed, given)
                    self.streams[i] = stream
            else:
                drivers.deal_rows(rows, self.states, self._packed, self.streams)
            shares = self.opponents.shares
            seat_rows(rows, self.choices, self._fixed, n, shares, self.learners, self.lineup)
            self.episode_length[rows] = 0
            self.finished[rows] = False
            self._play_opponents(rows)
            rows = rows[self.states["over"][rows] != 0]
            if not len(rows):
                return
        raise OptionError(f"{MOST_DEALS} deals in a row ended before the learner could act")

    def _play_opponents(self, rows: np.ndarray) -> None:
        self.opponents.play(rows, self.states, self.learners, self.lineup, self._rng)

    # Playing -----------------------------------------------------------------------------------

    def step(
        self, actions: np.ndarray, active: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play the learners' actions, then the opponents until every learner is to act again.

        Args:
            actions: integers (N,).
            active: bool (N,) rows that act; the others stay as they are. All by default.

        Returns:
            observations (N, size), rewards float32 (N,), ended bool (N,), all new arrays. With
            `auto_reset` the observation of an ended row is that of its new game.

        Raises:
            IllegalActionError: with `illegal_action="raise"`; nothing has changed.
            FinishedGameError: a finished row that was not dealt anew is active.
        """
        acting = np.ones(self.num_envs, np.bool_) if active is None else active
        if (acting & self.finished).any():
            row = int(np.argmax(acting & self.finished))
            raise FinishedGameError(f"the game of row {row} is over: deal a new one first")
        chosen, legal = self._checked(actions, acting)
        rows = np.flatnonzero(acting & legal)
        drivers_of(self.game).apply_rows(rows, self.states, chosen[rows])
        self.episode_length += acting
        self._play_opponents(rows)
        ended = acting & (~legal | (self.states["over"] != 0))
        rewards = np.zeros(self.num_envs, np.float32)
        if ended.any():
            self._close(np.flatnonzero(ended), rewards)
            rewards[acting & ~legal] = ILLEGAL_REWARD
        return self.look(), rewards, ended

    def _checked(self, actions: Any, acting: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The actions as int64 (N,), and which of them are legal, bool (N,)."""
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be integers of shape ({self.num_envs},), got {given.dtype} of "
                f"shape {given.shape}"
            )
        inside = (given >= 0) & (given < self.game.num_actions)
        chosen = np.where(inside, given, 0).astype(np.int64)
        legal = inside & (self.action_mask[self._all, chosen] == 1)
        if self.illegal_action == "raise" and not (fine := legal | ~acting).all():
            row = int(np.argmin(fine))
            raise IllegalActionError(
                f"action {int(given[row])} of row {row}, seat {self.learners[row]} is not legal "
                f"now; phase: {self.game.phase_name(self.states[row])}"
            )
        return chosen, legal

    def _close(self, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Pay the learners of rows that ended; deal these anew if that is automatic."""
        learners = self.learners[rows]
        paid = np.zeros((len(rows), self.final_scores.shape[1]), np.float32)
        scores = np.zeros(paid.shape, np.int32)
        drivers_of(self.game).pay_rows(rows, self.states, self._reward, scores, paid)
        self.final_scores[rows], self.final_learners[rows] = scores, learners
        self.final_length[rows] = self.episode_length[rows]
        rewards[rows] = paid[np.arange(len(rows)), learners]
        self.final_observation[rows] = self._observe(self.states[rows], learners)
        self.finished[rows] = True
        if self.auto_reset:
            self.deal(rows)

    # Looking -----------------------------------------------------------------------------------

    def look(self) -> np.ndarray:
        """Fill `action_mask`; returns the learners' observations, a new array (N, size)."""
        current = np.empty(self.num_envs, np.int64)
        drivers_of(self.game).refresh(0, self.num_envs, self.states, self.action_mask, current)
        if not self.auto_reset:
            self.action_mask[self.finished] = 0
        return self._observe(self.states, self.learners)

    def _observe(self, states: np.ndarray, who: np.ndarray) -> np.ndarray:
        layout = self.layout
        out = np.empty((len(states), layout.size), self.final_observation.dtype)
        observe_rows(self.game, layout, states, who, out)
        return out

    # Saving ------------------------------------------------------------------------------------

    def _arrays(self) -> dict[str, np.ndarray]:
        found = {name: getattr(self, name) for name in SAVED}
        return {"states": self.states.view(np.uint8)} | found

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything the games to come depend on but the opponents, as plain arrays (copies).

        `lineup` names the opponents of the games that run by their place in the pool.
        """
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        return arrays | {"shared": self._rng.shared}

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """The inverse of `get_state`, on a core made with the same arguments and the same pool.

        Returns the learners' observations (N, size).

        Raises:
            StateError: an array that is missing or of another size; nothing has changed.
        """
        arrays = self._arrays()
        for name, array in (arrays | {"shared": self._rng.shared}).items():
            if name not in state or state[name].shape != array.shape:
                raise StateError(f"{name!r} is missing or of another size")
        for name, array in arrays.items():
            array[...] = state[name]
        self._rng.shared = state["shared"]
        self._seeded = True
        return self.look()
