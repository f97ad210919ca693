"""The protocol of every agent.

States are record arrays as `env.states` of a batch, or shape (1,) from one environment. An agent
given a state must not use what its seat cannot see: it acts alike under the game's `redeal`.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from castle_envs.engine.errors import IllegalActionError

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


class FunctionAgent:
    """A callable `(observation, action_mask) -> action` as an agent.

    Args:
        game: the game it plays.
        function: called with the observation of one seat and its mask (both fresh arrays).
        view, seats, extras: the observation layout it wants; `seats` None for the players'.
    """

    def __init__(
        self,
        game: Any,
        function: Observe,
        view: str = "features",
        seats: int | None = None,
        extras: Any = None,
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

    def act_on_state(self, state: np.ndarray, seat: int, rng: np.random.Generator) -> int:
        """As `act`, on what the seat observes in the state."""
        from castle_envs.engine.aec import kernels_of

        kernels = kernels_of(self.game, self.view)
        layout = self.game.layout(
            self.view, self.seats or int(state[0]["num_players"]), self.extras
        )
        whole = np.zeros(layout.size, self.game.views[self.view].dtype)
        kernels.observe(state, seat, layout.seats, layout.starts, whole)
        mask = np.zeros(self.game.num_actions, np.int8)
        kernels.look(state, mask)
        scaled = self.game.views[self.view].scaled
        return self.act(layout.scaled(whole) if scaled else whole, mask)

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """`act_on_state` row by row."""
        return np.array(
            [self.act_on_state(states[i : i + 1], int(seats[i]), rng) for i in range(len(states))],
            np.int64,
        )
