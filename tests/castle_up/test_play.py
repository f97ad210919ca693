"""What holds in every state of every game, by random play with any options."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from castle_envs import castle_up_v0
from castle_envs.engine.errors import IllegalActionError
from castle_envs.engine.rewards import make_ranks
from castle_envs.games.castle_up import GAME, serial
from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up.state import MAIN, PHASES
from tests.castle_up.walk import (
    busy_choice,
    dealt,
    env_of,
    fighting_choice,
    greedy_choice,
    mask_of,
    one_of_each_phase,
    options,
    random_choice,
    state_after,
    visited,
)

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CHOOSERS = st.sampled_from([random_choice, fighting_choice, greedy_choice, busy_choice])


def check_conserved(g, start):
    assert (g.supply + g.tokens.sum(axis=0) == c.SUPPLY).all()
    assert (g.supply >= 0).all() and (g.tokens >= 0).all()
    buildings = serial.counts(g)
    assert (buildings[1 : c.FIRST_CASTLE] == start[1 : c.FIRST_CASTLE]).all()
    for seat in range(g.num_players):
        castles = [k for k in g.city[seat] if k >= c.FIRST_CASTLE]
        assert castles in ([], [g.castles[seat]])
    sizes = {"deck": g.deck_size, "discard": g.discard_size}
    for name, size in sizes.items():
        assert (g[name][:size] > 0).all() and not g[name][size:].any()
        piled = np.bincount(g[name][:size], minlength=c.NUM_BUILDINGS + 1)[: c.NUM_BUILDINGS + 1]
        assert (piled[1:] == g["in_deck" if name == "deck" else "in_pile"][1:]).all()


def check_shape(g):
    assert not g.city[g.num_players :].any() and not g.tokens[g.num_players :].any()
    assert (g.status[g.city == 0] == 0).all() and (g.used[g.city == 0] == 0).all()
    assert 1 <= g.era <= 3 and g.direction in (1, -1)
    assert (g.named[g.city == 0] == 0).all()
    assert g.stops == 0
    if g.num_players == 2:
        assert g.row[3] == 0


def check_mask(g):
    mask = mask_of(g)
    assert set(np.unique(mask)) <= {0, 1} and mask.any()
    if g.phase != MAIN:
        assert mask.sum() > 1, "forced moves are no decisions"
    else:
        assert mask[0] == 1 and g.seat == g.active


@SLOW
@given(options(), st.integers(0, 2**64 - 1), CHOOSERS)
def test_invariants(keywords, seed, choose):
    states = dealt(keywords, seed)
    g = states[0]
    start = serial.counts(g)
    for _ in visited(states, seed % 1000, choose):
        check_conserved(g, start)
        check_shape(g)
        if not g.over:
            check_mask(g)
    assert mask_of(g).sum() == 0 and g.deck_size == 0
    size = int(start[: c.FIRST_CASTLE].sum())
    assert g.round_number <= -(-size // 4)
    points, ranks = np.zeros(4, np.int32), np.zeros(4, np.int32)
    GAME.scores(g, points)
    make_ranks(GAME)(g, points, ranks)
    assert ranks[: g.num_players].min() == 0 and (points >= 0).all()


@settings(max_examples=15, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_the_mask_is_what_the_environment_accepts(keywords, seed):
    """All 88 ids at a random state: those in the mask step, the others raise and change nothing."""
    env = castle_up_v0.raw_env(**keywords)
    env.reset(seed=seed)
    rng = random.Random(seed)
    for _ in range(rng.randrange(120)):
        if env.terminations["player_0"]:
            return
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(rng.choice(np.flatnonzero(mask).tolist()))
    if env.terminations["player_0"]:
        return
    mask = env.observe(env.agent_selection)["action_mask"]
    before = env.get_state()
    for action in range(88):
        if mask[action]:
            env.clone().step(action)
        else:
            with pytest.raises(IllegalActionError, match=f"action {action} "):
                env.step(action)
            assert env.get_state() == before


def test_every_kind_of_decision_accepts_what_its_mask_says():
    found = one_of_each_phase()
    assert set(found) == {*PHASES, "OVER"}
    for name, states in found.items():
        if name == "OVER":
            continue
        env = env_of(states)
        assert env.to_dict()["state"] == name
        mask = env.observe(env.agent_selection)["action_mask"]
        before = env.get_state()
        for action in range(88):
            if mask[action]:
                env.clone().step(action)
            else:
                with pytest.raises(IllegalActionError):
                    env.step(action)
        assert env.get_state() == before


def test_every_action_is_played_sometime():
    """Play with all options meets every id that a card has, and every kind of decision."""
    played, phases = np.zeros(88, int), set()
    for seed in range(200):
        keywords = {
            "num_players": 2 + seed % 3,
            "expansion": seed % 2 == 0,
            "castles": ("none", "random")[seed // 2 % 2],
            "reverse": ("defensive", "military") if seed % 5 == 0 else (),
            "free_target": seed % 4 == 0,
        }
        rng = random.Random(seed)
        choose = fighting_choice if seed % 3 and seed % 2 == 0 else busy_choice
        states = dealt(keywords, seed)
        while not states[0].over:
            action = choose(states[0], rng)
            played[action] += 1
            phases.add(PHASES[states[0].phase])
            GAME.apply(states[0], action)
    never = {GAME.action_names[i] for i in np.flatnonzero(played == 0)}
    assert never == {"use held initiative", "use held mercantile"}, "those cards have no action"
    assert phases == set(PHASES)


def test_new_is_a_function_of_seed_and_options():
    for keywords in ({}, {"num_players": 4, "castles": "random", "expansion": True}):
        first, second = dealt(keywords, 5), dealt(keywords, 5)
        assert first.tobytes() == second.tobytes()
        assert dealt(keywords, 6).tobytes() != first.tobytes()
        dirty = np.frombuffer(b"\x05" * GAME.state.itemsize, np.uint8).copy().view(GAME.state)
        packed = GAME.pack(GAME.options.from_keywords(**keywords))
        GAME.new(dirty[0], packed[0], np.uint64(5))
        assert dirty.tobytes() == first.tobytes(), "what was in the record before does not matter"


def test_eras_are_stacked_and_shuffled():
    seen = set()
    for seed in range(20):
        g = dealt({}, seed)[0]
        deck = [int(k) for k in g.deck[: g.deck_size][::-1]]
        eras = [int(c.ERA[k]) for k in deck]
        assert eras == sorted(eras)
        seen.add(tuple(deck))
    assert len(seen) == 20


@pytest.mark.parametrize("expansion", [False, True])
@pytest.mark.parametrize("removal", [False, True])
def test_number_of_cards_by_era(expansion, removal):
    for seed in range(10):
        found = serial.counts(dealt({"expansion": expansion, "removal": removal}, seed)[0])
        for era in (1, 2, 3):
            kinds = [k for k in range(1, c.FIRST_CASTLE) if c.ERA[k] == era]
            base = sum(found[k] for k in kinds if not c.EXPANSION[k])
            out = {(0, 0): 0, (0, 1): 2, (1, 0): 4, (1, 1): 6}[expansion, removal]
            assert base == 18 - out
            assert sum(found[k] for k in kinds if c.EXPANSION[k]) == 4 * expansion


@settings(max_examples=30, deadline=None)
@given(options(), st.integers(0, 10**6), st.integers(0, 150))
def test_redeal_keeps_what_is_seen(keywords, seed, steps):
    states = state_after(keywords, seed, steps)
    other = states.copy()
    GAME.redeal(other[0], 0, np.uint64(seed + 1))
    g, h = states[0], other[0]
    assert (g.in_deck == h.in_deck).all()
    top = int(g.deck_size) - 1
    assert top < 0 or g.deck[top] == h.deck[top]
    assert (c.ERA[g.deck] == c.ERA[h.deck]).all(), "the eras stay stacked"
    h.deck, h.rng = g.deck, g.rng
    assert states.tobytes() == other.tobytes(), "nothing else changes"


def test_redeal_reaches_other_orders():
    states = dealt({}, 1)
    orders = set()
    for seed in range(50):
        other = states.copy()
        GAME.redeal(other[0], 0, np.uint64(seed))
        orders.add(other[0].deck.tobytes())
    assert len(orders) == 50
