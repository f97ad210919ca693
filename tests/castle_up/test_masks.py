"""Every mask of random games and of random positions against the one written once more."""

import random

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up.state import MAIN
from tests.castle_up.oracle import CARDS, CASTLE_IDS, ROLES, Oracle
from tests.castle_up.walk import (
    busy_choice,
    dealt,
    fighting_choice,
    greedy_choice,
    mask_of,
    one_of_each_phase,
    options,
    random_choice,
)

CHOOSERS = st.sampled_from([random_choice, fighting_choice, greedy_choice, busy_choice])
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def compare(states):
    """The mask of a state against the oracle; returns the name of its decision."""
    now = GAME.to_dict(states)
    expected = Oracle(now).legal()
    found = np.flatnonzero(mask_of(states[0])).tolist()
    names = GAME.action_names
    assert [names[i] for i in found] == [names[i] for i in expected], now
    return now["state"]


def walk(states, steps, seed, choose, share=1.0):
    """Compare at every decision of a walk, or at a share of the main ones."""
    rng = random.Random(seed)
    for _ in range(steps):
        if states[0].over:
            return
        if states[0].phase != MAIN or rng.random() < share:
            compare(states)
        GAME.apply(states[0], choose(states[0], rng))


@settings(QUICK, max_examples=12)
@given(options(), st.integers(0, 2**32), CHOOSERS)
def test_whole_games(keywords, seed, choose):
    walk(dealt(keywords, seed), 1000, seed, choose, share=0.2)


BUILDING = st.sampled_from(sorted(set(CARDS) - CASTLE_IDS))
STATUS = st.sampled_from(["ready", "ready", "exhausted", "damaged"])
CASTLE = st.tuples(st.sampled_from(sorted(CASTLE_IDS)), st.sampled_from(["ready", "exhausted"]))


@st.composite
def seats(draw, n):
    """Cities of any cards in any status, tokens, and held cards."""
    holders = [draw(st.integers(-1, n - 1)) for _ in ROLES]
    made = []
    castles = draw(st.lists(CASTLE, min_size=n, max_size=n, unique_by=lambda card: card[0]))
    for who in range(n):
        card = st.tuples(BUILDING, STATUS).map(list)
        city = [list(castles[who]), *draw(st.lists(card, max_size=6))]
        held = {
            role: {"ready": draw(st.booleans()), "looted": draw(st.booleans())}
            for role, holder in zip(ROLES, holders, strict=True)
            if holder == who
        }
        most = draw(st.sampled_from([1, 4]))
        tokens = [draw(st.integers(0, most)) for _ in range(4)]
        made.append({"tokens": tokens, "city": city, "held": held})
    return made


@st.composite
def positions(draw):
    """A main decision in the middle of any game."""
    n = draw(st.integers(2, 4))
    held = draw(seats(n))
    spent = [sum(seat["tokens"][k] for seat in held) for k in range(4)]
    full = draw(st.booleans())
    # A supply that is nearly empty, now and then.
    left = [int(s) if full else draw(st.integers(0, 2)) for s in c.SUPPLY - spent]
    row = st.lists(st.one_of(st.none(), BUILDING), min_size=0, max_size=3 if n == 2 else 4)
    return {
        "options": {"players": n, "free_target": draw(st.booleans()), "expansion": True},
        "seats": held,
        "supply": left,
        "era": draw(st.integers(1, 3)),
        "direction": draw(st.sampled_from([1, -1])),
        "row": draw(row),
        "deck": draw(st.lists(BUILDING, max_size=2)),
        "discard": draw(st.lists(BUILDING, max_size=2)),
        "sides": {role: draw(st.sampled_from(["front", "back"])) for role in ROLES},
        "purchases": draw(st.integers(0, 2)),
        "battles": draw(st.integers(0, 2)),
    }


@settings(QUICK, max_examples=120)
@given(positions(), st.integers(0, 2**32), st.sampled_from([random_choice, fighting_choice]))
def test_walks_from_any_position(position, seed, choose):
    states, _ = GAME.from_dict(position, "position")
    walk(states, 12, seed, choose)


def test_every_kind_of_decision_is_compared():
    for name, states in one_of_each_phase().items():
        assert name == "OVER" or compare(states) == name


def test_the_oracle_can_disagree():
    """Without a purchase action it says something else."""
    states = dealt({}, 1)
    now = GAME.to_dict(states)
    now["purchases"] = 0
    assert Oracle(now).legal() != np.flatnonzero(mask_of(states[0])).tolist()
