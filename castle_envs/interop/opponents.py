"""Who sits opposite: a pool of line-ups, one drawn for every game, whose agents act in batches."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from castle_envs.agents import Agent, resolve
from castle_envs.engine.drivers import draw, drivers_of
from castle_envs.engine.errors import IllegalActionError, OptionError
from castle_envs.engine.game import Game
from castle_envs.engine.kernel import kernel
from castle_envs.engine.random import scaled
from castle_envs.interop.streams import RowGenerator

UNIT, ELEVEN = 2.0**-53, np.uint64(11)


@kernel
def seat_rows(
    rows: Any, streams: Any, fixed: int, players: int, shares: Any, learners: Any, lineup: Any
) -> None:
    """Draw the learner's seat (unless `fixed` is one) and the line-up of each of some rows."""
    for i in rows:
        seat = scaled(draw(streams, i), players)
        learners[i] = seat if fixed < 0 else fixed
        uniform = (draw(streams, i) >> ELEVEN) * UNIT
        k = 0
        while shares[k] <= uniform:
            k += 1
        lineup[i] = k


@kernel
def find_waiting(
    among: Any,
    states: Any,
    learners: Any,
    lineup: Any,
    seating: Any,
    players: int,
    rows: Any,
    agents: Any,
) -> int:
    """Rows of `among` where an opponent is to act, and which agent; returns how many."""
    found = 0
    for i in among:
        g = states[i]
        if g.over == 0 and g.seat != learners[i]:
            after = (np.int64(g.seat) - learners[i] - 1) % players
            rows[found] = i
            agents[found] = seating[lineup[i], after]
            found += 1
    return found


class Opponents:
    """K line-ups of opponents for games of n seats.

    Args:
        given: see `SingleSeat`.
        weights: of the entries of the pool, where they are no pairs; evenly by default.
        game: the game.
        players: n.

    Attributes:
        agents: each agent once.
        seating: int64 (K, n - 1), the place in `agents` of who sits 1, 2, ... seats after the
            learner.
        shares: float64 (K,), the summed probabilities of the line-ups; the last is 1.

    Raises:
        OptionError: an unknown agent, an empty pool, a line-up that does not fit the seats, or
            weights that do not fit the pool.
    """

    def __init__(
        self, given: Any, weights: Sequence[float] | None, game: Game, players: int
    ) -> None:
        self.game, self.players = game, players
        entries = list(given) if isinstance(given, list) else [given]
        if entries and all(map(_is_pair, entries)):
            if weights is not None:
                raise OptionError("give weights either as (agent, weight) pairs or in weights=")
            weights = [entry[1] for entry in entries]
            entries = [entry[0] for entry in entries]
        if not entries:
            raise OptionError("opponents must name at least one agent")
        self.agents: list[Agent] = []
        places: dict[Any, int] = {}
        self.seating = np.zeros((len(entries), players - 1), np.int64)
        for row, entry in zip(self.seating, entries, strict=True):
            lineup = entry if isinstance(entry, list | tuple) else [entry] * (players - 1)
            if len(lineup) != players - 1:
                raise OptionError(
                    f"a line-up must name one opponent for each of the {players - 1} other "
                    f"seats, got {len(lineup)}"
                )
            row[:] = [self._place(agent, places) for agent in lineup]
        self.shares = _shares(weights, len(entries))

    def _place(self, given: Any, places: dict[Any, int]) -> int:
        key = given if isinstance(given, str) else id(given)
        if key not in places:
            places[key] = len(self.agents)
            self.agents.append(resolve(given, self.game))
        return places[key]

    def play(
        self,
        among: np.ndarray,
        states: np.ndarray,
        learners: np.ndarray,
        lineup: np.ndarray,
        rng: RowGenerator,
    ) -> None:
        """Act in some rows, all rows of one agent together, until no opponent is to act in them.

        Args:
            among: int64, the rows.
            states: records (N,), changed in place.
            learners, lineup: int64 (N,), the learner's seat and the line-up of every row.
            rng: what sampling agents draw from.

        Raises:
            IllegalActionError: an agent's answer is no legal action.
        """
        n = self.players
        while True:
            rows, agents = np.empty_like(among), np.empty_like(among)
            found = find_waiting(among, states, learners, lineup, self.seating, n, rows, agents)
            if not found:
                return
            among, agents = rows[:found], agents[:found]
            for i in np.unique(agents) if len(self.agents) > 1 else (0,):
                self._act(self.agents[i], among[agents == i], states, rng)

    def _act(self, agent: Agent, rows: np.ndarray, states: np.ndarray, rng: RowGenerator) -> None:
        """One agent acts in some rows."""
        seen = states[rows]
        rng.rows = rows
        chosen = np.asarray(agent.act_batch(seen, seen["seat"].astype(np.int64), rng))
        if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
            raise IllegalActionError(
                f"opponent {agent.name!r} must choose {len(rows)} integers, got {chosen.dtype} of "
                f"shape {chosen.shape}"
            )
        wrong = drivers_of(self.game).apply_rows(rows, states, chosen.astype(np.int64))
        if wrong >= 0:
            raise IllegalActionError(
                f"opponent {agent.name!r} chose {int(chosen[wrong])}, not legal in: "
                f"{self.game.phase_name(states[rows[wrong]])}"
            )


def _is_pair(entry: Any) -> bool:
    number = isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[1], Real)
    return number and not isinstance(entry[1], bool)


def _shares(weights: Sequence[float] | None, count: int) -> np.ndarray:
    given = np.ones(count) if weights is None else np.asarray(weights, float)
    if given.shape != (count,) or not np.isfinite(given).all() or (given < 0).any():
        raise OptionError(f"weights must be {count} numbers from 0 on, got {weights!r}")
    if given.sum() <= 0:
        raise OptionError("weights must not all be 0")
    summed = given.cumsum()
    return summed / summed[-1]


def seated(opponents: Any) -> Any:
    """What a Gymnasium user gives, for `Opponents`: a plain list there is one line-up."""
    if isinstance(opponents, list) and not (opponents and all(map(_is_pair, opponents))):
        return tuple(opponents)
    return opponents
