"""Our own figures: the AEC faces, copying and saving, the batch, playouts and greedy."""

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.harness import Figure, Hollow, Settings, random_games, rates
from castle_envs.agents import GreedyAgent
from castle_envs.engine.batch import Batch, random_playouts
from castle_envs.engine.game import Game
from castle_envs.games import NAMES, by_name

SPREAD = 100  # steps before measuring, so that the rows of a batch stand at all ages of a game
SIZES = (1, 64, 1024, 4096, 16384)
PLAYOUTS = 1000


def face(game: Game) -> Any:
    """The module of a game's environment."""
    return import_module(f"castle_envs.{game.name}_v{game.version}")


def measure_aec(settings: Settings) -> Iterator[Figure]:
    """Single environments, observation and mask read at every step."""
    group = "one environment"
    yield Figure.of(
        group,
        "the loop alone",
        "decisions/s",
        rates(random_games(Hollow(), settings.seed), settings),
        "an environment that does nothing",
    )
    for game in map(by_name, NAMES):
        for players in sorted({2, min(4, game.options.max_players)}):
            for kind in ("raw_env", "env"):
                env = getattr(face(game), kind)(num_players=players)
                found = rates(random_games(env, settings.seed), settings)
                name = f"{game.title}, {kind}, {players} players"
                yield Figure.of(group, name, "decisions/s", found, "features")


def measure_copies(settings: Settings) -> Iterator[Figure]:
    """Cloning, and saving as JSON, in the middle of a game."""
    for game in map(by_name, NAMES):
        env = mid_game(game, settings.seed)
        buffer, values = env._buffer, env.to_dict()

        def round_trip(env: Any = env) -> Any:
            return type(env).from_dict(json.loads(json.dumps(env.to_dict())))

        actions: dict[str, tuple[Callable[[], Any], str]] = {
            "clone of a record": (buffer.copy, f"{buffer.nbytes} bytes"),
            "env.clone()": (env.clone, ""),
            "to_dict": (env.to_dict, f"{len(json.dumps(values)):,} characters as JSON"),
            "JSON round trip": (round_trip, "to_dict, dumps, loads, from_dict"),
        }
        for name, (action, note) in actions.items():
            found = rates(many(action), settings)
            yield Figure.of("copying and saving", f"{game.title}, {name}", "times/s", found, note)


def many(action: Callable[[], Any], times: int = 100) -> Callable[[], int]:
    """Work of `rates` out of a short action."""

    def work() -> int:
        for _ in range(times):
            action()
        return times

    return work


def mid_game(game: Game, seed: int) -> Any:
    """An environment after ten random moves."""
    env = face(game).env()
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(10):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    return env


def measure_batch(settings: Settings) -> Iterator[Figure]:
    """Batches: a legal random move, apply, auto-reset, mask and observation at every step."""
    for game in map(by_name, NAMES):
        for view, extras in views(game):
            everything = extras == tuple(game.extras) != game.default_extras
            for size in SIZES if not everything else (1024,):
                for threads in (1, 2) if size >= 1024 else (1,):
                    yield batch_figure(game, view, extras, size, threads, settings)


def views(game: Game) -> list[tuple[str | None, tuple[str, ...]]]:
    """No observation; each view bare, with its default extras and with all."""
    found: list[tuple[str | None, tuple[str, ...]]] = [(None, ())]
    for view in sorted(game.views):
        for extras in ((), game.default_extras, tuple(game.extras)):
            if (view, extras) not in found:
                found.append((view, extras))
    return found


def batch_figure(
    game: Game,
    view: str | None,
    extras: tuple[str, ...],
    size: int,
    threads: int,
    settings: Settings,
    players: int = 2,
) -> Figure:
    """Decisions a second of one batch."""
    batch = Batch(
        game,
        size,
        num_players=players,
        seed=settings.seed,
        threads=threads,
        observation=view,
        extras=extras,
    )
    for _ in range(SPREAD):
        batch.step_random()
    steps = max(1, 2048 // size)

    def work() -> int:
        for _ in range(steps):
            batch.step_random()
        return steps * size

    found = rates(work, settings)
    batch.close()
    seen = "no observation" if view is None else f"{view} ({', '.join(extras) or 'no extras'})"
    entries = "" if batch.layout is None else f", {batch.layout.size} entries a row"
    return Figure.of(
        "batch",
        f"{game.title}, {seen}, N = {size}, {threads} thread{'s' * (threads > 1)}",
        "decisions/s",
        found,
        f"{players} players{entries}",
    )


def measure_playouts(settings: Settings) -> Iterator[Figure]:
    """Random playouts of a fresh deal in compiled code, and the greedy baseline."""
    for game in map(by_name, NAMES):
        for players in sorted({2, game.options.max_players}):
            env = face(game).raw_env(num_players=players)
            env.reset(seed=settings.seed)
            states = env._states

            def play(game: Game = game, states: np.ndarray = states) -> int:
                random_playouts(game, states, PLAYOUTS, settings.seed)
                return PLAYOUTS

            name = f"{game.title}, random playouts, {players} players"
            yield Figure.of("in compiled code", name, "games/s", rates(play, settings), "1 thread")
        for what, work in greedy_work(game, settings.seed).items():
            name = f"{game.title}, greedy, {what}"
            found = rates(work, settings)
            yield Figure.of(
                "in compiled code", name, "decisions/s", found, "2 players, N = 1024, 1 thread"
            )


def greedy_work(game: Game, seed: int) -> dict[str, Callable[[], int]]:
    """Greedy's choice alone on positions of its own play, and whole self-play."""
    batch = Batch(game, 1024, seed=seed, observation=None)
    greedy, rng = GreedyAgent(game), np.random.default_rng(seed)
    for _ in range(SPREAD):
        batch.step(greedy.act_batch(batch.states, batch.current_player, rng))
    still = batch.states.copy()

    def choose() -> int:
        return len(greedy.act_batch(still, batch.current_player, rng))

    def play() -> int:
        batch.step(greedy.act_batch(batch.states, batch.current_player, rng))
        return batch.num_envs

    return {"the choice alone": choose, "self-play": play}
