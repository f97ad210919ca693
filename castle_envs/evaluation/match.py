"""Matches: agents in seats, many games at once, every deal played by every rotation."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from castle_envs.agents.base import Agent
from castle_envs.engine.drivers import drivers_of
from castle_envs.engine.errors import IllegalActionError
from castle_envs.engine.game import Game
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import make_ranks, payoffs

CHUNK = 250  # deals a worker plays at once; fixed, so that results do not depend on workers
Lineup = Sequence[Agent]


@dataclass(frozen=True)
class MatchResult:
    """Games of one line-up: D deals, each with all n rotations of the seats.

    Attributes (n players; index [deal, rotation, place in the line-up]):
        share: float64, 1/k for each of k shared winners, else 0.
        score: int64, final points.
        placement: float64, 1 = best, ties averaged.
        decisions, seconds: per place in the line-up, over the whole match.
        length: int64 [deal, rotation], decisions of the game.
    """

    share: np.ndarray
    score: np.ndarray
    placement: np.ndarray
    decisions: np.ndarray
    seconds: np.ndarray
    length: np.ndarray

    @property
    def games(self) -> int:
        """Games played."""
        return int(self.length.size)


def play_match(
    game: Game,
    lineup: Lineup,
    deals: int,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int], Any] | None = None,
    **options: Any,
) -> MatchResult:
    """Play a line-up of agents, one a seat, on common deals with every rotation.

    Args:
        deals: different deals; each is played len(lineup) times, seats rotated.
        seed: of the deals and of sampling agents.
        workers: threads; the result does not depend on them.
        progress: called with the number of games just finished.
        options: of the game.

    Raises:
        IllegalActionError: an agent chose an illegal action (named).
    """
    sizes = [min(CHUNK, deals - start) for start in range(0, deals, CHUNK)]
    streams = np.random.SeedSequence(seed).spawn(len(sizes))

    def chunk(i: int) -> MatchResult:
        found = _play_chunk(game, lineup, sizes[i], streams[i], options)
        if progress is not None:
            progress(found.games)
        return found

    with ThreadPoolExecutor(max(1, workers)) as pool:
        parts = list(pool.map(chunk, range(len(sizes))))
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("share", "score", "placement", "length")
    }
    summed = {
        name: np.sum([getattr(part, name) for part in parts], axis=0)
        for name in ("decisions", "seconds")
    }
    return MatchResult(**joined, **summed)


def _play_chunk(
    game: Game,
    lineup: Lineup,
    deals: int,
    stream: np.random.SeedSequence,
    options: dict[str, Any],
) -> MatchResult:
    n = len(lineup)
    rng = np.random.default_rng(stream)
    drivers = drivers_of(game)
    packed = game.pack(game.options.from_keywords(num_players=n, **options))
    states = game.empty(deals * n)
    for deal in range(deals):
        _, bits = next_seed(seed_stream(int(rng.integers(0, 2**63))))
        game.new(states[deal * n], packed[0], np.uint64(bits))
        for rotation in range(1, n):
            states[deal * n + rotation] = states[deal * n]
    rotations = np.arange(deals * n) % n
    length = np.zeros(deals * n, np.int64)
    decisions, seconds = np.zeros(n, np.int64), np.zeros(n)
    while True:
        running = np.flatnonzero(states["over"] == 0)
        if not len(running):
            break
        seats = states["seat"][running].astype(np.int64)
        places = (seats + rotations[running]) % n
        length[running] += 1
        # Places of one agent act together: larger batches, and the same for a shared agent.
        for agent in {id(a): a for a in lineup}.values():
            own = [i for i in range(n) if lineup[i] is agent]
            mine = np.isin(places, own)
            if not mine.any():
                continue
            rows = running[mine]
            start = time.perf_counter()
            actions = agent.act_batch(states[rows], seats[mine], rng)
            taken = time.perf_counter() - start
            for i in own:
                count = int((places[mine] == i).sum())
                decisions[i] += count
                seconds[i] += taken * count / len(rows)
            wrong = drivers.apply_rows(rows, states, np.asarray(actions, np.int64))
            if wrong >= 0:
                raise IllegalActionError(
                    f"agent {agent.name!r} chose action {int(actions[wrong])}, not legal in: "
                    f"{game.phase_name(states[rows[wrong]])}"
                )
    return _collect(game, states, rotations, n, length, decisions, seconds)


def _collect(
    game: Game,
    states: np.ndarray,
    rotations: np.ndarray,
    n: int,
    length: np.ndarray,
    decisions: np.ndarray,
    seconds: np.ndarray,
) -> MatchResult:
    most = game.options.max_players
    points, ranks = np.zeros(most, np.int32), np.zeros(most, np.int32)
    paid = np.zeros(most, np.float32)
    share, placement = np.zeros((len(states), n)), np.zeros((len(states), n))
    score = np.zeros((len(states), n), np.int64)
    rank_seats = make_ranks(game)
    for row, state in enumerate(states):
        game.scores(state, points)
        rank_seats(state, points, ranks)
        payoffs(1, points, ranks, n, paid)
        winners = (ranks[:n] == 0).sum()
        for seat in range(n):
            place = (seat + rotations[row]) % n
            share[row, place] = (ranks[seat] == 0) / winners
            score[row, place] = points[seat]
            placement[row, place] = 1 + (1 - paid[seat]) * (n - 1) / 2
    shape = (-1, n, n)
    return MatchResult(
        share.reshape(shape),
        score.reshape(shape),
        placement.reshape(shape),
        decisions,
        seconds,
        length.reshape(-1, n),
    )
