"""The compiled tables say what the file says, and the file says what is published."""

import itertools

import numpy as np
import pytest

from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up import provenance, words
from castle_envs.games.castle_up.schema import TOKENS

BUILDINGS = {card["id"]: card for card in c.BUILDINGS}


@pytest.mark.parametrize("card", c.CARDS, ids=lambda card: card["id"])
def test_numbers(card):
    kind = c.KIND_OF[card["id"]]
    assert c.CARD_IDS[kind] == card["id"]
    assert c.COST[kind].tolist() == [card["cost"][t] for t in TOKENS]
    assert c.SIZE[kind] == sum(card["cost"].values())
    assert c.ENDURANCE[kind] == (card["endurance"] or 0)
    assert c.REPAIR_COST[kind] == (card["repair_cost"] or 0)
    source = card["promotes_from"]
    assert c.PROMOTES_FROM[kind] == (c.KIND_OF[source] if source else 0)
    suit = card["suit"]
    assert c.SUIT[kind] == (["red", "green", "blue", "gold"].index(suit) if suit else 4)
    era = card.get("era", card.get("scoring_era"))
    points = {"gold": era + 1 if era else 0, None: 0}.get(suit, era)
    assert c.POINTS[kind] == points


@pytest.mark.parametrize("card", c.CARDS, ids=lambda card: card["id"])
def test_actions(card):
    compiled = c.CARD_ACTIONS[c.KIND_OF[card["id"]]].tolist()
    assert [n > 0 for n in compiled] == [i < len(card["actions"]) for i in range(3)]
    for number, action in zip(compiled, card["actions"], strict=False):
        check_action(number, action)


def check_action(number, action):
    assert c.IS_ACTIVE[number] == (action["kind"] == "active")
    named = [w for w, bit in c.WINDOW_BITS.items() if c.ACTION_WINDOWS[number] & bit]
    assert sorted(named) == sorted(action["windows"])
    assert c.PRICE[number].tolist() == [action["pay"][t] for t in TOKENS]
    assert c.SELF_DAMAGE[number] == action["self_damage"]
    other = action["exhaust_other"] or {"count": 0, "suit": None}
    assert c.OTHERS[number] == other["count"]
    effects = range(c.FIRST_EFFECT[number], c.LAST_EFFECT[number])
    for e, effect in zip(effects, action["effects"], strict=True):
        assert c.EFFECT_TYPES[c.EFFECT[e]] == effect["type"]
        check_amounts(e, effect)


def check_amounts(e, effect):
    """An amount is base + mult times the cards of a suit."""
    if effect["type"] == "gain":
        amounts = [effect["resources"].get(t, 0) for t in TOKENS]
    else:
        key = {"attack": "points", "defense": "points", "purchase_from": "discount"}
        amounts = [effect[key.get(effect["type"], "count")], 0, 0, 0, 0]
    for column, amount in enumerate(amounts):
        if isinstance(amount, dict):
            assert c.BASE[e, column] == amount["base"]
            assert c.X_TIMES[e, column] == amount["mult"]
            assert c.X_SUIT[e, column] == ["red", "green", "blue", "gold"].index(amount["suit"])
        else:
            assert (c.BASE[e, column], c.X_TIMES[e, column]) == (amount, 0)
    if effect["type"] == "purchase_from":
        assert (c.SOURCE[e] == c.FROM_DECK) == (effect["source"] == "deck_top")


@pytest.mark.parametrize(
    ("role", "side", "era"), list(itertools.product(range(4), range(2), range(3)))
)
def test_action_cards(role, side, era):
    card, key = c.ROLE_CARDS[role][side], str(era + 1)
    price = card["resource_cost_by_era"][key]
    assert c.ROLE_COST[role, side, era].tolist() == [price[t] for t in TOKENS]
    first, last = c.ROLE_EFFECTS[role, side, era]
    bought = [c.EFFECT_TYPES[c.EFFECT[e]] for e in range(first, last)]
    assert bought == [effect["type"] for effect in card["on_purchase_by_era"][key]]
    held = card["held_actions_by_era"][key]
    assert (c.ROLE_ACTION[role, side, era] > 0) == bool(held)
    if held:
        check_action(c.ROLE_ACTION[role, side, era], held[0])


def test_loot():
    assert c.LOOT_POINTS.tolist() == [3, -1]
    assert c.LOOT_TIMES.tolist() == [1, 0]
    first, last = c.LOOT_EFFECTS[0]
    assert last - first == 1 and c.BASE[first].tolist() == [0, 0, 0, 4, 0]


def test_box():
    base = [card for card in c.BUILDINGS if card["set"] == "base"]
    for era in (1, 2, 3):
        assert sum(card["copies"] for card in base if card["era"] == era) == 18
    new = [card for card in c.BUILDINGS if card["set"] == "feasts_and_fury"]
    combinations = {(card["era"], card["suit"]) for card in new}
    assert len(new) == len(combinations) == 12
    assert c.START_GOLD[2, :2].tolist() == [1, 2]
    assert c.START_GOLD[3, :3].tolist() == [1, 1, 2]
    assert c.START_GOLD[4].tolist() == [1, 1, 2, 2]
    assert (c.CONTROL, c.SHARED_CONTROL) == (3, 1)
    assert (c.EXCHANGE_PAYS, c.EXCHANGE_GAINS) == (3, 1)
    assert c.TAKEN_OUT.tolist() == [[0, 2], [4, 6]]


def cost_of(name):
    return {k: v for k, v in BUILDINGS[name]["cost"].items() if v}


def action_of(name, index=0):
    return words.action_in_words(BUILDINGS[name]["actions"][index])


def test_published_facts():
    """The table of facts about single cards, and the rulebook's sections they come from."""
    basic = c.CASTLES[0]
    assert basic["suit"] is None and basic["scoring"] == []
    assert [words.action_in_words(a) for a in basic["actions"]] == [
        "gain 1 M + 1 S + 1 F",
        "gain 2 any",
        "+1 purchase action",
    ]
    assert cost_of("archery_range") == {"manpower": 2}
    assert BUILDINGS["archery_range"]["repair_cost"] == 1
    assert cost_of("workshop") == {"supplies": 5, "manpower": 1}
    assert BUILDINGS["soldiers_barracks"]["promotes_from"] == "militia_barracks"
    assert BUILDINGS["soldiers_barracks"]["era"] > BUILDINGS["militia_barracks"]["era"]
    assert BUILDINGS["soldiers_barracks"]["copies"] >= 2
    assert action_of("soldiers_barracks") == "attack 4"
    assert action_of("command_post") == "+1 battle phase"
    assert action_of("stone_wall") == "defense 8"
    assert action_of("market") == "gain 1 S + 1 F"
    assert BUILDINGS["market"]["repair_cost"] == 1
    assert BUILDINGS["goldmine"]["endurance"] == 4
    assert BUILDINGS["town_hall"]["repair_cost"] == 2
    assert action_of("town_hall") == "buy the top of the deck"
    assert action_of("dump").startswith("buy the top of the discard pile")
    assert action_of("heavy_crane") == "+1 purchase action"
    assert action_of("thieves_guild") == "passive: pay 3 any: gain 1 G"
    for name in ("knights_barracks", "fortified_wall", "tax_office"):
        assert "cards)" in action_of(name)
    assert {card["repair_cost"] for card in c.BUILDINGS} == {1, 2, 3}
    assert len(c.CASTLES) >= 5
    prices = [c.ROLE_COST[0, 0, era].tolist() for era in range(3)]
    assert prices[0] == [0, 0, 0, 1, 0] and prices[2] == [0, 0, 0, 0, 1]
    assert not c.ROLE_COST[1:, 0].any(), "taxes, defenses and loot cost no tokens"


def test_provenance_is_visible():
    text = provenance.listing()
    assert "reconstruct" in text.splitlines()[2]
    for card in c.CARDS:
        assert card["title"] in text
    for role in c.ROLE_CARDS:
        for side in role:
            assert side["title"] in text
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("- Workshop"))
    assert "cost [rulebook]" in lines[at + 1] and "endurance" not in lines[at + 1]
    at = next(i for i, line in enumerate(lines) if line.startswith("- Farm "))
    assert lines[at + 1].strip() == "published: nothing, all reconstructed"
    marks = provenance.counts()
    assert marks["reconstructed"] > marks["facts"] > 30


def test_words_for_every_card():
    for kind in range(1, c.NUM_KINDS):
        assert words.card_in_words(kind).startswith(c.CARDS[kind - 1]["title"])


def test_lanes_of_a_cost():
    """A need of 1 M 2 S 3 F 4 any 5 gold, by hand: gold with each subset, then everything."""
    low, high = c.cost_lanes([1, 2, 3, 4, 5])
    found = [low >> c.LANE * i & 0x7FFF for i in range(4)]
    found += [high >> c.LANE * i & 0x7FFF for i in range(4)]
    assert found == [5, 6, 7, 8, 8, 9, 10, 15]
    assert np.array(c.GIVE).shape == (5, 8)
