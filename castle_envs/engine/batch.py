"""N games at once in arrays, with auto-reset: the fast way to play, train and evaluate."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from castle_envs.engine.checks import check_whole
from castle_envs.engine.crew import Crew
from castle_envs.engine.drivers import drivers_of, how_to_look, make_stepper, observe_rows
from castle_envs.engine.errors import IllegalActionError, OptionError, StateError
from castle_envs.engine.game import Game
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import reward_index


class Batch:
    """N independent games of one kind, stepped together.

    Row i plays the games that an AEC environment plays after `reset(seed=seed + i)` and further
    `reset()`s. All arrays are preallocated and overwritten by every call: copy what you keep.
    They never move, so that `torch.from_numpy(batch.observation)` shows every later step. What
    methods and `final_observation` return is new and yours, `sample_actions` excepted.

    Args:
        game: the game.
        num_envs: N, rows of the batch.
        num_players: seats of every game, or a list of counts that the rows take in turn.
        seed: starts the rows' random streams; None for a fresh one.
        threads: that share a step's rows; worth it from some hundred rows on. They watch for the
            next step for some tenths of a millisecond before they sleep.
        observation: "features", "tokens" or None.
        dtype: of `observation`; the view's own integers by default, float32 for values in [0, 1].
        reward: "outcome", "placement" or "score".
        seats: seats of the layout: `num_players`, or the game's maximum for mixed counts.
        extras: optional observation groups, None for the game's default ones.
        options: further options of the game.

    Attributes (P = most players of the game):
        observation: (N, size) of the seat to act, after auto-reset; None without a view.
        action_mask: int8 (N, num_actions) of the seat to act.
        current_player: int64 (N,) seat to act.
        rewards: float32 (N, P) of this step: zero but where a game just ended.
        terminated: bool (N,) whether this step ended a game (the row already holds a new one).
        episode_length: int64 (N,) decisions taken in the running game.
        final_rewards, final_scores, final_ranks (seats that stood better), final_length,
            final_states: of the row's last ended game.
        final_observation: (N, size), computed when asked for, by the seat that ended the game;
            `observe(seats, final_states)` for other seats.
        actions: int64 (N,) what `step` played or `sample_actions` drew.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int | Sequence[int] = 2,
        seed: int | None = None,
        threads: int = 1,
        observation: str | None = "features",
        dtype: DTypeLike | None = None,
        reward: str = "outcome",
        seats: int | None = None,
        extras: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        check_whole("num_envs", num_envs, 1)
        check_whole("threads", threads, 1)
        self.game, self.num_envs, self.threads = game, int(num_envs), int(threads)
        mixed = isinstance(num_players, Sequence)
        counts = list(num_players) if isinstance(num_players, Sequence) else [num_players]
        if not counts:
            raise OptionError("num_players must be a count or a list of counts, got []")
        kinds = [game.options.from_keywords(num_players=count, **options) for count in counts]
        most = game.options.max_players
        packed = [game.pack(kind) for kind in kinds]
        n = self.num_envs
        self._options = np.concatenate([packed[i % len(packed)] for i in range(n)])
        self.num_players = np.array([kinds[i % len(kinds)].num_players for i in range(n)])
        if seats is None and mixed:
            seats = most
        self.seats = game.seats(seats, max(kinds, key=lambda kind: kind.num_players))
        self._reward = reward_index(reward)
        self._drivers = drivers_of(game)

        self.states = game.empty(n)
        self.final_states = game.empty(n)
        self._streams = np.zeros(n, np.uint64)
        self._samplers = np.zeros(n, np.uint64)
        self.action_mask = np.zeros((n, game.num_actions), np.int8)
        self.current_player = np.zeros(n, np.int64)
        self.rewards = np.zeros((n, most), np.float32)
        self.terminated = np.zeros(n, np.bool_)
        self.episode_length = np.zeros(n, np.int64)
        self.final_rewards = np.zeros((n, most), np.float32)
        self.final_scores = np.zeros((n, most), np.int32)
        self.final_ranks = np.zeros((n, most), np.int32)
        self.final_length = np.zeros(n, np.int64)
        self.actions = np.zeros(n, np.int64)
        self._set_up_view(observation, dtype, extras)
        self._crew = self._hire()
        self.reset(seed)

    def _set_up_view(
        self, view: str | None, dtype: DTypeLike | None, extras: Sequence[str] | None
    ) -> None:
        self.observation: np.ndarray | None = None
        self.layout = None
        if view is None:
            return
        self.layout = self.game.layout(view, self.seats, extras)
        own = self.game.views[view].dtype
        chosen = np.dtype(own if dtype is None else dtype)
        if chosen != np.float32 and (chosen.kind != "i" or chosen.itemsize < own.itemsize):
            raise OptionError(f"dtype must be float32 or an integer from {own} on, got {chosen}")
        self.observation = np.zeros((self.num_envs, self.layout.size), chosen)

    def _hire(self) -> Crew:
        played = (
            self._reward,
            self.states,
            self._options,
            self._streams,
            self._samplers,
            self.action_mask,
            self.current_player,
            self.rewards,
            self.terminated,
            self.episode_length,
            self.final_states,
            self.final_rewards,
            self.final_scores,
            self.final_ranks,
            self.final_length,
            self.actions,
        )
        view, layout, out = next(iter(self.game.views)), self.layout, self.observation
        if layout is None or out is None:
            layout = self.game.layout(view, self.seats, ())
            out = np.zeros((0, 0), layout.dtype)
        scaled = out.dtype == np.float32
        step = make_stepper(self.game, layout.view, scaled)
        hands = [(played, how_to_look(layout, scaled), out) for _ in range(self.threads)]
        return Crew(step, self.num_envs, self.threads, hands)

    # Playing -----------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> None:
        """Deal new games in all rows; a seed starts their streams anew."""
        if seed is not None:
            check_whole("seed", seed)
        if seed is not None or not self._streams.any():
            first = seed_stream(None if seed is None else int(seed))
            for i in range(self.num_envs):
                self._streams[i] = seed_stream(first + i)
                self._samplers[i] = next_seed(seed_stream(~(first + i)))[1]
        rows = np.arange(self.num_envs)
        self._drivers.deal_rows(rows, self.states, self._options, self._streams)
        self.rewards[:] = 0
        self.terminated[:] = False
        self.episode_length[:] = 0
        self._look()

    def step(self, actions: np.ndarray) -> None:
        """Play one action a row, then deal anew where that ended a game.

        Raises:
            IllegalActionError: naming the first row with an illegal action; nothing has changed.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be integers of shape ({self.num_envs},), got "
                f"{actions.dtype} of shape {actions.shape}"
            )
        if (row := self._drivers.first_illegal(self.action_mask, actions)) >= 0:
            raise IllegalActionError(
                f"action {int(actions[row])} of row {row}, seat {self.current_player[row]} is not "
                f"legal now; phase: {self.game.phase_name(self.states[row])}"
            )
        self.actions[:] = actions
        self._crew.run(drawn=False)

    def sample_actions(self) -> np.ndarray:
        """A uniform legal action for every row, int64 (N,); the array `actions`."""
        self._drivers.sample(0, self.num_envs, self._samplers, self.states, self.actions)
        return self.actions

    def step_random(self) -> None:
        """`sample_actions` and `step` in one."""
        self._crew.run(drawn=True)

    def _look(self) -> None:
        """Masks, seats to act and observations of the states as they are."""
        who = self.current_player
        self._drivers.refresh(0, self.num_envs, self.states, self.action_mask, who)
        if self.layout is not None and self.observation is not None:
            observe_rows(self.game, self.layout, self.states, who, self.observation)

    # Observing, copying, saving ----------------------------------------------------------------

    def observe(self, seats: np.ndarray, states: np.ndarray | None = None) -> np.ndarray:
        """Observations of given seats, in a new array (N, size) of the batch's dtype.

        `states` may hold other records of the same game, as `final_states`.
        """
        if self.layout is None or self.observation is None:
            raise OptionError("this batch was made with observation=None")
        states = np.ascontiguousarray(self.states if states is None else states)
        if states.dtype != self.game.state or states.ndim != 1:
            raise StateError(f"observe takes records of {self.game.name}, shape (k,)")
        who = np.asarray(seats)
        whole = who.dtype.kind in "iu" and who.shape == states.shape
        if not whole or ((who < 0) | (who >= states["num_players"])).any():
            raise OptionError(f"seats must hold a player of each state, got {seats!r}")
        out = np.zeros((len(states), self.layout.size), self.observation.dtype)
        observe_rows(self.game, self.layout, states, who.astype(np.int64), out)
        return out

    @property
    def final_observation(self) -> np.ndarray:
        """(N, size), new at every call: the end of each row's last game, by who ended it.

        Zeros for rows where no game has ended yet. What another seat saw of that end:
        `observe(seats, final_states)`.
        """
        ended = self.final_states[self.final_states["over"] != 0]
        seen = self.observe(ended["seat"], ended)
        out = np.zeros((self.num_envs, seen.shape[1]), seen.dtype)
        out[self.final_states["over"] != 0] = seen
        return out

    def clone_row(self, source: int, target: int) -> None:
        """Make row `target` an equal, independent copy of row `source`.

        Raises:
            StateError: the rows have different numbers of players.
        """
        if self.num_players[source] != self.num_players[target]:
            raise StateError(f"rows {source} and {target} have different numbers of players")
        for array in self._row_arrays().values():
            array[target] = array[source]
        self._look()

    def get_rows(self, rows: Sequence[int] | np.ndarray) -> np.ndarray:
        """Copies of the states of some rows, as records."""
        return self.states[np.asarray(rows)].copy()

    def set_rows(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> None:
        """Put records (as from `get_rows`, or an environment's) into some rows.

        Raises:
            StateError: records of another game, finished ones, or another number of players.
        """
        rows = np.asarray(rows)
        if states.dtype != self.game.state:
            raise StateError(f"set_rows takes records of {self.game.name}")
        if states["over"].any():
            raise StateError("a row of a batch cannot hold a finished game")
        if (states["num_players"] != self.num_players[rows]).any():
            raise StateError("these states have another number of players than the rows")
        self.states[rows] = states
        self.episode_length[rows] = 0
        self._look()

    def _row_arrays(self) -> dict[str, np.ndarray]:
        size = self.game.state.itemsize
        return {
            "states": self.states.view(np.uint8).reshape(-1, size),
            "final_states": self.final_states.view(np.uint8).reshape(-1, size),
            "streams": self._streams,
            "samplers": self._samplers,
            "rewards": self.rewards,
            "terminated": self.terminated,
            "episode_length": self.episode_length,
            "final_rewards": self.final_rewards,
            "final_scores": self.final_scores,
            "final_ranks": self.final_ranks,
            "final_length": self.final_length,
        }

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything the games to come depend on, as named plain arrays (copies)."""
        return {name: array.copy() for name, array in self._row_arrays().items()}

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """The inverse of `get_state`, on a batch made with the same arguments."""
        for name, array in self._row_arrays().items():
            if name not in state or state[name].shape != array.shape:
                raise StateError(f"{name!r} is missing or of another batch")
        records = self.game.view(np.array(state["states"], np.uint8).reshape(-1))
        if (records["num_players"] != self.num_players).any():
            raise StateError("these states have other numbers of players than the rows")
        for name, array in self._row_arrays().items():
            array[...] = state[name]
        self._look()

    def close(self) -> None:
        """End the threads; steps are taken by the caller alone from now on."""
        self._crew.close()


def random_playouts(
    game: Game, states: np.ndarray, n: int, seed: int, seat: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Play a state to its end n times with uniform legal moves.

    Args:
        game: the game of the state, down to its card list.
        states: one record, shape (1,), as `env.state_record()` and `batch.get_rows([i])` give it;
            it is left unchanged.
        n: playouts.
        seed: of the playouts' own random stream; the state's is never used.
        seat: resample what this seat cannot see before every playout; None keeps the hidden
            part (and so peeks at it).

    Returns:
        points int32 (n, P) and outcome rewards float32 (n, P).

    Raises:
        StateError: anything but one record of this game.
        OptionError: a number or seat that is not allowed.
    """
    if not isinstance(states, np.ndarray) or states.dtype != game.state or states.shape != (1,):
        raise StateError(
            f"random_playouts takes one record of {game.name}, shape (1,), as from "
            "env.state_record() or batch.get_rows([i])"
        )
    own = game.empty()
    own[0] = states[0]
    check_whole("n", n, 0)
    check_whole("seed", seed)
    if seat is not None:
        check_whole("seat", seat, 0, int(own[0].num_players) - 1)
    most = game.options.max_players
    points, payoffs = np.zeros((n, most), np.int32), np.zeros((n, most), np.float32)
    bits = np.uint64(seed_stream(int(seed)))
    hidden = -1 if seat is None else seat
    drivers_of(game).playouts(own, hidden, n, bits, points, payoffs)
    return points, payoffs
