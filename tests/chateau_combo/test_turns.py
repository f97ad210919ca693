"""Whole games move by move against the plain-Python table: legal moves, states, points, ranks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chateau_combo import oracle, table
from tests.chateau_combo.walk import (
    drain_castle,
    greedy_choice,
    legal_ids,
    new_env,
    random_choice,
    refresh_often,
    visited,
)

POLICIES = (random_choice, refresh_often, drain_castle, greedy_choice)


def check_game(env, choose, seed):
    """Plays a game to its end, each step compared; returns how often a pile was shuffled."""
    expected, shuffles = None, 0

    def choose_and_note(env, rng):
        nonlocal expected, shuffles
        before = table.public(env.to_dict())
        assert {table.name(env.decode_action(a)) for a in legal_ids(env)} == table.legal(before)
        action = choose(env, rng)
        twin = env.clone()
        twin.step(action)
        after = table.public(twin.to_dict())

        def order(place, pile):
            nonlocal shuffles
            shuffles += 1
            return table.order_seen(after)(place, pile)

        expected = table.play(before, table.name(env.decode_action(action)), order)
        return action

    for _ in visited(env, choose_and_note, seed):
        found = table.public(env.to_dict())
        if expected is not None:
            assert found == expected
        for seat, player in enumerate(found["players"]):
            assert env.breakdown(f"player_{seat}") == oracle.breakdown(player)
        totals = [oracle.breakdown(player)["total"] for player in found["players"]]
        assert list(env.scores().values()) == totals
    placements = [env.infos[agent]["placement"] for agent in env.agents]
    assert placements == oracle.placements(found["players"])
    return shuffles


@settings(max_examples=60, deadline=None)
@given(players=st.integers(2, 5), seed=st.integers(0, 2**64 - 1))
def test_random_play(players, seed):
    check_game(new_env(players, seed), random_choice, seed)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("choose", POLICIES)
def test_play(choose, players):
    shuffles = sum(check_game(new_env(players, seed), choose, seed) for seed in range(3))
    assert shuffles or choose is not refresh_often, "a reshuffle is among what is compared"
