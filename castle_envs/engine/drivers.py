"""Compiled loops over many states: the batch's step, random playouts, batched greedy."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from castle_envs.engine.crew import CHUNK, DRAWN, finish, next_chunk, post
from castle_envs.engine.game import Game, Kernel
from castle_envs.engine.kernel import allocating, inlined, kernel
from castle_envs.engine.layout import Layout
from castle_envs.engine.random import GAMMA, mix, scaled
from castle_envs.engine.rewards import make_returns


@kernel
def draw(streams: Any, i: int) -> Any:
    """Advance the i-th stream of a uint64 array; returns 64 random bits."""
    streams[i] = streams[i] + GAMMA
    return mix(streams[i])


class Sampler(NamedTuple):
    """`choose(g, mask, bits)`: a uniform legal action; `by_mask`: `mask` must be filled before."""

    choose: Kernel
    by_mask: bool


@cache
def make_sampler(game: Game) -> Sampler:
    """How a game draws random moves: its own way, or by its mask where it has none."""
    num_actions, own = game.num_actions, game.sample
    if own is not None:

        @kernel
        def choose(g: Any, mask: Any, bits: Any) -> int:
            return own(g, bits)

        return Sampler(choose, by_mask=False)

    @kernel
    def choose_by_mask(g: Any, mask: Any, bits: Any) -> int:
        count = 0
        for action in range(num_actions):
            count += mask[action]
        left = scaled(bits, count)
        for action in range(num_actions):
            left -= mask[action]
            if left < 0:
                return action
        return -1

    return Sampler(choose_by_mask, by_mask=True)


class Drivers(NamedTuple):
    """Compiled loops over rows `low` to `high` of a batch."""

    refresh: Kernel
    first_illegal: Kernel
    sample: Kernel
    apply_rows: Kernel
    deal_rows: Kernel
    pay_rows: Kernel
    greedy: Kernel
    playouts: Kernel


@cache
def drivers_of(game: Game) -> Drivers:
    """The drivers of one game that do not depend on the view; made once a process."""
    new, legal, apply, best = game.new, game.legal, game.apply, game.greedy
    returns, redeal = make_returns(game), game.redeal
    choose, by_mask = make_sampler(game)
    most = game.options.max_players
    num_actions = game.num_actions
    dtype = game.state

    @kernel
    def refresh(low: int, high: int, states: Any, masks: Any, current: Any) -> None:
        for i in range(low, high):
            legal(states[i], masks[i])
            current[i] = states[i].seat

    @kernel
    def first_illegal(masks: Any, actions: Any) -> int:
        for i in range(len(actions)):
            action = actions[i]
            if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
                return i
        return -1

    @allocating
    def sample(low: int, high: int, samplers: Any, states: Any, actions: Any) -> None:
        mask = np.empty(num_actions, np.int8)
        for i in range(low, high):
            if by_mask:
                legal(states[i], mask)
            actions[i] = choose(states[i], mask, draw(samplers, i))

    @allocating
    def apply_rows(rows: Any, states: Any, actions: Any) -> int:
        """Play one action in each of some rows; the first illegal one's place, or -1 for none.

        All are checked before any is played.
        """
        mask = np.empty(num_actions, np.int8)
        for i in range(len(rows)):
            legal(states[rows[i]], mask)
            if actions[i] < 0 or actions[i] >= num_actions or mask[actions[i]] == 0:
                return i
        for i in range(len(rows)):
            apply(states[rows[i]], actions[i])
        return -1

    @kernel
    def deal_rows(rows: Any, states: Any, options: Any, streams: Any) -> None:
        for i in rows:
            new(states[i], options[i], draw(streams, i))

    @allocating
    def pay_rows(rows: Any, states: Any, reward: int, points: Any, payoffs: Any) -> None:
        ranks = np.empty(most, np.int32)
        for k in range(len(rows)):
            returns(states[rows[k]], reward, points[k], ranks, payoffs[k])

    @allocating
    def greedy(states: Any, actions: Any) -> None:
        for i in range(len(states)):
            actions[i] = best(states[i])

    @allocating
    def playouts(states: Any, seat: int, n: int, seed: Any, points: Any, payoffs: Any) -> None:
        scratch = np.empty(1, dtype)
        seeds = np.empty(2, np.uint64)
        seeds[0], seeds[1] = seed, ~seed
        ranks = np.empty(most, np.int32)
        mask = np.empty(num_actions, np.int8)
        for k in range(n):
            scratch[0] = states[0]
            g = scratch[0]
            if seat >= 0:
                redeal(g, seat, draw(seeds, 0))
            else:
                g.rng = draw(seeds, 0)
            while not g.over:
                if by_mask:
                    legal(g, mask)
                apply(g, choose(g, mask, draw(seeds, 1)))
            returns(g, 0, points[k], ranks, payoffs[k])

    return Drivers(
        refresh,
        first_illegal,
        sample,
        apply_rows,
        deal_rows,
        pay_rows,
        greedy,
        playouts,
    )


@cache
def make_viewer(game: Game, view: str, scaled: bool) -> Kernel:
    """The kernel `look(g, seat, how, out)` that writes one observation.

    `how` is (seats, Layout.starts); for float32 values in [0, 1], as `Layout.scaled`, it goes on
    with (Layout.low, Layout.span, an array of the view's own type that takes the integers).
    """
    sees = game.views[view].observe
    if not scaled:

        @inlined
        def look(g: Any, seat: int, how: Any, out: Any) -> None:
            seats, starts = how
            sees(g, seat, seats, starts, out)

        return look

    @inlined
    def look_scaled(g: Any, seat: int, how: Any, out: Any) -> None:
        seats, starts, low, span, whole = how
        sees(g, seat, seats, starts, whole)
        for i in range(len(out)):
            out[i] = np.float32(whole[i] - low[i]) / span[i]

    return look_scaled


@cache
def make_observer(game: Game, view: str, scaled: bool = False) -> Kernel:
    """The driver that fills the observations of some rows; `how` as for `make_viewer`."""
    look = make_viewer(game, view, scaled)

    @kernel
    def observe(low: int, high: int, states: Any, who: Any, how: Any, out: Any) -> None:
        for i in range(low, high):
            look(states[i], np.int64(who[i]), how, out[i])

    return observe


def how_to_look(layout: Layout, scaled: bool) -> tuple[Any, ...]:
    """The `how` of `make_viewer`: one for each thread, since it may hold scratch space."""
    how = (layout.seats, layout.starts)
    return (*how, layout.low, layout.span, np.empty(layout.size, layout.dtype)) if scaled else how


def observe_rows(
    game: Game, layout: Layout, states: np.ndarray, who: np.ndarray, out: np.ndarray
) -> None:
    """Fill `out` (N, layout.size) with what seats see in N states; float32 for [0, 1]."""
    scaled = out.dtype == np.float32
    see = make_observer(game, layout.view, scaled)
    see(0, len(states), states, who, how_to_look(layout, scaled), out)


@cache
def make_stepper(game: Game, view: str, scaled: bool) -> Kernel:
    """The driver of a batch's whole step, for the thread `own` of its crew (0 is the caller's).

    The caller's posts a step on the board; all take chunks of rows from it. Observations are left
    out where the array for them has no rows.
    """
    new, legal, apply = game.new, game.legal, game.apply
    returns, look = make_returns(game), make_viewer(game, view, scaled)
    choose = make_sampler(game).choose
    most = game.options.max_players

    @kernel
    def step(own: int, drawn: bool, board: Any, played: Any, how: Any, observation: Any) -> None:
        (
            reward,
            states,
            options,
            streams,
            samplers,
            masks,
            current,
            rewards,
            terminated,
            length,
            final_states,
            final_rewards,
            final_scores,
            final_ranks,
            final_length,
            actions,
        ) = played
        if own == 0:
            post(board, drawn)
        while True:
            chunk = next_chunk(board, own)
            if chunk < 0:
                break
            low, high = chunk * CHUNK, min(len(states), (chunk + 1) * CHUNK)
            if board[-1, DRAWN]:
                for i in range(low, high):
                    actions[i] = choose(states[i], masks[i], draw(samplers, i))
            for i in range(low, high):
                g = states[i]
                if terminated[i]:
                    terminated[i] = 0
                    rewards[i, :] = 0
                apply(g, actions[i])
                length[i] += 1
                if g.over:
                    final_states[i] = g
                    returns(g, reward, final_scores[i], final_ranks[i], rewards[i])
                    for seat in range(most):
                        final_rewards[i, seat] = rewards[i, seat]
                    final_length[i] = length[i]
                    terminated[i] = 1
                    length[i] = 0
                    new(g, options[i], draw(streams, i))
                legal(g, masks[i])
                current[i] = g.seat
            if len(observation):
                for i in range(low, high):
                    look(states[i], current[i], how, observation[i])
            finish(board)

    return step
