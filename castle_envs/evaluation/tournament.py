"""Round robins: every pairing of agents on common deals, with intervals over the deals."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from castle_envs.agents.base import Agent
from castle_envs.engine.game import Game
from castle_envs.evaluation.match import MatchResult, play_match

RESAMPLES = 2000


@dataclass(frozen=True)
class AgentResult:
    """One agent of a pairing, over all its games.

    `win_rate` is the mean share of wins (ties split) in percent-free numbers 0 to 1, with its 95 %
    interval by bootstrap over deals; `decisions_per_second` counts its own thinking time.
    """

    agent: str
    opponent: str
    games: int
    win_rate: float
    interval: tuple[float, float]
    score: float
    placement: float
    decisions_per_second: float
    scores: list[int] = field(repr=False)


@dataclass(frozen=True)
class Tournament:
    """Results of a round robin, with all that is needed to repeat it."""

    game: str
    players: int
    games: int
    seed: int
    seating: str
    results: list[AgentResult]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    def table(self) -> str:
        """A table for people."""
        head = (
            f"{'agent':<28} {'against':<28} {'win rate':>8} {'95 % interval':>15} {'score':>7} "
            f"{'place':>6} {'decisions/s':>12}"
        )
        lines = [head, "-" * len(head)]
        for r in self.results:
            low, high = r.interval
            lines.append(
                f"{r.agent[-28:]:<28} {r.opponent[-28:]:<28} {r.win_rate:>8.3f} "
                f"{f'{low:.3f} - {high:.3f}':>15} {r.score:>7.1f} {r.placement:>6.2f} "
                f"{r.decisions_per_second:>12,.0f}"
            )
        lines.append(f"{self.games} games a line, {self.players} players: {self.seating}")
        return "\n".join(lines)


def bootstrap_interval(values: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """95 % interval of the mean of independent values, by bootstrap."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def run_tournament(
    game: Game,
    agents: Sequence[Agent],
    games: int = 1000,
    players: int = 2,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int], Any] | None = None,
    **options: Any,
) -> Tournament:
    """Every pairing of `agents`, `games` games each.

    Two players: each deal twice, seats swapped. More: the first agent of a pairing takes one seat
    and the second all others, each deal with every rotation; then the other way round. A single
    agent plays itself.
    """
    results = []
    pairs = list(combinations(agents, 2)) or [(agents[0], agents[0])]
    for one, other in pairs:
        directions = (
            [(one, other)] if players == 2 or one is other else [(one, other), (other, one)]
        )
        for mine, rest in directions:
            lineup = [mine] + [rest] * (players - 1)
            deals = -(-games // players)
            match = play_match(game, lineup, deals, seed, workers, progress, **options)
            results.append(summarise(match, 0, mine.name, rest.name))
            if players == 2 and mine is not rest:
                results.append(summarise(match, 1, rest.name, mine.name))
    seating = (
        "every deal twice, seats swapped"
        if players == 2
        else f"the agent in one seat, its opponent in the {players - 1} others, every deal with "
        f"all {players} rotations (an even share would be {1 / players:.3f})"
    )
    return Tournament(game.name, players, games, seed, seating, results)


def games_in(agents: int, games: int, players: int) -> int:
    """Games that `run_tournament` will play, for progress bars."""
    pairs = max(1, agents * (agents - 1) // 2)
    directions = 1 if players == 2 or agents == 1 else 2
    return pairs * directions * players * -(-games // players)


def summarise(match: MatchResult, place: int, name: str, opponent: str) -> AgentResult:
    """The numbers of one place of a line-up."""
    share = match.share[:, :, place]
    return AgentResult(
        agent=name,
        opponent=opponent,
        games=match.games,
        win_rate=float(share.mean()),
        interval=bootstrap_interval(share.mean(axis=1)),
        score=float(match.score[:, :, place].mean()),
        placement=float(match.placement[:, :, place].mean()),
        decisions_per_second=float(match.decisions[place] / max(match.seconds[place], 1e-9)),
        scores=match.score[:, :, place].ravel().tolist(),
    )
