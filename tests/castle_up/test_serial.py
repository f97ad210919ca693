"""States as dicts: round trips at every decision, and what is refused, by name."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs import castle_up_v0
from castle_envs.engine.errors import StateError
from castle_envs.games.castle_up import GAME
from tests.castle_up.walk import (
    busy_choice,
    dealt,
    fighting_choice,
    one_of_each_phase,
    options,
    visited,
)


def through_json(states):
    return json.loads(json.dumps(GAME.to_dict(states)))


@settings(max_examples=20, deadline=None)
@given(options(), st.integers(0, 10**6), st.sampled_from([fighting_choice, busy_choice]))
def test_round_trip(keywords, seed, choose):
    """Every state of a game, bit by bit; play goes on alike."""
    for i, states in enumerate(visited(dealt(keywords, seed), seed, choose)):
        if i % 7 == 0 or states[0].phase > 0:
            again, found = GAME.from_dict(through_json(states), "full")
            assert again.tobytes() == states.tobytes()
            assert found.num_players == keywords["num_players"]


def test_every_kind_of_decision():
    for name, states in one_of_each_phase().items():
        if name != "SPECIAL":  # made by hand
            again, _ = GAME.from_dict(through_json(states), "full")
            assert again.tobytes() == states.tobytes()
        again, _ = GAME.from_dict(through_json(states), "position")
        assert again.tobytes() == states.tobytes()


def test_options_are_saved():
    keywords = {
        "num_players": 3,
        "castles": ("castle_red", "castle", "castle_blue"),
        "reverse": ("mercantile", "military"),
        "expansion": True,
        "removal": ("farm", "dump"),
        "free_target": True,
    }
    states = dealt(keywords, 4)
    _, found = GAME.from_dict(through_json(states), "full")
    assert found == GAME.options.from_keywords(**keywords)
    for removal in (False, True):
        states = dealt({"removal": removal, "castles": "random"}, 4)
        _, found = GAME.from_dict(through_json(states), "full")
        assert (found.removal, found.castles) == (removal, "random")


def test_environment_round_trip():
    env = castle_up_v0.env(num_players=3, expansion=True, removal=["farm"])
    env.reset(seed=5)
    rng = np.random.default_rng(1)
    for agent in env.agent_iter():
        mask = env.observe(agent)["action_mask"]
        saved = json.loads(json.dumps(env.to_dict()))
        again = castle_up_v0.env.from_dict(saved)
        assert again.get_state() == env.get_state() and again.options == env.options
        env.step(int(rng.choice(np.flatnonzero(mask))) if mask.any() else None)


@pytest.fixture(scope="module")
def saved():
    for i, states in enumerate(visited(dealt({"num_players": 3}, 8), 8, busy_choice)):
        if i >= 90 and states[0].phase == 0:
            return through_json(states)
    raise AssertionError


def refused(values, *words, check="full"):
    with pytest.raises(StateError) as error:
        GAME.from_dict(values, check)
    for word in words:
        assert word in str(error.value)


TOP = [
    "sides",
    "round",
    "era",
    "active",
    "turn_order",
    "initiative",
    "next_initiative",
    "direction",
]
TOP += ["purchases", "battles", "row", "deck", "discard", "state", "current", "supply", "seats"]
TOP += ["options", "removed", "castles", "named", "counters", "rng"]


@pytest.mark.parametrize("key", TOP)
def test_missing_keys(saved, key):
    values = {k: v for k, v in saved.items() if k != key}
    refused(values, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("round", 0),
        ("round", "1"),
        ("era", 4),
        ("active", 3),
        ("initiative", -1),
        ("next_initiative", 7),
        ("direction", 0),
        ("direction", 2),
        ("purchases", -1),
        ("battles", True),
        ("turn_order", [0, 2, 1]),
        ("turn_order", []),
        ("turn_order", [5, 6, 7]),
        ("row", ["farm"] * 5),
        ("row", ["moon_base"]),
        ("row", ["castle"]),
        ("deck", ["farm"] * 200),
        ("deck", "farm"),
        ("discard", [None]),
        ("state", "SLEEP"),
        ("current", 9),
        ("supply", [1, 2, 3]),
        ("supply", [-1, 20, 20, 16]),
        ("seats", []),
        ("seats", [1, 2, 3]),
        ("sides", {"initiative": "edge"}),
        ("castles", ["castle", "farm", "castle"]),
        ("named", [[0, 0, "red"]]),
        ("rng", "xyz"),
        ("counters", {}),
        ("options", {"players": 5}),
        ("options", {"players": 3, "castles": "all"}),
        ("options", {"players": 3, "colour": "blue"}),
    ],
)
def test_wrong_values(saved, key, value):
    refused({**saved, key: value}, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokens", [1, 2, 3]),
        ("tokens", [-1, 0, 0, 0]),
        ("city", [["farm"]]),
        ("city", [["farm", "asleep"]]),
        ("city", [["farm", "ready", "sold"]]),
        ("city", [["moon_base", "ready"]]),
        ("city", [["castle", "damaged"]]),
        ("city", [None] * 8),
        ("held", {"royal": {"ready": True}}),
        ("held", {"military": {"ready": 5}}),
    ],
)
def test_wrong_seats(saved, key, value):
    values = copy.deepcopy(saved)
    values["seats"][1][key] = value
    refused(values, check="position")


def test_a_card_held_by_two(saved):
    values = copy.deepcopy(saved)
    for seat in (0, 1):
        values["seats"][seat]["held"] = {"military": {"ready": True, "looted": False}}
    refused(values, "military", check="position")


def test_full_wants_every_token_and_card_once(saved):
    values = copy.deepcopy(saved)
    values["seats"][0]["tokens"][2] += 1
    refused(values, "supply", "food")
    GAME.from_dict(values, "position")
    values = copy.deepcopy(saved)
    lost = values["deck"].pop()
    refused(values, lost)
    GAME.from_dict(values, "position")
    values["deck"] += [lost, lost]
    refused(values, lost)
    values = copy.deepcopy(saved)
    values["castles"] = ["castle_red", "castle", "castle"]
    if any(c and c[0] == "castle" for c in values["seats"][0]["city"]):
        refused(values, "seats[0]", "castle")
    values = copy.deepcopy(saved)
    values["era"] = 1
    refused(values, "era")


def test_positions_need_little():
    values = {
        "options": {"players": 2},
        "seats": [{"tokens": [0] * 4, "city": []}, {"tokens": [0, 0, 3, 0], "city": []}],
    }
    states, found = GAME.from_dict(values, "position")
    now = GAME.to_dict(states)
    assert (now["state"], now["round"], now["era"], now["deck"]) == ("MAIN", 1, 1, [])
    assert now["supply"] == [20, 20, 17, 16] and found.num_players == 2


def test_positions_admit_fragments():
    """Cards more often than they exist, a deck out of order, any supply."""
    values = {
        "options": {"players": 2},
        "seats": [
            {"tokens": [30] * 4, "city": [["cathedral", "ready"]] * 7, "held": {}},
            {"tokens": [0] * 4, "city": [["cathedral", "damaged"]] * 7, "held": {}},
        ],
        "row": ["cathedral"] * 3,
        "deck": ["cathedral", "farm", "goldmine"] * 20,
        "discard": ["cathedral"] * 18,
        "supply": [0, 0, 0, 0],
    }
    for states in visited(GAME.from_dict(values, "position")[0], 3, fighting_choice):
        assert states[0].discard_size <= len(states[0].discard)
    values["discard"] += ["farm"] * 20
    refused(values, "98 buildings", check="position")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mode", "PAY"),
        ("need", [0, 0]),
        ("need", [0, 0, 0, 0, 0]),
        ("source", 20),
        ("paying", "rent"),
        ("pick", "nose"),
        ("performing", [9, 9]),
        ("effects_left", 50),
        ("taken", 200),
    ],
)
def test_wrong_pending(key, value):
    values = through_json(one_of_each_phase()["PAY"])
    values["pending"][key] = value
    refused(values)
    del values["pending"][key]
    if key != "performing":
        refused(values, key)


def test_pending_must_fit_the_decision():
    found = one_of_each_phase()
    for name in ("GAIN", "PICK", "PAY", "REFURBISH", "CREDIT", "DISCOUNT", "SPECIAL", "COMPENSATE"):
        values = through_json(found[name])
        for key, bad in (("gain_left", 0), ("pick_left", 0), ("buying", None), ("discount", 0)):
            if values["pending"][key]:
                broken = copy.deepcopy(values)
                broken["pending"][key] = bad
                try:
                    states, _ = GAME.from_dict(broken, "position")
                except StateError:
                    continue
                mask = np.zeros(88, np.int8)
                GAME.legal(states[0], mask)
                assert mask.any() or states[0].over
        del values["pending"]
        refused(values, "pending", check="position")


def test_defense_needs_its_target():
    values = through_json(one_of_each_phase()["DEFENSE"])
    values["battle"]["target_seat"] = -1
    refused(values, "battle")
