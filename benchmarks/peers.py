"""Other libraries under legal random play to the real end of the game.

Each `measure_*` runs in a process of its own and imports its library itself.
"""

import os
import random
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from benchmarks.harness import Figure, Settings, random_games, rates

GROUP = "other libraries, one environment"
PETTINGZOO = (
    "connect_four_v3",
    "tictactoe_v3",
    "leduc_holdem_v4",
    "texas_holdem_v4",
    "hanabi_v5",
    "chess_v6",
    "go_v5",
)
OPEN_SPIEL = ("tic_tac_toe", "connect_four", "leduc_poker", "backgammon", "gin_rummy")
RLCARD = ("leduc-holdem", "limit-holdem", "uno", "gin-rummy")
PGX = ("backgammon", "sparrow_mahjong", "connect_four")
PGX_SIZES = (1024, 4096)
PGX_STEPS = 16  # a call; one at a time it is slower


def measure_pettingzoo(settings: Settings) -> Iterator[Figure]:
    """PettingZoo's classic games, in the same loop as ours."""
    for name in PETTINGZOO:
        try:
            module = import_module(f"pettingzoo.classic.{name}")
            made = {kind: getattr(module, kind)() for kind in ("raw_env", "env")}
        except ImportError:  # one of the many extras of the classic games is missing
            continue
        for kind, env in made.items():
            found = rates(random_games(env, settings.seed), settings)
            yield Figure.of(
                GROUP, f"PettingZoo {name}, {kind}", "decisions/s", found, "same loop as ours"
            )


def measure_open_spiel(settings: Settings) -> Iterator[Figure]:
    """OpenSpiel through its Python interface: a C++ state, observation and mask read each move."""
    import pyspiel

    for name in OPEN_SPIEL:
        play = open_spiel_games(pyspiel.load_game(name), settings.seed)
        found = rates(play, settings)
        yield Figure.of(GROUP, f"OpenSpiel {name}", "decisions/s", found, "C++ game from Python")


def open_spiel_games(game: Any, seed: int) -> Callable[[], int]:
    """One game a call; chance moves are played and not counted."""
    rng = random.Random(seed)
    by_tensor = game.get_type().provides_observation_tensor

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
                continue
            if by_tensor:
                state.observation_tensor(state.current_player())
            state.legal_actions_mask()
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            decisions += 1
        return decisions

    return play


def measure_rlcard(settings: Settings) -> Iterator[Figure]:
    """RLCard's games, through `reset` and `step`."""
    import rlcard

    for name in RLCARD:
        play = rlcard_games(rlcard.make(name, config={"seed": settings.seed}), settings.seed)
        found = rates(play, settings)
        yield Figure.of(GROUP, f"RLCard {name}", "decisions/s", found, "pure Python")


def rlcard_games(env: Any, seed: int) -> Callable[[], int]:
    """One game a call."""
    uniform = random.Random(seed).random

    def play() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(uniform() * len(legal))])
            decisions += 1
        return decisions

    return play


def measure_pgx_one_core(settings: Settings) -> Iterator[Figure]:
    """Pgx held to one core."""
    if not hasattr(os, "sched_setaffinity"):
        return
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    yield from measure_pgx(settings, "1 core")


def measure_pgx(settings: Settings, cores: str = "all cores") -> Iterator[Figure]:
    """Pgx on the CPU: vmapped, jitted, with its own auto-reset; compiling is not counted."""
    import jax
    import pgx

    for name in PGX:
        env = pgx.make(name)
        for size in PGX_SIZES:
            work = pgx_steps(env, size, settings.seed)
            found = rates(work, settings)
            yield Figure.of(
                "other libraries, batch",
                f"Pgx {name}, N = {size}, {cores}",
                "decisions/s",
                found,
                f"{jax.default_backend()}, {PGX_STEPS} steps a call, {env.num_players} players",
            )


def pgx_steps(env: Any, size: int, seed: int) -> Callable[[], int]:
    """Some steps of a batch a call: masked random actions, step, observation, auto-reset."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(_: int, carried: tuple[Any, Any]) -> tuple[Any, Any]:
        state, key = carried
        key, chosen, dealt = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(chosen, logits, axis=-1)
        return step(state, actions, jax.random.split(dealt, size)), key

    @jax.jit
    def turns(carried: tuple[Any, Any]) -> tuple[Any, Any]:
        return jax.lax.fori_loop(0, PGX_STEPS, turn, carried)

    first = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(seed), size))
    held = [(first, jax.random.PRNGKey(seed + 1))]

    def work() -> int:
        held[0] = jax.block_until_ready(turns(held[0]))
        return PGX_STEPS * size

    work()  # compiles
    return work
