"""Observations say what the state is, no more; every value lies within its declared range."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs import castle_up_v0
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up import features as f
from castle_envs.games.castle_up.state import CITY, HELD, MAIN, PAYMENTS, PHASES, PICKS, ROW
from castle_envs.games.castle_up.usable import action_at
from tests.castle_up.positions import seat, table
from tests.castle_up.walk import (
    busy_choice,
    dealt,
    env_of,
    fighting_choice,
    greedy_choice,
    one_of_each_phase,
    options,
    random_choice,
    state_after,
    visited,
)

VIEWS = ("features", "tokens")


def see(states, who, view, seats=None, extras=("scores",)):
    layout = GAME.layout(view, seats or int(states[0].num_players), extras)
    out = np.full(layout.size, 99, np.int16)
    GAME.views[view].observe(states[0], who, layout.seats, layout.starts, out)
    return layout, out


def decoded(states, who, view, seats=None):
    layout, out = see(states, who, view, seats)
    return layout.decode(out)


def one_hot(size, *places):
    found = np.zeros(size, int)
    found[[p for p in places if p >= 0]] = 1
    return found.tolist()


def check_public(g, who, seen):
    n = int(g.num_players)
    order = [(who + i) % n for i in range(n)]
    place = {seat: i for i, seat in enumerate(order)}

    def same(name, value):
        assert seen[name].tolist() == value, name

    same("state", one_hot(len(PHASES), -1 if g.over else g.phase))
    same("deciding", one_hot(n, -1 if g.over else place[g.seat]))
    same("active", one_hot(n, place[g.active]))
    turns = [(int(g.first) + i) % n for i in range(n)]
    gone = turns[: turns.index(g.active) + 1]
    same("to_come", [int(s not in gone) for s in order])
    same("present", [1] * n)
    same("initiative", one_hot(n, place[g.initiative]))
    same("next_initiative", one_hot(n, place.get(int(g.next_initiative), -1)))
    for name, field in (
        ("round", "round_number"),
        ("purchases", "purchases"),
        ("battles", "battles"),
        ("deck_size", "deck_size"),
        ("discard_size", "discard_size"),
        ("free_target", "free_target"),
        ("looting", "looting"),
        ("attack", "attack"),
        ("defense", "defense"),
        ("gain_left", "gain_left"),
        ("pick_left", "pick_left"),
        ("discount", "discount"),
        ("credit_left", "credit_left"),
        ("wild", "wild"),
    ):
        same(name, [int(g[field])])
    same("era", one_hot(3, g.era - 1))
    same("counterclockwise", [int(g.direction < 0)])
    deck = np.bincount(g.deck[: g.deck_size], minlength=c.NUM_BUILDINGS + 1)
    same("in_deck", deck[1:].tolist())
    pile = np.bincount(g.discard[: g.discard_size], minlength=c.NUM_BUILDINGS + 1)
    same("in_pile", pile[1:].tolist())
    same("supply", g.supply.tolist())
    same("tokens", g.tokens[order].tolist())
    healthy = [g.city[s][(g.status[s] != 2)] for s in order]
    same("suits", [[int((c.SUIT[k] == suit).sum()) for suit in range(4)] for k in healthy])
    same("holder", [(g.holder == s).astype(int).tolist() for s in order])
    same("held_ready", g.held_ready.tolist())
    same("looted", g.looted.tolist())
    same("reverse", g.sides.tolist())
    same("status", np.where(g.city > 0, g.status + 1, 0)[order].tolist())
    same("used", g.used[order].tolist())
    same("named", g.named[order].tolist())
    target = np.zeros((n, CITY), int)
    if g.target_seat >= 0:
        target[place[g.target_seat], g.target_slot] = 1
    same("target", target.tolist())
    same("mode", one_hot(3, {0: 0, 9: 1, 10: 2}[int(g.mode)]))
    same("source", one_hot(HELD + 4, g.source))
    index = next(
        (k for k in range(3) if action_at(g, int(g.seat), int(g.source), k) == g.action), -1
    )
    same("performing", one_hot(3, index if g.action else -1))
    same("effects_left", [int(g.last_effect - g.effect)])
    same("pick", one_hot(len(PICKS) - 1, g.pick - 1))
    same("paying", one_hot(len(PAYMENTS) - 1, g.paying - 1))
    same("need", g.need.tolist())
    same("printed", g.printed.tolist())
    same("buying_card", one_hot(4, g.role if g.paying == 3 else -1))
    same("buy_from", one_hot(ROW + 2, g.buy_from))
    same("taken", [int(g.taken) >> s & 1 for s in range(CITY)])
    same("credit_slot", one_hot(CITY + 1, g.credit_slot))
    points = np.zeros(4, np.int32)
    GAME.scores(g, points)
    same("scores", points[order].tolist())
    return order


def offers(g):
    deck = g.deck[g.deck_size - 1] if g.deck_size else 0
    pile = g.discard[g.discard_size - 1] if g.discard_size else 0
    return [*g.row.tolist(), int(deck), int(pile)]


def check_features(g, order, seen):
    own = g.city[order[0]]
    assert (seen["own_flags"] == f.OWN_FLAGS[own]).all()
    numbers = f.OWN_NUMBERS[own].astype(int)
    for slot, kind in enumerate(own):
        for index in range(3):
            action = c.CARD_ACTIONS[kind, index]
            for e in range(c.FIRST_EFFECT[action], c.LAST_EFFECT[action]):
                for column in range(5):
                    times = int(c.X_TIMES[e, column])
                    if times:
                        suit = c.X_SUIT[e, column]
                        healthy = g.city[order[0]][g.status[order[0]] != 2]
                        more = times * (int((c.SUIT[healthy] == suit).sum()) - 1)
                        does = c.EFFECT_TYPES[c.EFFECT[e]]
                        place = {"attack": 0, "defense": 1, "gain": 2 + column}[does]
                        numbers[slot, 3 + 8 * index + place] += more
    assert (seen["own_numbers"] == numbers).all()
    others = g.city[order[1:]]
    assert (seen["other_flags"] == f.CARD_FLAGS[others]).all()
    assert (seen["other_numbers"] == f.OTHER_NUMBERS[others]).all()
    assert (seen["offer_flags"] == f.OFFER_FLAGS[offers(g)]).all()
    assert (seen["offer_numbers"] == f.OFFER_NUMBERS[offers(g)]).all()


def check_seen(states):
    g = states[0]
    for who in range(g.num_players):
        seen = decoded(states, who, "features")
        check_features(g, check_public(g, who, seen), seen)
        seen = decoded(states, who, "tokens")
        order = check_public(g, who, seen)
        assert (seen["city"] == g.city[order]).all()
        assert seen["offer"].tolist() == offers(g)


@settings(max_examples=15, deadline=None)
@given(options(), st.integers(0, 10**6), st.sampled_from([random_choice, busy_choice]))
def test_decoding_gives_the_state(keywords, seed, choose):
    for i, states in enumerate(visited(dealt(keywords, seed), seed, choose)):
        if i % 5 == 0:
            check_seen(states)


def test_decoding_gives_every_kind_of_decision():
    for states in one_of_each_phase().values():
        check_seen(states)


def test_sub_decisions_can_be_told_apart():
    """What is pending shows: two payments that differ in what is owed look different."""
    for name, states in one_of_each_phase().items():
        if name in ("MAIN", "OVER", "TURN_ATTACKS"):
            continue
        seen = decoded(states, int(states[0].seat), "features")
        assert seen["state"][PHASES.index(name)] == 1


@pytest.mark.parametrize("choose", [random_choice, greedy_choice, fighting_choice, busy_choice])
def test_no_value_reaches_its_bound(choose):
    """Nothing saturates: clipped values would be the bound itself, which real ones stay below."""
    clipped = ("round", "purchases", "battles", "attack", "defense", "looted", "effects_left")
    clipped += ("gain_left", "credit_left", "wild", "scores", "own_numbers", "discount")
    for seed in range(40):
        keywords = {"num_players": 2 + seed % 3, "expansion": seed % 2 == 0, "castles": "random"}
        for states in visited(dealt(keywords, seed), seed, choose):
            who = int(states[0].seat)
            layout, out = see(states, who, "features")
            assert (out >= layout.low).all() and (out <= layout.high).all()
            for name in clipped:
                where = layout.slices[name]
                assert (out[where] < layout.high[where]).all() or name == "own_numbers"
            layout, out = see(states, who, "tokens")
            assert (out >= layout.low).all() and (out <= layout.high).all()


def test_positions_out_of_range_saturate():
    rich = seat("castle", tokens=(500, 0, 0, 0))
    env = table(rich, deck=["farm"] * 50, round=999, purchases=500, battles=99)
    vector = env.observe("player_0")["observation"]
    assert vector.min() >= 0 and vector.max() <= 1
    seen = env.decode_observation(vector)
    assert seen["tokens"][0].tolist() == [20, 0, 0, 0] and seen["in_deck"].max() == 2


@settings(max_examples=20, deadline=None)
@given(options(), st.integers(0, 10**6), st.integers(0, 120), st.sampled_from(VIEWS))
def test_hidden_information_stays_hidden(keywords, seed, steps, view):
    """The order of the deck below its top card does not show, to nobody."""
    states = state_after(keywords, seed, steps)
    other = states.copy()
    GAME.redeal(other[0], 0, np.uint64(seed + 1))
    for who in range(int(states[0].num_players)):
        assert (see(states, who, view)[1] == see(other, who, view)[1]).all()


@pytest.mark.parametrize("view", VIEWS)
def test_room_for_more_seats(view):
    """With more seats the own part is the same, absent seats are zero."""
    states = state_after({"num_players": 2}, 3, 100)
    small, large = decoded(states, 1, view), decoded(states, 1, view, 4)
    for name, value in small.items():
        wide = large[name]
        if value.shape == wide.shape:
            assert (value == wide).all(), name
        else:
            assert (wide[: len(value)] == value).all() and not wide[len(value) :].any(), name


@pytest.mark.parametrize("view", VIEWS)
def test_extras_leave_the_rest_as_it_is(view):
    states = dealt({"num_players": 3}, 1)
    with_scores, without = see(states, 1, view), see(states, 1, view, extras=())
    assert with_scores[0].size == without[0].size + 3
    rest = {
        k: v.tolist() for k, v in with_scores[0].decode(with_scores[1]).items() if k != "scores"
    }
    assert rest == {k: v.tolist() for k, v in without[0].decode(without[1]).items()}


def test_the_environment_shows_the_same():
    for states in list(one_of_each_phase().values())[:6]:
        env = env_of(states)
        for who, agent in enumerate(env.possible_agents):
            vector = env.observe(agent)["observation"]
            assert vector.dtype == np.float32
            _, out = see(states, who, "features")
            assert (env.layout.unscaled(vector) == out).all()


def test_layout_is_declared_once():
    env = castle_up_v0.env(observation="tokens")
    assert env.observation_space("player_0")["observation"].dtype == np.int16
    for view in VIEWS:
        names = [s.name for s in GAME.views[view].segments]
        assert len(set(names)) == len(names)
        for segment in GAME.views[view].segments:
            assert 0 <= segment.low < segment.high <= 127 and segment.meaning
    assert MAIN == 0


def test_hints_fit_the_layout():
    hints = GAME.hints
    layout = GAME.layout("tokens", 2)
    assert hints.card_features.shape[0] == c.NUM_KINDS
    for name in hints.card_segments:
        assert layout.high[layout.slices[name]].max() < c.NUM_KINDS
    for pointer in hints.pointers:
        size = layout.slices[pointer.segment].stop - layout.slices[pointer.segment].start
        assert pointer.start + pointer.count <= size
        names = GAME.action_names[pointer.first_action :]
        assert len(names) >= pointer.count * pointer.ways[0] * pointer.ways[1]
