"""The protocol of every agent.

States are record arrays as `env.states` of a batch, or shape (1,) from one environment. An agent
given a state must not use what its seat cannot see: it acts alike under the game's `redeal`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from castle_envs.engine.drivers import drivers_of, observe_rows
from castle_envs.engine.errors import IllegalActionError
from castle_envs.engine.game import Game
from castle_envs.engine.layout import Layout

Observe = Callable[[np.ndarray, np.ndarray], Any]


@runtime_checkable
class Agent(Protocol):
    """Picks legal actions for the seat to act."""

    name: str

    def act_on_state(self, state: np.ndarray, seat: int, rng: np.random.Generator) -> int:
        """The action of `seat`, which is to act in `state`, a record array of shape (1,)."""
        ...

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """One action (int64) for each of N states, for the seats (N,) that are to act."""
        ...


@runtime_checkable
class ObservingAgent(Agent, Protocol):
    """An agent that needs only what its seat observes."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The action for one observation vector and its mask."""
        ...


def rng_from(seed: int | np.random.Generator | None) -> np.random.Generator:
    """A generator from a seed, or the one given."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)


class BatchAgent:
    """What every agent shares that plays many games as easily as one."""

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """See `Agent`."""
        raise NotImplementedError

    def act_on_state(self, state: np.ndarray, seat: int, rng: np.random.Generator) -> int:
        """The action of `seat` in a record array of shape (1,)."""
        return int(self.act_batch(state, np.array([seat]), rng)[0])


def observe_batch(
    game: Game, layout: Layout, states: np.ndarray, seats: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What seats see in N states: integers (N, layout.size), and masks int8 (N, actions)."""
    n = len(states)
    observed = np.zeros((n, layout.size), layout.dtype)
    masks, current = np.zeros((n, game.num_actions), np.int8), np.zeros(n, np.int64)
    drivers_of(game).refresh(0, n, states, masks, current)
    observe_rows(game, layout, states, np.asarray(seats), observed)
    return observed, masks


class FunctionAgent(BatchAgent):
    """A callable `(observation, action_mask) -> action` as an agent.

    Args:
        game: the game it plays.
        function: called with the observation of one seat and its mask (both fresh arrays).
        view, seats, extras: the observation layout it wants; `seats` None for the players'.
    """

    def __init__(
        self,
        game: Game,
        function: Observe,
        view: str = "features",
        seats: int | None = None,
        extras: Sequence[str] | None = None,
    ) -> None:
        self.game, self.function = game, function
        self.view, self.seats, self.extras = view, seats, extras
        self.name = getattr(function, "__name__", type(function).__name__)

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The function's answer; raises IllegalActionError if the mask forbids it."""
        action = int(self.function(observation, action_mask))
        if not 0 <= action < len(action_mask) or not action_mask[action]:
            raise IllegalActionError(f"agent {self.name!r} chose action {action}, not legal now")
        return action

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The function's answers, row by row, int64 (N,)."""
        chosen = np.zeros(len(states), np.int64)
        for i in range(len(states)):
            players = self.seats or int(states["num_players"][i])
            layout = self.game.layout(self.view, players, self.extras)
            seen, mask = observe_batch(self.game, layout, states[i : i + 1], seats[i : i + 1])
            scaled = self.game.views[self.view].scaled
            chosen[i] = self.act(layout.scaled(seen[0]) if scaled else seen[0], mask[0])
        return chosen
