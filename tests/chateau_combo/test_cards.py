"""Every card by itself: its effect and its scoring against the oracle, and the table of totals."""

import json
import random
from collections import Counter
from importlib.resources import files

import pytest

from castle_envs.games.chateau_combo import actions
from tests.chateau_combo import oracle, table
from tests.chateau_combo.oracle import CARDS, DATA, IDS, PLACES, SHIELDS
from tests.chateau_combo.positions import env_at, player
from tests.chateau_combo.tableaus import (
    entry,
    extreme_tableau,
    random_tableau,
    rows_with,
    shape,
    shuffled,
)

ID_OF = {table.name(actions.decode(action)): action for action in range(103)}
GRID = [(row, column) for row in range(3) for column in range(3)]


# Effects ---------------------------------------------------------------------------------------


def effects_of(card):
    """Plain effects of a card, options included."""
    for effect in CARDS[card]["abilities"]:
        yield from effect["options"] if effect["kind"] == "choose_one" else [effect]


def play_card(env, card, slot, face_down=False):
    """All states in which a turn with the card can end, each checked against the table."""
    before = table.public(env.to_dict())
    cells = sorted(m for m in table.legal(before) if m[:3] == ("recruit", slot, face_down))
    ends, open_moves = [], [(env, cells[len(cells) // 2])]
    while open_moves:
        env, move = open_moves.pop()
        before, twin = table.public(env.to_dict()), env.clone()
        twin.step(ID_OF[move])
        after = table.public(twin.to_dict())
        assert after == table.play(before, move, table.order_seen(after)), (card, move)
        if after["phase"] in ("option", "discard"):
            assert {m[0] for m in table.legal(after)} == {after["phase"]}
            open_moves += [(twin, move) for move in table.legal(after)]
        else:
            ends.append(after)
    return ends


def check_effect(card, players, tableaus, cards, rng, gold=60):
    rows, messenger, slot = rows_with(card, cards, rng)
    seats = [{"gold": gold, "keys": rng.randint(0, 9), "tableau": tableau} for tableau in tableaus]
    env = env_at(seats, rows, messenger)
    assert play_card(env, card, slot)
    assert play_card(env, card, slot, face_down=True)
    assert len(seats) == players


@pytest.mark.parametrize("card", IDS)
def test_effect(card):
    rng = random.Random(card)
    for players in (2, 3, 4, 5):
        for own in (0, 1, 4, 8):
            cards = shuffled(rng, card)
            sizes = [own, *(rng.randint(0, 8) for _ in range(players - 1))]
            tableaus = [random_tableau(shape(size, rng), cards, rng) for size in sizes]
            check_effect(card, players, tableaus, cards, rng)
    for effect in effects_of(card):
        if effect.get("per"):
            check_counter(card, effect["per"], rng)
        if "purse" in effect["kind"]:
            check_with_many_purses(card, rng)


def check_with_many_purses(card, rng):
    """Up to eight purses with some gold each: which ones are filled, and how far."""
    for own in (2, 4, 8) * 4:
        cards = shuffled(rng, card)
        cards.sort(key=lambda one: oracle.capacity(entry(one, (0, 0))) > 0)
        tableaus = [random_tableau(shape(own, rng), cards, rng, 0.1), []]
        check_effect(card, 2, tableaus, cards, rng)


def check_counter(card, per, rng):
    """The effect where its counter is as large and as small as may be, here or next door."""
    values = []
    for best in (max, min):
        cards = shuffled(rng, card)
        inner = {**per, "scope": "tableau"}
        counted = extreme_tableau(inner, None, shape(8, rng), cards, best)
        rest = [random_tableau(shape(1, rng), cards, rng, 1.0) for _ in range(2)]
        tableaus = [rest[0], counted, rest[1]] if per.get("scope") == "neighbor" else [counted]
        tableaus += [[] for _ in range(3 - len(tableaus))]
        seats = [{"gold": 0, "keys": 0, "tableau": tableau} for tableau in tableaus]
        values.append(oracle.count(per, seats, 0))
        check_effect(card, 3, tableaus, cards, rng)
    counts_cells = per["count"] == "cells"
    assert values[0] > values[1] or counts_cells


@pytest.mark.parametrize(
    "card", [c for c in IDS if any(e["kind"] == "discount" for e in effects_of(c))]
)
def test_discount(card):
    """A discount acts from the next purchase on, for its owner only; printed costs stay."""
    effect = CARDS[card]["abilities"][0]
    rng = random.Random(card)
    cards = shuffled(rng, card)
    rows, messenger, slot = rows_with(card, cards, rng)
    env = env_at([player(gold=30)] * 2, rows, messenger)
    env.step(ID_OF["recruit", slot, False, 0, 0])
    after = env.to_dict()
    assert after["players"][0]["gold"] == 30 - CARDS[card]["cost"], "never on itself"
    for seat in range(2):
        seen = env.decode_observation(env.observe(f"player_{seat}")["observation"])
        own = [effect[place] if seat == 0 else 0 for place in PLACES]
        assert seen["discounts"][0].tolist() == own
        place = after["messenger"]
        offer = after["rows"][place] + after["rows"][table.other(place)]
        prices = [max(0, CARDS[c]["cost"] - own[PLACES.index(CARDS[c]["place"])]) for c in offer]
        assert seen["prices"].tolist() == prices


# Scoring ---------------------------------------------------------------------------------------


def check_scoring(card, tableau, gold, keys):
    """Compares a whole tableau; returns the counter of the card."""
    mine = {"gold": gold, "keys": keys, "tableau": tableau}
    rows = {}
    lying = {one["card"] for one in tableau}
    for place in PLACES:
        free = [c for c in IDS if CARDS[c]["place"] == place and c not in lying]
        rows[place] = free[:3]
    env = env_at([mine, player()], rows, "village", 1)
    expected = oracle.breakdown(mine)
    assert env.breakdown("player_0") == expected
    assert env.scores()["player_0"] == expected["total"]
    one = next(one for one in tableau if one["card"] == card)
    if one["face_down"]:
        assert expected["cell_points"][3 * one["row"] + one["column"]] == 0
        return 0
    worth, points = expected["cell_points"], CARDS[card]["scoring"]["points"]
    return worth[3 * one["row"] + one["column"]] // points


@pytest.mark.parametrize("card", IDS)
def test_scoring(card):
    rng = random.Random(card)
    per, values = CARDS[card]["scoring"]["per"], set()
    for cell in GRID:
        for face_down in (0.0, 0.3):
            cards = shuffled(rng, card)
            rest = [other for other in GRID if other != cell]
            tableau = [entry(card, cell), *random_tableau(rest, cards, rng, face_down)]
            values.add(check_scoring(card, tableau, rng.randint(0, 30), rng.randint(0, 20)))
    for best in (max, min):
        for cell in ((0, 1), (1, 1), (2, 0)):
            rest = [other for other in GRID if other != cell]
            tableau = extreme_tableau(per, entry(card, cell), rest, shuffled(rng, card), best)
            keys = 20 if best is max else 0
            values.add(check_scoring(card, tableau, keys, keys))
    for size in (1, 2, 4, 7):
        tableau = random_tableau(shape(size, rng), shuffled(rng, card), rng)
        tableau[rng.randrange(size)] |= {"card": card, "face_down": rng.random() < 0.2, "gold": 0}
        check_scoring(card, tableau, rng.randint(0, 9), rng.randint(0, 9))
    assert len(values) > 1, "the counter took one value only"
    starved = {"shield_sets", "identical_shield_sets", "banner_sets", "missing_shield_types"}
    if per["count"] in starved | {"shield_absent", "face_down_present", "position", "keys"}:
        assert 0 in values and max(values) >= 1
    else:
        assert max(values) >= 3


@pytest.mark.parametrize("card", [c for c in IDS if CARDS[c]["scoring"]["per"].get("cells")])
def test_position(card):
    """Points exactly on the cells printed, on a full grid."""
    cells, points = CARDS[card]["scoring"]["per"]["cells"], CARDS[card]["scoring"]["points"]
    others = [c for c in IDS if c != card]
    for at in range(9):
        tableau = [
            entry(card if i == at else others[i], GRID[i], face_down=i != at) for i in range(9)
        ]
        rows = {
            place: [c for c in others[9:] if CARDS[c]["place"] == place][:3] for place in PLACES
        }
        env = env_at([{"gold": 0, "keys": 0, "tableau": tableau}, player()], rows, "castle", 1)
        found = env.breakdown("player_0")["cell_points"]
        assert found == [points if i == at and at in cells else 0 for i in range(9)]


# The deck as a whole ---------------------------------------------------------------------------


def test_package_ships_the_card_file():
    shipped = files("castle_envs.games.chateau_combo").joinpath("cards.json").read_text("utf-8")
    assert json.loads(shipped) == DATA


def of_place(place):
    return [card for card in CARDS.values() if card["place"] == place]


@pytest.mark.parametrize("place", PLACES)
def test_totals_of_place(place):
    cards, totals = of_place(place), DATA["totals"]
    assert len(cards) == totals["cards"][place] == 39
    shields = Counter(oracle.shields_of(cards))
    assert {shield: shields[shield] for shield in SHIELDS} == totals["shields"][place]
    costs = Counter(str(card["cost"]) for card in cards)
    assert costs == totals["cost_histogram"][place]
    towards = [card["messenger"] for card in cards if card["messenger"]]
    assert set(towards) == {table.other(place)}, "every icon points away"
    assert len(towards) == totals["messenger_icons"][table.other(place)] == 19


def test_totals_of_kinds():
    totals = DATA["totals"]
    purses = [card for card in IDS if oracle.capacity(entry(card, (0, 0)))]
    assert len(purses) == totals["purse_cards"] == 11
    assert sum(oracle.has(card, "discount") for card in CARDS.values()) == totals["discount_cards"]
    for kind in ("choose_one", "discard_from_row"):
        found = {card["id"] for card in CARDS.values() if oracle.has(card, kind)}
        assert found == set(totals[f"{kind}_cards"])
