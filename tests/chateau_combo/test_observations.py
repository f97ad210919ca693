"""Every segment of both views against the state, and what an observation must never tell."""

import random
from itertools import product

import numpy as np
import pytest

import castle_envs
from castle_envs import chateau_combo_v0
from castle_envs.games.chateau_combo import GAME, actions
from tests.chateau_combo import seen, table
from tests.chateau_combo.walk import (
    drain_castle,
    greedy_choice,
    kinds_of_states,
    new_env,
    random_choice,
    refresh_often,
    visited,
)

ID_OF = {table.name(actions.decode(action)): action for action in range(103)}
EVERY_EXTRA = GAME.extras
SHOWS = {"features": seen.features, "tokens": seen.tokens}


def check_segments(env, expected, players, seat):
    """Named segments of what `seat` observes; absent seats must be zero."""
    vector = env.observe(f"player_{seat}")["observation"]
    found = env.decode_observation(vector)
    assert set(found) == {s.name for s in env.layout.present}
    for segment in env.layout.present:
        values, wanted = found[segment.name], np.array(expected[segment.name])
        if segment.shape and segment.shape[0] == "seats":
            assert not values[players:].any(), segment.name
            values = values[:players]
        assert np.array_equal(values, wanted), (segment.name, values, wanted)


@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize(("players", "seats"), [(2, 2), (2, 5), (3, 4), (5, 5)])
@pytest.mark.parametrize("choose", [random_choice, drain_castle])
def test_segments_equal_the_state(view, players, seats, choose):
    env = new_env(players, 5, observation=view, seats=seats)
    for _ in visited(env, choose, 5):
        state = table.public(env.to_dict())
        for seat in range(players):
            check_segments(env, SHOWS[view](state, seat), players, seat)


@pytest.mark.parametrize("view", ["features", "tokens"])
def test_gains_equal_what_each_recruit_adds(view):
    env, rng = new_env(3, 2, observation=view, extras=EVERY_EXTRA), random.Random(2)
    for _ in visited(env, seed=2):
        state = table.public(env.to_dict())
        if rng.random() < 0.25 or state["over"]:
            for seat in range(3):
                more = seen.gains(state, seat, ID_OF)
                check_segments(env, SHOWS[view](state, seat) | more, 3, seat)


def everything_seen(env):
    """Both views with all extras and with none, of every seat, as bytes."""
    saved, found = env.to_dict(), []
    for view, extras, seats in product(("features", "tokens"), ((), EVERY_EXTRA), (None, 5)):
        other = chateau_combo_v0.raw_env.from_dict(
            saved, observation=view, extras=extras, seats=seats
        )
        for agent in other.possible_agents:
            found.append(other.observe(agent)["observation"].tobytes())
        found.append(other.state().tobytes())
    return found


def redealt(env, seat, seed):
    saved = env.to_dict()
    states, _ = GAME.from_dict(saved, "full")
    GAME.redeal(states[0], seat, np.uint64(seed))
    return chateau_combo_v0.raw_env.from_dict(saved | GAME.to_dict(states))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_redeal_keeps_every_observation(players):
    env, rng, changed = new_env(players, 8), random.Random(8), 0
    for _ in visited(env, refresh_often, 8):
        if rng.random() < 0.2:
            seat = rng.randrange(players)
            twin = redealt(env, seat, rng.getrandbits(64))
            before, after = env.to_dict(), twin.to_dict()
            for place in ("castle", "village"):
                assert sorted(before["decks"][place]) == sorted(after["decks"][place])
            changed += before["decks"] != after["decks"]
            hidden = ("decks", "rng", "env")
            assert {k: v for k, v in before.items() if k not in hidden} == {
                k: v for k, v in after.items() if k not in hidden
            }
            assert everything_seen(env) == everything_seen(twin)
    assert changed


def test_redeals_differ():
    env = new_env(2, 1)
    decks = {str(redealt(env, 0, seed).to_dict()["decks"]) for seed in range(5)}
    assert len(decks) == 5
    assert redealt(env, 0, 3).to_dict()["decks"] == redealt(env, 0, 3).to_dict()["decks"]


def test_a_redeal_moves_every_hidden_card_and_the_luck_to_come():
    """No place of either deck keeps its card more often than chance has it; nor does the stream."""
    before, n = new_env(2, 1).state_record(), 400
    size = int(before["deck_size"][0, 0])
    stayed, streams = np.zeros((2, size), int), {int(before["rng"][0])}
    for seed in range(n):
        after = before.copy()
        GAME.redeal(after[0], seed % 2, np.uint64(seed))
        stayed += (after["deck"] == before["deck"])[0, :, :size]
        streams.add(int(after["rng"][0]))
    assert (before["deck_size"] == size).all() and size == 36
    assert stayed.max() < n / size + 6 * (n / size) ** 0.5
    assert len(streams) == n + 1


@pytest.mark.parametrize("name", ["fresh", "recruit", "option", "discard", "over", "exhausted"])
def test_deck_order_is_hidden(name):
    env = kinds_of_states(3)[name]
    saved = env.to_dict()
    for place in ("castle", "village"):
        saved["decks"][place] = saved["decks"][place][::-1]
    saved["rng"] = "0x123"
    twin = chateau_combo_v0.raw_env.from_dict(saved)
    assert everything_seen(env) == everything_seen(twin)


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("choose", [random_choice, refresh_often, greedy_choice])
def test_nothing_saturates(players, choose):
    """No value lies beyond its declared range, which would be cut off there."""
    checked = ("gold", "keys", "scores")
    high = {s.name: s.high for s in GAME.views["features"].segments if s.name in checked}
    assert set(high) == set(checked)
    for seed in range(15):
        env = new_env(players, seed)
        for _ in visited(env, choose, seed):
            for player, points in zip(env.to_dict()["players"], env.scores().values(), strict=True):
                assert 0 <= player["gold"] <= high["gold"]
                assert 0 <= player["keys"] <= high["keys"]
                assert 0 <= points <= high["scores"]


@pytest.mark.parametrize("choose", [random_choice, greedy_choice])
def test_gains_do_not_saturate(choose):
    for seed in range(6):
        env = new_env(2, seed, observation="tokens", extras=EVERY_EXTRA)
        for _ in visited(env, choose, seed):
            seen_now = env.decode_observation(env.observe(env.agent_selection)["observation"])
            for name in ("gains", "gold_gains", "key_gains", "gains_moved"):
                segment = next(s for s in env.layout.segments if s.name == name)
                assert segment.low < seen_now[name].min() <= seen_now[name].max() < segment.high


@pytest.mark.parametrize("seats", [2, 5])
def test_scaled_features_are_the_batch_integers_bit_by_bit(seats):
    batch = castle_envs.batch(
        "chateau_combo", 1, observation="features", seats=seats, extras=EVERY_EXTRA
    )
    env = new_env(2, 3, seats=seats, extras=EVERY_EXTRA)
    layout = env.layout
    for _ in visited(env, seed=3):
        states, _ = GAME.from_dict(env.to_dict(), "full")
        for seat in range(2):
            whole = batch.observe(np.array([seat]), states)[0]
            vector = env.observe(f"player_{seat}")["observation"]
            assert whole.dtype == np.int8 and vector.dtype == np.float32
            assert layout.scaled(whole).tobytes() == vector.tobytes()
            assert np.array_equal(layout.unscaled(vector), whole)
            named = layout.decode(whole)
            assert all(np.array_equal(named[k], v) for k, v in layout.decode(vector).items())
            assert np.array_equal(layout.flags(named), whole)


@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize("extras", [None, (), EVERY_EXTRA, ("scores",), ("gains", "totals")])
def test_observations_lie_in_their_spaces(view, extras):
    env = new_env(3, 4, observation=view, extras=extras, seats=4)
    for _ in visited(env, refresh_often, 4):
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())
    assert np.array_equal(env.state(), env.observe("player_0")["observation"])


def test_extras_leave_the_rest_in_place():
    """Without its extras a layout holds the same named values."""
    env = new_env(2, 6, extras=EVERY_EXTRA)
    for _ in visited(env, seed=6):
        bare = chateau_combo_v0.raw_env.from_dict(env.to_dict(), extras=())
        every = env.decode_observation(env.observe("player_1")["observation"])
        few = bare.decode_observation(bare.observe("player_1")["observation"])
        assert set(every) - set(few) == {s.name for s in GAME.views["features"].segments if s.extra}
        assert all(np.array_equal(every[name], values) for name, values in few.items())
