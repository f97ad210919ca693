"""Properties of random play at 2 to 5 players: legality, conservation, turns."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs.engine.drivers import drivers_of
from castle_envs.engine.errors import IllegalActionError
from castle_envs.games.chateau_combo import GAME, actions
from tests.chateau_combo import table
from tests.chateau_combo.oracle import CARDS, IDS, capacity
from tests.chateau_combo.walk import (
    drain_castle,
    greedy_choice,
    kinds_of_states,
    legal_ids,
    new_env,
    random_choice,
    refresh_often,
    visited,
)

SEEDS = st.integers(0, 2**64 - 1)
PLAYERS = st.integers(2, 5)
POLICIES = st.sampled_from((random_choice, refresh_often, drain_castle, greedy_choice))


def record(env):
    return env.get_state().record


def accepts(env, action):
    try:
        env.step(action)
    except IllegalActionError:
        return False
    return True


def check_every_id(env):
    """The mask is exactly what `step` accepts; what it refuses changes nothing."""
    before = env.get_state()
    mask = env.observe(env.agent_selection)["action_mask"]
    assert mask.any()
    refused = env.clone()
    for action in range(len(mask)):
        if mask[action]:
            twin = env.clone()
            assert accepts(twin, action)
            assert record(twin) != before.record
        else:
            assert not accepts(refused, action)
            assert record(refused) == before.record
    assert refused.get_state() == before and refused.to_dict() == env.to_dict()
    assert env.get_state() == before


@settings(max_examples=25, deadline=None)
@given(PLAYERS, SEEDS, POLICIES)
def test_mask_equals_what_step_accepts(players, seed, choose):
    env = new_env(players, seed)
    for _ in visited(env, choose, seed):
        if not env.terminations[env.agent_selection]:
            check_every_id(env)


@pytest.mark.parametrize("kind", ["turn", "recruit", "option", "discard"])
def test_refusals_say_what_was_wrong(kind):
    env = kinds_of_states(2)[kind]
    before = env.get_state()
    illegal = set(range(103)) - set(legal_ids(env))
    for action in illegal:
        with pytest.raises(IllegalActionError) as refused:
            env.step(action)
        for named in (str(action), env.agent_selection, "phase", actions.ACTION_NAMES[action]):
            assert named in str(refused.value)
        assert env.get_state() == before


def cards_everywhere(state):
    rows = [card for row in state["rows"].values() for card in row if card]
    piles = [
        card for kind in ("decks", "discards") for pile in state[kind].values() for card in pile
    ]
    lying = [one["card"] for player in state["players"] for one in player["tableau"]]
    return Counter(rows + piles + lying)


@settings(max_examples=60, deadline=None)
@given(PLAYERS, SEEDS, POLICIES)
def test_conservation(players, seed, choose):
    env = new_env(players, seed)
    turns = 0
    for _ in visited(env, choose, seed):
        state = env.to_dict()
        cards = cards_everywhere(state)
        assert max(cards.values()) == 1, "no card is doubled"
        for place, row in state["rows"].items():
            mine = [card for card in cards if CARDS[card]["place"] == place]
            if row:
                assert len(mine) == 39, "no card is lost"
                waiting = state["phase"] in ("option", "discard") and place == state["messenger"]
                assert row.count(None) == int(waiting)
        for player in state["players"]:
            assert player["gold"] >= 0 and player["keys"] >= 0
            assert all(0 <= one["gold"] <= capacity(one) for one in player["tableau"])
        placed = sum(len(player["tableau"]) for player in state["players"])
        assert placed in (turns, turns + 1)
        turns = placed
    assert turns == 9 * players
    assert all(len(player["tableau"]) == 9 for player in env.to_dict()["players"])


@settings(max_examples=25, deadline=None)
@given(PLAYERS, SEEDS)
def test_masks_of_others_are_zero(players, seed):
    env = new_env(players, seed)
    for _ in visited(env, seed=seed):
        over = env.terminations[env.agent_selection]
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.dtype == np.int8 and mask.shape == (103,)
            assert mask.any() == (agent == env.agent_selection and not over)


@pytest.mark.parametrize("choose", [random_choice, refresh_often, drain_castle])
def test_the_sampler_draws_every_legal_action_alike(choose):
    """`GAME.sample` says the same as the mask: all legal ids, none else, evenly."""
    rng, draws = random.Random(1), 20_000
    env = new_env(5, 2)
    sample = drivers_of(GAME).sample
    for i, _ in enumerate(visited(env, choose, 2)):
        if i % 9 or env.terminations[env.agent_selection]:
            continue
        states = np.repeat(GAME.from_dict(env.to_dict(), "full")[0], draws)
        streams = np.array([rng.getrandbits(64) for _ in range(draws)], np.uint64)
        drawn = np.zeros(draws, np.int64)
        sample(0, draws, streams, states, drawn)
        found = Counter(drawn.tolist())
        legal = {
            actions.encode(move)
            for move in map(actions.decode, range(103))
            if table.name(move) in table.legal(table.public(env.to_dict()))
        }
        assert set(found) == legal
        mean = draws / len(legal)
        assert all(abs(n - mean) < 6 * mean**0.5 for n in found.values())


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_shuffles_are_even(players):
    """Over many deals every card is as often on top, in a row and at the bottom."""
    top, n = Counter(), 400
    for seed in range(n):
        state = new_env(players, seed).to_dict()
        for place in ("castle", "village"):
            top.update(
                [state["decks"][place][0], state["rows"][place][0], state["decks"][place][-1]]
            )
    assert set(top) == set(IDS)
    mean = 3 * n / 39
    assert all(abs(count - mean) < 6 * mean**0.5 for count in top.values())
