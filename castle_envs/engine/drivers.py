"""Compiled loops over many states: the batch's step, random playouts, batched greedy."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from castle_envs.engine.game import Game, Kernel
from castle_envs.engine.kernel import allocating, kernel
from castle_envs.engine.random import GAMMA, mix, scaled
from castle_envs.engine.rewards import make_returns


@kernel
def draw(streams: Any, i: int) -> Any:
    """Advance the i-th stream of a uint64 array; returns 64 random bits."""
    streams[i] = streams[i] + GAMMA
    return mix(streams[i])


def make_sampler(game: Game) -> Kernel:
    """The kernel `sample(g, bits)` of a game; by way of its mask where it has none of its own."""
    if game.sample is not None:
        return game.sample
    legal, num_actions = game.legal, game.num_actions

    @allocating
    def sample(g: Any, bits: Any) -> int:
        mask = np.empty(num_actions, np.int8)
        legal(g, mask)
        count = 0
        for action in range(num_actions):
            count += mask[action]
        left = scaled(bits, count)
        for action in range(num_actions):
            left -= mask[action]
            if left < 0:
                return action
        return -1

    return sample


class Drivers(NamedTuple):
    """Compiled loops over rows `low` to `high` of a batch."""

    reset: Kernel
    refresh: Kernel
    first_illegal: Kernel
    sample: Kernel
    step: Kernel
    apply_rows: Kernel
    deal_rows: Kernel
    pay_rows: Kernel
    greedy: Kernel
    playouts: Kernel


@cache
def drivers_of(game: Game) -> Drivers:
    """The drivers of one game that do not depend on the view; made once a process."""
    new, legal, apply, best = game.new, game.legal, game.apply, game.greedy
    returns, redeal, choose = make_returns(game), game.redeal, make_sampler(game)
    most = game.options.max_players
    num_actions = game.num_actions
    dtype = game.state

    @kernel
    def reset(low: int, high: int, states: Any, options: Any, streams: Any) -> None:
        for i in range(low, high):
            new(states[i], options[i], draw(streams, i))

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

    @kernel
    def sample(low: int, high: int, samplers: Any, states: Any, actions: Any) -> None:
        for i in range(low, high):
            actions[i] = choose(states[i], draw(samplers, i))

    @kernel
    def step(
        low: int,
        high: int,
        reward: int,
        states: Any,
        options: Any,
        streams: Any,
        masks: Any,
        current: Any,
        rewards: Any,
        terminated: Any,
        length: Any,
        final_states: Any,
        final_rewards: Any,
        final_scores: Any,
        final_ranks: Any,
        final_length: Any,
        actions: Any,
    ) -> None:
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

    @kernel
    def greedy(states: Any, actions: Any) -> None:
        for i in range(len(states)):
            actions[i] = best(states[i])

    @allocating
    def playouts(states: Any, seat: int, n: int, seed: Any, points: Any, payoffs: Any) -> None:
        scratch = np.empty(1, dtype)
        seeds = np.empty(2, np.uint64)
        seeds[0], seeds[1] = seed, ~seed
        ranks = np.empty(most, np.int32)
        for k in range(n):
            scratch[0] = states[0]
            g = scratch[0]
            if seat >= 0:
                redeal(g, seat, draw(seeds, 0))
            else:
                g.rng = draw(seeds, 0)
            while not g.over:
                apply(g, choose(g, draw(seeds, 1)))
            returns(g, 0, points[k], ranks, payoffs[k])

    return Drivers(
        reset,
        refresh,
        first_illegal,
        sample,
        step,
        apply_rows,
        deal_rows,
        pay_rows,
        greedy,
        playouts,
    )


@cache
def make_observer(game: Game, view: str) -> Kernel:
    """The driver that fills a batch's observations of one view."""
    sees = game.views[view].observe

    @kernel
    def observe(
        low: int, high: int, states: Any, who: Any, seats: int, starts: Any, out: Any
    ) -> None:
        for i in range(low, high):
            sees(states[i], np.int64(who[i]), seats, starts, out[i])

    return observe


@cache
def make_scaled_observer(game: Game, view: str) -> Kernel:
    """The driver that fills float32 observations in [0, 1], as `Layout.scaled`, in one pass."""
    sees, whole_type = game.views[view].observe, game.views[view].dtype

    @allocating
    def observe(
        first: int,
        stop: int,
        states: Any,
        who: Any,
        seats: int,
        starts: Any,
        low: Any,
        span: Any,
        out: Any,
    ) -> None:
        whole = np.empty(out.shape[1], whole_type)
        for i in range(first, stop):
            sees(states[i], np.int64(who[i]), seats, starts, whole)
            for j in range(out.shape[1]):
                out[i, j] = np.float32(whole[j] - low[j]) / span[j]

    return observe


@cache
def make_stepper(game: Game, view: str, scaled: bool) -> Kernel:
    """The driver of a whole step: `step` of `drivers_of`, then one of the two observers.

    It takes the arguments of both, after `low` and `high`, as one tuple each.
    """
    play = drivers_of(game).step
    see = make_scaled_observer(game, view) if scaled else make_observer(game, view)

    @kernel
    def step(low: int, high: int, played: Any, seen: Any) -> None:
        play(low, high, *played)
        see(low, high, *seen)

    return step
