"""Points, ranks and damage of random positions, counted once more from the rules reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs.engine.rewards import make_ranks
from castle_envs.games.castle_up import GAME, breakdown
from castle_envs.games.castle_up.actions import Attack, Done
from castle_envs.games.castle_up.cards import BUILDINGS, CASTLES
from tests.castle_up.oracle import CARDS
from tests.castle_up.positions import city, play, seat, table, tokens
from tests.castle_up.replay import legal

SUITS = ("red", "green", "blue")
BUILDING = st.sampled_from([card["id"] for card in BUILDINGS])
STATUS = st.sampled_from(["ready", "exhausted", "damaged"])


@st.composite
def tables(draw):
    """Cities of 2 to 4 seats, and the suits named for undamaged wild cards."""
    n = draw(st.integers(2, 4))
    castle_ids = [card["id"] for card in CASTLES]
    castles = draw(st.lists(st.sampled_from(castle_ids), min_size=n, max_size=n, unique=True))
    cities, named = [], []
    for who in range(n):
        cards = draw(st.lists(st.tuples(BUILDING, STATUS), max_size=6))
        cities.append([[castles[who], "ready"], *map(list, cards)])
        for slot, (name, status) in enumerate(cities[-1]):
            if status != "damaged" and is_wild(name):
                named.append([who, slot, draw(st.sampled_from(SUITS))])
    return cities, named


def is_wild(name):
    return any(rule["type"] == "wild_suit" for rule in CARDS[name]["scoring"])


def era(name):
    return CARDS[name].get("era") or CARDS[name].get("scoring_era")


def undamaged(cards):
    return [name for name, status in cards if status != "damaged"]


def card_points(cards):
    """1, 2, 3 by era; golden ones 2, 3, 4; a castle without a suit nothing."""
    suited = [name for name in undamaged(cards) if CARDS[name]["suit"]]
    return sum(era(name) + (CARDS[name]["suit"] == "gold") for name in suited)


def extra_points(cards):
    points = 0
    for name in undamaged(cards):
        for rule in CARDS[name]["scoring"]:
            if rule["type"] == "bonus_points":
                points += rule["points"]
            elif rule["type"] == "bonus_per_suit":
                same = [n for n in undamaged(cards) if CARDS[n]["suit"] == rule["suit"]]
                points += rule["points"] * len(same)
    return points


def standing(who, suit, cities, named):
    """Number of cards that count there, then those of era III, then those of era II."""
    eras = [era(n) for n in undamaged(cities[who]) if CARDS[n]["suit"] == suit and not is_wild(n)]
    eras += [era(cities[who][slot][0]) for w, slot, s in named if (w, s) == (who, suit)]
    return len(eras), eras.count(3), eras.count(2)


def control(who, cities, named):
    points = 0
    for suit in SUITS:
        standings = [standing(w, suit, cities, named) for w in range(len(cities))]
        if standings[who][0] and standings[who] == max(standings):
            points += 3 if standings.count(max(standings)) == 1 else 1
    return points


@settings(max_examples=200, deadline=None)
@given(tables())
def test_points_and_ranks(drawn):
    cities, named = drawn
    nobody = {"tokens": [0] * 4, "held": {}}
    position = {
        "options": {"players": len(cities), "expansion": True},
        "seats": [nobody | {"city": cards} for cards in cities],
        "state": "OVER",
        "named": named,
    }
    states, _ = GAME.from_dict(position, "position")
    points, ranks = np.zeros(4, np.int32), np.zeros(4, np.int32)
    GAME.scores(states[0], points)
    make_ranks(GAME)(states[0], points, ranks)
    order = []
    for who, cards in enumerate(cities):
        found = breakdown(states, who)
        expected = (card_points(cards), control(who, cities, named), extra_points(cards))
        assert (found["cards"], found["control"], found["extra"]) == expected
        assert found["total"] == points[who] == sum(expected)
        golden = sum(CARDS[name]["suit"] == "gold" for name, _ in cards)
        assert found["golden"] == golden
        order.append((sum(expected), golden))
    for who, own in enumerate(order):
        assert ranks[who] == sum(other > own for other in order)


@pytest.mark.parametrize("status", ["ready", "exhausted", "damaged"])
@pytest.mark.parametrize("card", BUILDINGS, ids=lambda card: card["id"])
def test_damage(card, status):
    """One point below and at each step: E damages, 2 E destroys; a damaged card falls at E."""
    name, endurance, size = card["id"], card["endurance"], sum(card["cost"].values())
    defense = 3
    for damage in (0, endurance - 1, endurance, 2 * endurance - 1, 2 * endurance):
        own = seat("castle e", f"{name} {status[0]}", "archery_range")
        env = play(table(seat("castle e", "soldiers_barracks"), own), Attack(1, 1))
        values = env.to_dict()
        assert values["state"] == "DEFENSE"
        values["battle"] |= {"attack": damage + defense, "defense": defense}
        env = play(type(env).from_dict(values, check="position"), Done())
        while env.to_dict()["state"] == "COMPENSATE":
            assert env.agent_selection == "player_1"
            play(env, legal(env)[-1])
        found = city(env, 1)[1]
        if damage >= (1 if status == "damaged" else 2) * endurance:
            assert found is None and env.to_dict()["discard"] == [name]
            assert sum(tokens(env, 1)) == size // 2
        else:
            hit = status == "damaged" or damage >= endurance
            assert found == f"{name} {'d' if hit else status[0]}"
            assert tokens(env, 1) == [0, 0, 0, 0]
        assert env.to_dict()["state"] == "MAIN" and env.agent_selection == "player_0"
