"""The greedy baseline: legal, deterministic, blind to what is hidden, and stronger than random."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs.engine.rewards import make_ranks
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.actions import Attack, Buy, BuyCard, Done, Promote, Repair, Use
from tests.castle_up.positions import seat, table
from tests.castle_up.walk import busy_choice, dealt, mask_of, options, random_choice, visited


@settings(max_examples=20, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_legal_and_without_a_trace(keywords, seed):
    for states in visited(dealt(keywords, seed), seed, busy_choice):
        if states[0].over:
            break
        before = states.tobytes()
        action = int(GAME.greedy(states[0]))
        assert mask_of(states[0])[action] == 1
        assert states.tobytes() == before and int(GAME.greedy(states[0])) == action


@settings(max_examples=15, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_acts_alike_whatever_is_hidden(keywords, seed):
    for i, states in enumerate(visited(dealt(keywords, seed), seed, busy_choice)):
        if states[0].over:
            break
        other = states.copy()
        GAME.redeal(other[0], int(states[0].seat), np.uint64(i))
        assert int(GAME.greedy(states[0])) == int(GAME.greedy(other[0]))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_beats_random(players):
    """Common deals, in every seat."""
    share, games = 0.0, 0
    for seed in range(40):
        for place in range(players):
            states = dealt({"num_players": players}, seed)
            rng = random.Random(seed)
            g = states[0]
            while not g.over:
                mine = g.seat == place
                GAME.apply(g, int(GAME.greedy(g)) if mine else random_choice(g, rng))
            points, ranks = np.zeros(4, np.int32), np.zeros(4, np.int32)
            GAME.scores(g, points)
            make_ranks(GAME)(g, points, ranks)
            first = ranks[:players] == 0
            share += first[place] / first.sum()
            games += 1
    assert share / games >= 0.95


def choice(env):
    return env.decode_action(int(GAME.greedy(env._states[0])))


def test_habits():
    poor = seat("castle e")
    assert choice(table(poor, seat("castle"))) == BuyCard("mercantile")
    assert choice(table(seat("castle"), seat("castle"))) == Use(0, 0), "three tokens beat two"
    rich = seat("castle e", tokens=(3, 3, 3, 0))
    assert choice(table(rich, row=["farm", "market"], deck=["farm"] * 30)).slot in (0, 1)
    assert isinstance(choice(table(rich, row=["farm"], deck=["farm"] * 30)), Buy)
    promoted = table(seat("militia_barracks"), row=["soldiers_barracks"])
    assert choice(promoted) == Promote(0)
    broken = table(seat("castle e", "goldmine d", tokens=(0, 0, 0, 2)), purchases=0)
    assert choice(broken) == Repair(1)
    strong = seat("castle e", "trebuchet_yard")
    assert choice(table(strong, seat("castle", "cathedral"), purchases=0)) == Attack(1, 1)
    assert choice(table(seat("castle e"), purchases=0, battles=0)) == Done()
