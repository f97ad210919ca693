"""Every condition on a card file, broken one at a time: the error names card and field."""

import copy
import json
from importlib.resources import files

import pytest

from castle_envs.games.castle_up.cards import read
from castle_envs.games.castle_up.schema import CardFileError, check

DATA = json.loads(files("castle_envs.games.castle_up").joinpath("cards.json").read_text("utf-8"))
NOTHING = dict.fromkeys(("manpower", "supplies", "food", "any", "gold"), 0)


@pytest.fixture
def data():
    return copy.deepcopy(DATA)


def card(data, name):
    return next(c for c in data["buildings"] + data["castles"] if c["id"] == name)


def action(**values):
    plain = {
        "kind": "active",
        "windows": ["main"],
        "pay": dict(NOTHING),
        "self_damage": False,
        "exhaust_other": None,
        "effects": [{"type": "purchase_action", "count": 1}],
    }
    return plain | values


def gain(**resources):
    return [{"type": "gain", "resources": resources}]


def refused(data, *words):
    with pytest.raises(CardFileError) as error:
        check(data)
    for word in words:
        assert word in str(error.value)


def test_the_shipped_list_is_accepted(data):
    check(data)


# Termination and exact masks (reference, section 11) ---------------------------------------------


def test_at_most_three_actions_a_card(data):
    card(data, "farm")["actions"] *= 4
    refused(data, "farm", "actions", "three")


def test_one_held_action_an_action_card_and_era(data):
    front = data["action_cards"][2]["front"]
    front["held_actions_by_era"]["2"] *= 2
    refused(data, "prepare_defenses", "held_actions_by_era")


@pytest.mark.parametrize("field", ["cost", "self_damage", "targetable", "endurance"])
def test_castles(data, field):
    castle = card(data, "castle_red")
    if field == "cost":
        castle["cost"]["food"] = 1
    elif field == "self_damage":
        castle["actions"][0]["self_damage"] = True
    elif field == "targetable":
        castle["targetable"] = True
    else:
        castle["endurance"] = 3
    refused(data, "castle_red", "actions" if field == "self_damage" else field)


def test_positive_cost(data):
    card(data, "farm")["cost"] = dict(NOTHING)
    refused(data, "farm", "cost", "positive")


@pytest.mark.parametrize("value", [0, -1, None, True, "3", 1000])
def test_positive_endurance(data, value):
    card(data, "farm")["endurance"] = value
    refused(data, "farm", "endurance")


@pytest.mark.parametrize("kind", ["attack", "defense"])
@pytest.mark.parametrize("windows", [["main"], ["attack", "main"], ["defense_combo"]])
def test_points_stand_in_their_own_window(data, kind, windows):
    card(data, "farm")["actions"] = [action(windows=windows, effects=[{"type": kind, "points": 1}])]
    refused(data, "farm", "windows", kind)


@pytest.mark.parametrize("windows", [["attack"], ["defense"], ["main", "attack"]])
def test_other_effects_stand_in_main(data, windows):
    card(data, "farm")["actions"] = [action(windows=windows)]
    refused(data, "farm", "windows", "purchase_action")


def test_combos_are_pure_gains(data):
    effects = [*gain(food=1), {"type": "repair", "count": 1}]
    card(data, "farm")["actions"] = [action(windows=["main", "defense_combo"], effects=effects)]
    refused(data, "farm", "windows", "defense_combo")


def passive(**values):
    return action(kind="passive", pay=NOTHING | {"any": 2}, effects=gain(food=1), **values)


def test_a_passive_action_has_a_price(data):
    card(data, "farm")["actions"] = [passive() | {"pay": dict(NOTHING)}]
    refused(data, "farm", "pay", "price")


@pytest.mark.parametrize(
    "field", [{"self_damage": True}, {"exhaust_other": {"count": 1, "suit": None}}]
)
def test_a_passive_action_exhausts_and_damages_nothing(data, field):
    card(data, "farm")["actions"] = [passive() | field]
    refused(data, "farm", "self_damage")


def test_a_passive_action_gains_or_fights_only(data):
    card(data, "farm")["actions"] = [passive() | {"effects": [{"type": "repair", "count": 1}]}]
    refused(data, "farm", "effects")


def test_a_passive_action_gains_no_x(data):
    amount = {"base": 0, "suit": "red", "mult": 1}
    card(data, "farm")["actions"] = [passive() | {"effects": gain(food=amount)}]
    refused(data, "farm", "effects", "X")


@pytest.mark.parametrize(
    ("price", "gained"),
    [
        ({"any": 1}, {"food": 1}),
        ({"any": 2}, {"any": 2}),
        ({"any": 2}, {"gold": 1}),
        ({"gold": 1}, {"any": 3}),
        ({"gold": 1}, {"gold": 1}),
    ],
)
def test_a_passive_conversion_loses_weight(data, price, gained):
    card(data, "farm")["actions"] = [
        passive() | {"pay": NOTHING | price, "effects": gain(**gained)}
    ]
    refused(data, "farm", "effects", "weigh")


@pytest.mark.parametrize(
    ("price", "gained"),
    [({"any": 3}, {"gold": 1}), ({"gold": 1}, {"any": 2}), ({"any": 2}, {"any": 1})],
)
def test_conversions_that_lose_weight_are_accepted(data, price, gained):
    card(data, "farm")["actions"] = [
        passive() | {"pay": NOTHING | price, "effects": gain(**gained)}
    ]
    check(data)


@pytest.mark.parametrize(
    "change",
    [
        {"pay": NOTHING | {"food": 1}},
        {"exhaust_other": {"count": 1, "suit": None}},
        {"self_damage": True},
        {"kind": "passive", "pay": NOTHING | {"food": 1}},
    ],
)
def test_purchase_from_stands_alone(data, change):
    buys = [{"type": "purchase_from", "source": "deck_top", "discount": 0}]
    card(data, "farm")["actions"] = [action(effects=buys) | change]
    refused(data, "farm", "effects", "purchase_from")


def test_purchase_from_is_the_only_effect(data):
    buys = [{"type": "purchase_from", "source": "deck_top", "discount": 0}, *gain(food=1)]
    card(data, "farm")["actions"] = [action(effects=buys)]
    refused(data, "farm", "effects", "purchase_from")


@pytest.mark.parametrize("source", ["stone_wall", "longbow_range", "castle", "moon_base"])
def test_promotion_from_a_building_of_a_lower_era(data, source):
    card(data, "goldmine")["promotes_from"] = source
    refused(data, "goldmine", "promotes_from")


def test_the_supply_covers_the_starting_gold(data):
    data["token_supply"]["gold"] = 5
    refused(data, "gold")


def test_exchanges_do_not_pay_for_each_other(data):
    data["free_exchange"]["gain_gold"] = 2
    refused(data, "free_exchange", "gain_gold")


# The shape of the file ---------------------------------------------------------------------------


def test_an_action_card_gives_one_purchase_action_at_most(data):
    bought = data["action_cards"][0]["back"]["on_purchase_by_era"]
    bought["1"].append({"type": "purchase_action", "count": 1})
    refused(data, "royal_decree", "on_purchase_by_era")


@pytest.mark.parametrize(
    "key", sorted(set(DATA) - {"title", "status", "provenance_values", "vocabulary"})
)
def test_missing_parts(data, key):
    del data[key]
    refused(data, key, "missing")


@pytest.mark.parametrize("field", sorted(set(DATA["buildings"][0]) - {"note", "provenance"}))
def test_missing_fields(data, field):
    del card(data, "tavern")[field]
    refused(data, field, "missing")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("era", 4),
        ("suit", "purple"),
        ("copies", 0),
        ("repair_cost", 0),
        ("set", "other"),
        ("cost", {"food": 1}),
        ("cost", NOTHING | {"silver": 1}),
        ("actions", {}),
        ("scoring", [{"type": "magic"}]),
        ("scoring", [{"type": "bonus_per_suit", "points": 1, "suit": "purple"}]),
        ("id", "market"),
        ("title", 5),
    ],
)
def test_wrong_values(data, field, value):
    card(data, "tavern")[field] = value
    refused(data, "market" if field == "id" else "tavern", field)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "slow"),
        ("windows", []),
        ("windows", ["night"]),
        ("windows", [["main"]]),
        ("windows", ["main", "main"]),
        ("self_damage", 2),
        ("exhaust_other", {"count": 0, "suit": None}),
        ("effects", []),
        ("effects", [{"type": "magic"}]),
        ("effects", [{"type": "repair"}]),
        ("effects", [{"type": "gain", "resources": {"silver": 1}}]),
        ("effects", [{"type": "gain", "resources": {"food": {"base": 1, "suit": "x", "mult": 1}}}]),
        ("effects", [{"type": "take_initiative"}]),
    ],
)
def test_wrong_actions(data, field, value):
    card(data, "tavern")["actions"] = [action() | {field: value}]
    refused(data, "tavern")


@pytest.mark.parametrize("limit", sorted(DATA["limits"]))
def test_limits_are_fixed(data, limit):
    data["limits"][limit] += 1
    refused(data, "limits", limit)


def test_removal_leaves_no_negative_stack(data):
    data["variants"]["expansion_remove_per_era"] = 19
    refused(data, "variants", "expansion_remove_per_era")


@pytest.mark.parametrize("value", [None, "3", -1, 1.5, [1], 1000])
def test_card_points_are_numbers(data, value):
    data["card_points"]["green"][1] = value
    refused(data, "card_points.green", "2")


def test_exactly_one_basic_castle(data):
    card(data, "castle")["set"] = "base_asymmetric"
    refused(data, "castles")


def test_loot_only_on_the_military_card(data):
    loot = data["action_cards"][3]["front"]["loot"]
    data["action_cards"][0]["front"]["loot"] = loot
    refused(data, "take_initiative", "loot")


def test_unreadable_files(tmp_path):
    with pytest.raises(CardFileError, match="nowhere"):
        read(tmp_path / "nowhere.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(CardFileError, match="broken"):
        read(tmp_path / "broken.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(CardFileError):
        read(tmp_path / "list.json")
