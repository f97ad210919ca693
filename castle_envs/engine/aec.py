"""One game as a PettingZoo AEC environment: `GameEnv` bare, `CheckedEnv` with the usual guards."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from castle_envs.engine.checks import is_whole
from castle_envs.engine.drivers import make_viewer
from castle_envs.engine.errors import (
    FinishedGameError,
    IllegalActionError,
    OptionError,
    StateError,
)
from castle_envs.engine.game import Game, Kernel
from castle_envs.engine.kernel import allocating, kernel
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import ILLEGAL_REWARD, make_returns, reward_index

RENDER_MODES = ("human", "ansi")
OVER, ILLEGAL = -1, -2


class Snapshot(NamedTuple):
    """What `get_state` returns: comparable, hashable, picklable; its inside is private."""

    game: str
    record: bytes
    seat: int
    stream: int
    agents: tuple[str, ...]
    selected: str
    skipped: str | None
    rewards: tuple[float, ...]
    cumulative: tuple[float, ...]
    terminated: bool
    truncated: bool
    infos: str
    last_action: int


class GameEnv(AECEnv[str, dict[str, np.ndarray], int | None]):
    """A turn-based game as an AEC environment, bare: an illegal action raises.

    Subclasses set `game`. The observation is `{"observation", "action_mask"}`: float32 in [0, 1]
    for the "features" view, int16 for "tokens"; the mask is int8 (num_actions,), zeros for seats
    not to act. Rewards are zero until the game ends and then sum to zero.

    Args:
        num_players: seats that play.
        render_mode: None, "ansi" (`render` returns text) or "human" (prints it at every step).
        observation: "features" or "tokens".
        reward: "outcome", "placement" or "score" (see `castle_envs.engine.rewards`).
        seats: seats the observation has room for; `num_players` by default.
        extras: optional observation groups, see the layout table of the game; None for its
            default ones, () for none.
        options: further options of the game.

    Raises:
        OptionError: a value that is not allowed. UnknownOptionError: a keyword that is not known.
    """

    game: ClassVar[Game]
    metadata: dict[str, Any]
    render_mode: str | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "game" in cls.__dict__:
            cls.metadata = {
                "name": f"{cls.game.name}_v{cls.game.version}",
                "render_modes": list(RENDER_MODES),
                "is_parallelizable": False,
                "render_fps": 2,
            }

    def __init__(
        self,
        num_players: int = 2,
        render_mode: str | None = None,
        observation: str = "features",
        reward: str = "outcome",
        seats: int | None = None,
        extras: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        game = self.game
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(
                f"render_mode must be None or one of {RENDER_MODES}, got {render_mode!r}"
            )
        self.options = game.options.from_keywords(num_players=num_players, **options)
        self.render_mode = render_mode
        self.layout = game.layout(observation, game.seats(seats, self.options), extras)
        self.reward = reward
        self._reward_index = reward_index(reward)
        self._packed = game.pack(self.options)
        self.possible_agents = [f"player_{i}" for i in range(self.options.num_players)]
        self._seat_of = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._scaled = game.views[observation].scaled
        self._kernels = kernels_of(game, observation)
        self._spaces: tuple[spaces.Dict, ...] | None = None
        self._action_spaces: tuple[spaces.Discrete, ...] | None = None
        self._state_space: spaces.Box | None = None
        self._buffer = np.zeros(game.state.itemsize, np.uint8)
        self._states = game.view(self._buffer)
        self._mask = np.zeros(game.num_actions, np.int8)
        self._stream: int | None = None

    # Playing -----------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: starts the environment's random stream anew; without it the stream goes on.
            options: a given deal, by the keys `game.deal_keys`; other keys are ignored.

        Raises:
            OptionError: a deal that is not possible; the game at hand is then kept.
        """
        if seed is not None and not is_whole(seed):
            raise OptionError(f"seed must be a whole number or None, got {seed!r}")
        stream = self._stream if seed is None else seed_stream(int(seed))
        stream, game_seed = next_seed(seed_stream(None) if stream is None else stream)
        given = {k: v for k, v in (options or {}).items() if k in self.game.deal_keys}
        if given:
            states = self.game.empty()
            self.game.deal(states, self.options, game_seed, given)
            self._buffer[:] = states.view(np.uint8)
        else:
            self._kernels.new(self._states, self._packed, np.uint64(game_seed))
        self._stream = stream
        self._seat = int(self._kernels.look(self._states, self._mask))
        self._start()
        if self.render_mode == "human":
            self.render()

    def _start(self) -> None:
        """AEC bookkeeping of a game that runs."""
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection: str | None = None
        self._ended = False
        self._last_action = -1
        self.agent_selection = agents[max(self._seat, 0)]
        if self._seat == OVER:
            self._finish()

    def step(self, action: int | None) -> None:
        """Play `action` for `agent_selection`, or remove a finished agent with None.

        Raises:
            IllegalActionError: no integer, out of range or not legal now; nothing has changed.
            FinishedGameError: an action other than None for an agent whose game is over.
        """
        if self._ended:
            if not self.agents:
                raise IllegalActionError(f"{self}: the game is over and nobody is left to act")
            self._leave(action)
            return
        if type(action) is not int:
            action = self._whole(action)
        if not 0 <= action < len(self._mask):  # here, since not every integer fits a kernel's
            self._refuse(action)
        seat = self._kernels.play(self._states, action, self._mask)
        if seat == ILLEGAL:
            self._refuse(action)
        self._last_action = action
        text = self.game.action_names[action]
        self.infos = {agent: {"action_text": text} for agent in self.agents}
        if seat >= 0:
            self._seat = seat
            self.agent_selection = self.possible_agents[seat]
        else:
            mover = self._seat
            self._seat = OVER
            self.agent_selection = self.possible_agents[(mover + 1) % len(self.possible_agents)]
            self._finish()
        if self.render_mode == "human":
            self.render()

    def _leave(self, action: int | None) -> None:
        """Remove an agent whose game is over."""
        if action is not None:
            raise FinishedGameError(
                f"the game is over for {self.agent_selection}: the only action left is None, "
                f"got {action!r}"
            )
        self._was_dead_step(None)

    def _finish(self) -> None:
        """Rewards, terminations and infos of the end."""
        self._ended = True
        points, ranks, payoffs = self._outcome()
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = self._cumulative_rewards[agent] = float(payoffs[seat])
            self.terminations[agent] = True
            self.infos[agent] |= {"score": int(points[seat]), "placement": int(ranks[seat]) + 1}

    def _outcome(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = self.game.options.max_players
        points, ranks = np.zeros(n, np.int32), np.zeros(n, np.int32)
        payoffs = np.zeros(n, np.float32)
        self._kernels.returns(self._states, self._reward_index, points, ranks, payoffs)
        return points, ranks, payoffs

    def _whole(self, action: Any) -> int:
        if (number := as_integer(action)) is not None:
            return number
        return self._refuse(action)

    def _refuse(self, action: Any) -> NoReturn:
        n, who = self.game.num_actions, self.possible_agents[self._seat]
        phase = self.game.phase_name(self._states[0])
        if not isinstance(action, int):
            why = "is no integer"
        elif not 0 <= action < n:
            why = "is out of range"
        else:
            why = f"({self.game.action_names[action]}) is not legal now"
        raise IllegalActionError(
            f"action {action!r} of {who} {why}; phase: {phase}; actions are 0 to {n - 1}, "
            "those legal now have a 1 in the action mask"
        )

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What `agent` may know: a fresh dict of fresh arrays, whoever is to act."""
        seat = self._seat_of[agent]
        layout = self.layout
        if self._scaled:
            vector = np.empty(layout.size, np.float32)
            self._kernels.observe_scaled(
                self._states, seat, layout.seats, layout.starts, layout.low, layout.span, vector
            )
        else:
            vector = np.empty(layout.size, np.int16)
            self._kernels.observe(self._states, seat, layout.seats, layout.starts, vector)
        if seat == self._seat and not self.terminations.get(agent, True):
            return {"observation": vector, "action_mask": self._mask.copy()}
        return {"observation": vector, "action_mask": np.zeros(self.game.num_actions, np.int8)}

    def state(self) -> np.ndarray:
        """The public state from seat 0, for centralised critics: as that seat's observation."""
        return self.observe(self.possible_agents[0])["observation"]

    # Spaces: made when first asked for, since a clone must not share their random streams ------

    def observation_space(self, agent: str) -> spaces.Dict:
        """`Dict(observation=Box, action_mask=Box int8)`, the same object at every call."""
        if self._spaces is None:
            self._spaces = tuple(self._make_space() for _ in self.possible_agents)
        return self._spaces[self._seat_of[agent]]

    def _make_space(self) -> spaces.Dict:
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        box = self.layout.space(self._scaled)
        return spaces.Dict({"observation": box, "action_mask": mask})

    def action_space(self, agent: str) -> spaces.Discrete:
        """`Discrete(num_actions)`, the same object at every call."""
        if self._action_spaces is None:
            n = self.game.num_actions
            self._action_spaces = tuple(spaces.Discrete(n) for _ in self.possible_agents)
        return self._action_spaces[self._seat_of[agent]]

    @property
    def observation_spaces(self) -> dict[str, spaces.Dict]:
        """Agent -> its observation space."""
        return {agent: self.observation_space(agent) for agent in self.possible_agents}

    @property
    def action_spaces(self) -> dict[str, spaces.Discrete]:
        """Agent -> its action space."""
        return {agent: self.action_space(agent) for agent in self.possible_agents}

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        if self._state_space is None:
            self._state_space = self.layout.space(self._scaled)
        return self._state_space

    # Points and moves --------------------------------------------------------------------------

    def scores(self) -> dict[str, int]:
        """Each agent's points as if the game ended now."""
        points = self._outcome()[0]
        return {agent: int(points[seat]) for agent, seat in self._seat_of.items()}

    def breakdown(self, agent: str) -> dict[str, Any]:
        """Everything that makes up the points of `agent`."""
        return self.game.breakdown(self._states, self._seat_of[agent])

    def decode_observation(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """An observation vector as named integer arrays, by the layout of this environment."""
        return self.layout.decode(vector)

    def decode_action(self, action: int) -> NamedTuple:
        """The move an action id stands for."""
        return self.game.decode(action)

    def encode_action(self, move: Any) -> int:
        """The action id of a move."""
        return self.game.encode(move)

    # Showing -----------------------------------------------------------------------------------

    def render(self) -> str | None:
        """Show the table: "ansi" returns text, "human" prints it, None warns and does nothing."""
        if self.render_mode is None:
            EnvLogger.get_logger().warning("render() does nothing without a render_mode")
            return None
        last = self.game.action_names[self._last_action] if self._last_action >= 0 else None
        text = self.game.text(self._states, last)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing to release."""

    # Copying and saving ------------------------------------------------------------------------

    def clone(self) -> Self:
        """An independent copy, mid-game, in dead steps and after the end alike."""
        twin = object.__new__(type(self))
        own = twin.__dict__ = self.__dict__.copy()
        own["_buffer"] = buffer = self._buffer.copy()
        own["_states"] = self.game.view(buffer)
        own["_mask"] = self._mask.copy()
        own["_spaces"] = own["_action_spaces"] = own["_state_space"] = None
        if "agents" in own:
            own["agents"] = self.agents[:]
            for name in _DICTS_OF_AGENTS:
                own[name] = own[name].copy()
            own["infos"] = {agent: info.copy() for agent, info in self.infos.items()}
        return twin

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = self.clone()
        memo[id(self)] = twin
        return twin

    def __getstate__(self) -> dict[str, Any]:
        # The record view would lose its buffer, kernels are code: both are rebuilt.
        rebuilt = ("_states", "_kernels", "_spaces", "_action_spaces", "_state_space")
        return {k: v for k, v in self.__dict__.items() if k not in rebuilt}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._states = self.game.view(self._buffer)
        self._kernels = kernels_of(self.game, self.layout.view)
        self._spaces = self._action_spaces = self._state_space = None

    def get_state(self) -> Snapshot:
        """The whole situation as a comparable value, for `set_state`."""
        agents = self.agents
        return Snapshot(
            self.game.name,
            self._buffer.tobytes(),
            self._seat,
            self._stream or 0,
            tuple(agents),
            self.agent_selection,
            self._skip_agent_selection,
            tuple(self.rewards.values()),
            tuple(self._cumulative_rewards.values()),
            any(self.terminations.values()),
            any(self.truncations.values()),
            json.dumps(self.infos),
            self._last_action,
        )

    def set_state(self, state: Snapshot) -> None:
        """Go to a situation that `get_state` of the same game and player count returned.

        Raises:
            StateError: a value of another game, player count or version; nothing has changed.
        """
        if not isinstance(state, Snapshot) or state.game != self.game.name:
            raise StateError(f"set_state takes what get_state of {self.game.name} returned")
        if len(state.record) != len(self._buffer):
            raise StateError("this state comes from another version of the game")
        buffer = np.frombuffer(state.record, np.uint8)
        players = int(self.game.view(buffer)[0].num_players)
        if players != self.options.num_players:
            raise StateError(
                f"this state has {players} players, the environment {self.options.num_players}"
            )
        try:
            books = _books_of(state)
        except (TypeError, ValueError) as problem:
            raise StateError(f"this state is damaged: {problem}") from problem
        self._buffer[:] = buffer
        self._kernels.look(self._states, self._mask)
        self._restore(books)

    def _restore(self, books: dict[str, Any]) -> None:
        """Take over bookkeeping for the record that is already in place."""
        self.__dict__.update(books)

    def state_record(self) -> np.ndarray:
        """A copy of the game's record, shape (1,), as agents' `act_on_state` takes it."""
        return self.game.view(self._buffer.copy())

    def to_dict(self) -> dict[str, Any]:
        """The situation as a JSON-ready dict: the game's own form, and the AEC bookkeeping."""
        state = self.get_state()
        book = state._asdict()
        del book["record"], book["game"], book["infos"]
        return {
            "game": self.game.name,
            "schema": self.game.schema,
            **self.game.to_dict(self._states),
            "env": {
                "observation": self.layout.view,
                "seats": self.layout.seats,
                "extras": list(self.layout.extras),
                "reward": self.reward,
                **{k: list(v) if isinstance(v, tuple) else v for k, v in book.items()},
                "infos": json.loads(state.infos),
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], check: str = "full", **keywords: Any) -> Self:
        """An environment in the situation of `to_dict`.

        Args:
            values: what `to_dict` returned, or a position written by hand.
            check: "full" wants a complete, rule-abiding state; "position" admits fragments that
                do not hold every card.
            keywords: constructor keywords that override those saved.

        Raises:
            StateError: another game or version, missing or wrong values (named).
        """
        if check not in ("full", "position"):
            raise OptionError(f'check must be "full" or "position", got {check!r}')
        if not isinstance(values, Mapping):
            raise StateError(f"a saved game is a dict, got {type(values).__name__}")
        game = cls.game
        for key, wanted in (("game", game.name), ("schema", game.schema)):
            if key not in values and check == "position":
                continue
            if values.get(key) != wanted:
                raise StateError(f"{key!r} must be {wanted!r}, got {values.get(key)!r}")
        states, options = game.from_dict(values, check)
        book = values.get("env") or {}
        if not isinstance(book, Mapping):
            raise StateError(f"'env' must be a dict, got {book!r}")
        named = ("observation", "seats", "extras", "reward")
        saved = {k: book[k] for k in named if k in book} | vars(options)
        env = cls(**(saved | keywords))
        env._buffer[:] = states.view(np.uint8)
        env._seat = int(env._kernels.look(env._states, env._mask))
        env._stream = seed_stream(0)
        env._start()
        if missing := [k for k in Snapshot._fields[2:] if k not in book]:
            if check == "full":
                raise StateError(f"'env' lacks {missing[0]!r}")
            return env
        env._resume(book)
        return env

    def _resume(self, book: Mapping[str, Any]) -> None:
        """Take over saved AEC bookkeeping where it fits the record."""
        try:
            taken: dict[str, Any] = {
                k: tuple(book[k]) if isinstance(book[k], list) else book[k]
                for k in Snapshot._fields[2:]
            }
            taken["infos"] = json.dumps(book["infos"])
            snapshot = Snapshot(self.game.name, b"", **taken)
            known = set(self.possible_agents)
            fits = (
                set(snapshot.agents) <= known
                and snapshot.selected in known
                and (snapshot.skipped is None or snapshot.skipped in known)
                and set(book["infos"]) == set(snapshot.agents)
                and (snapshot.terminated or not snapshot.agents) == (self._seat == OVER)
                and (snapshot.terminated or not snapshot.agents or snapshot.seat == self._seat)
                and -1 <= snapshot.last_action < self.game.num_actions
            ) or snapshot.truncated
            if not fits:
                raise ValueError("it does not fit the position")
            self._restore(_books_of(snapshot))
        except (TypeError, ValueError, KeyError) as problem:
            raise StateError(f"'env' is damaged: {problem}") from problem


def _books_of(state: Snapshot) -> dict[str, Any]:
    """The attributes that hold the bookkeeping of `state`; raises where its parts do not fit."""
    agents = list(state.agents)
    return {
        "_seat": state.seat,
        "_stream": state.stream,
        "agents": agents,
        "agent_selection": state.selected,
        "_skip_agent_selection": state.skipped,
        "rewards": dict(zip(agents, state.rewards, strict=True)),
        "_cumulative_rewards": dict(zip(agents, state.cumulative, strict=True)),
        "terminations": dict.fromkeys(agents, state.terminated),
        "truncations": dict.fromkeys(agents, state.truncated),
        "infos": json.loads(state.infos),
        "_last_action": state.last_action,
        "_ended": state.terminated or state.truncated or not agents,
    }


def as_integer(action: Any) -> int | None:
    """An action of any integer type, 0-d arrays included, as int; None for bools and the rest."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    return int(action) if is_whole(action) else None


class CheckedEnv(GameEnv):
    """`GameEnv` that behaves as PettingZoo's standard wrapper stack, in one thin layer.

    As under TerminateIllegal (reward -1), AssertOutOfBounds and OrderEnforcing: an illegal
    action ends the game with -1 for the offender and 0 for the others, an action outside the
    space fails an assertion, calls before `reset` fail, a step after the end warns.
    """

    _updated = True  # False from a turn of a loop over `agent_iter` to the next step

    def __getattr__(self, name: str) -> Any:
        if name in _SET_BY_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def num_agents(self) -> int:
        """Agents still in the game."""
        return len(self.agents)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """As `GameEnv.reset`."""
        super().reset(seed, options)
        self._updated = True

    def clone(self) -> Self:
        """As `GameEnv.clone`; a loop over the copy starts anew, like after `set_state`."""
        twin = super().clone()
        twin._updated = True
        return twin

    __copy__ = clone

    def __setstate__(self, saved: dict[str, Any]) -> None:
        super().__setstate__(saved)
        self._updated = True

    def _restore(self, books: dict[str, Any]) -> None:
        super()._restore(books)
        self._updated = True

    def step(self, action: int | None) -> None:
        """As `GameEnv.step`, but an illegal action ends the game instead of raising."""
        if "agents" not in self.__dict__:
            EnvLogger.error_step_before_reset()
        self._updated = True  # even where the step then fails
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        if self._ended:
            assert action is None or self._inside(action), "action is not in action space"
            self._leave(action)
            return
        if type(action) is not int or not 0 <= action < len(self._mask):
            action = self._whole(action)
            assert self._inside(action), "action is not in action space"
        if self._mask[action]:
            super().step(action)
        else:
            self._end_by_illegal_move()

    def _inside(self, action: Any) -> bool:
        number = as_integer(action)
        return number is not None and 0 <= number < self.game.num_actions

    def _end_by_illegal_move(self) -> None:
        EnvLogger.warn_on_illegal_move()
        offender = self.agent_selection
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0)
        self.rewards[offender] = ILLEGAL_REWARD
        self._cumulative_rewards[offender] = 0
        self._accumulate_rewards()
        self._ended = True
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """As `GameEnv.observe`; fails before `reset`."""
        if "agents" not in self.__dict__:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def state(self) -> np.ndarray:
        """As `GameEnv.state`; fails before `reset`."""
        if "agents" not in self.__dict__:
            EnvLogger.error_state_before_reset()
        return super().state()

    def render(self) -> str | None:
        """As `GameEnv.render`; fails before `reset`."""
        if "agents" not in self.__dict__:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yields `agent_selection` until nobody is left; wants a step between two agents."""
        if "agents" not in self.__dict__:
            EnvLogger.error_agent_iter_before_reset()
        return self._iterate(max_iter)

    def _iterate(self, left: int) -> Iterator[str]:
        while self.agents and left > 0:
            assert self._updated, "need to call step() or reset() in a loop over `agent_iter`"
            self._updated = False
            left -= 1
            yield self.agent_selection


_DICTS_OF_AGENTS = ("rewards", "_cumulative_rewards", "terminations", "truncations")
_SET_BY_RESET = frozenset(
    ("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents")
)


class AecKernels(NamedTuple):
    """Compiled entries for one state held as an array of shape (1,)."""

    new: Kernel
    look: Kernel
    play: Kernel
    returns: Kernel
    observe: Kernel
    observe_scaled: Kernel


@cache
def kernels_of(game: Game, view: str) -> AecKernels:
    """The compiled entries of one game and view; made once a process."""
    new_game, legal, apply = game.new, game.legal, game.apply
    fill_returns, whole_type = make_returns(game), game.views[view].dtype
    look_whole, look_scaled = (make_viewer(game, view, scaled) for scaled in (False, True))

    @kernel
    def new(states: Any, options: Any, seed: Any) -> None:
        new_game(states[0], options[0], seed)

    @kernel
    def look(states: Any, mask: Any) -> Any:
        g = states[0]
        legal(g, mask)
        return OVER if g.over else np.int64(g.seat)

    @kernel
    def play(states: Any, action: int, mask: Any) -> Any:
        if action < 0 or action >= len(mask) or mask[action] == 0:
            return ILLEGAL
        g = states[0]
        apply(g, action)
        legal(g, mask)
        return OVER if g.over else np.int64(g.seat)

    @kernel
    def returns(states: Any, kind: int, points: Any, ranks: Any, out: Any) -> None:
        fill_returns(states[0], kind, points, ranks, out)

    @kernel
    def observe(states: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
        look_whole(states[0], seat, (seats, starts), out)

    @allocating
    def observe_scaled(
        states: Any, seat: int, seats: int, starts: Any, low: Any, span: Any, out: Any
    ) -> None:
        whole = np.empty(len(out), whole_type)
        look_scaled(states[0], seat, (seats, starts, low, span, whole), out)

    return AecKernels(new, look, play, returns, observe, observe_scaled)
