"""Constructor options, and deals given to reset."""

import numpy as np
import pytest

from castle_envs import castle_up_v0
from castle_envs.engine.errors import OptionError, UnknownOptionError
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up import cards as c
from tests.castle_up.replay import CHECKS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_players", 1),
        ("num_players", 5),
        ("num_players", 2.0),
        ("castles", "some"),
        ("castles", ["castle"]),
        ("castles", ["castle", "castle_feast"]),
        ("castles", ["castle", 5]),
        ("castles", {}),
        ("reverse", "military"),
        ("reverse", ["archer"]),
        ("reverse", True),
        ("expansion", 1),
        ("expansion", None),
        ("removal", "random"),
        ("removal", ["castle"]),
        ("removal", ["farm", "farm"]),
        ("removal", ["moat"]),
        ("removal", 2),
        ("free_target", "yes"),
    ],
)
def test_values_that_are_refused(name, value):
    with pytest.raises(OptionError, match=name):
        castle_up_v0.env(**{name: value})


def test_unknown_keyword():
    with pytest.raises(UnknownOptionError, match="colour"):
        castle_up_v0.env(colour="blue")


def test_sequences_become_tuples():
    options = castle_up_v0.raw_env(
        castles=["castle", "castle_red"], reverse=["military", "initiative"], removal=["dump"]
    ).options
    assert options.castles == ("castle", "castle_red")
    assert options.reverse == ("initiative", "military"), "in the order of the roles"
    assert options.removal == ("dump",)


def test_reverse_lays_single_cards_on_their_back():
    env = castle_up_v0.raw_env(reverse=["mercantile"])
    env.reset(seed=1)
    sides = env.to_dict()["sides"]
    assert sides == {
        "initiative": "front",
        "mercantile": "back",
        "defensive": "front",
        "military": "front",
    }


@pytest.mark.parametrize("expansion", [False, True])
def test_a_removal_list_takes_out_just_those(expansion):
    gone = ["farm", "militia_barracks", "militia_barracks", "cathedral"]
    gone += ["moat"] if expansion else []
    env = castle_up_v0.raw_env(removal=gone, expansion=expansion)
    env.reset(seed=3)
    assert sorted(env.to_dict()["removed"]) == sorted(gone)
    size = len(env.to_dict()["deck"]) + 4
    assert size == (66 if expansion else 54) - len(gone)


def test_expansion_cards_come_with_the_expansion_only():
    for expansion in (False, True):
        env = castle_up_v0.raw_env(expansion=expansion)
        env.reset(seed=3)
        new = [k for k in env.to_dict()["deck"] if c.EXPANSION[c.KIND_OF[k]]]
        assert (len(new) >= 10) == expansion


DEAL = CHECKS["games"][3]["deal"]


def dealt(**values):
    env = castle_up_v0.raw_env(num_players=3, reverse=["defensive"], expansion=True)
    env.reset(seed=1, options=values)
    return env.to_dict()


def test_a_whole_deal():
    now = dealt(**DEAL)
    assert now["row"] + now["deck"] == DEAL["deck"]
    assert sorted(now["removed"]) == sorted(DEAL["removed"])
    assert now["castles"] == DEAL["castles"] and now["sides"] == DEAL["sides"]
    assert now["active"] == DEAL["first_player"]


def test_parts_of_a_deal():
    """What is not given is drawn as usual."""
    assert dealt(first_player=2)["active"] == 2
    now = dealt(sides={"military": "back"})
    assert now["sides"]["military"] == "back" and now["sides"]["defensive"] == "back"
    assert dealt(castles=["castle_red", "castle", "castle_feast"])["castles"][2] == "castle_feast"
    now = dealt(removed=["farm"])
    assert now["removed"] == ["farm"] and len(now["deck"]) == 66 - 1 - 4
    now = dealt(deck=["market", "farm", "goldmine", "tavern", "dump"])
    assert now["row"] == ["market", "farm", "goldmine", "tavern"] and now["deck"] == ["dump"]


def test_a_deal_repeats_itself():
    assert dealt(**DEAL) | {"rng": 0} == dealt(**DEAL) | {"rng": 0}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("deck", []),
        ("deck", "farm"),
        ("deck", ["farm", "farm"]),
        ("deck", ["moon_base"]),
        ("deck", ["castle"]),
        ("removed", ["farm", "farm"]),
        ("removed", None),
        ("castles", ["castle"]),
        ("castles", "random"),
        ("sides", ["front"]),
        ("sides", {"military": "top"}),
        ("sides", {"archer": "front"}),
        ("first_player", 3),
        ("first_player", -1),
        ("first_player", "player_0"),
        ("first_player", True),
    ],
)
def test_deals_that_are_refused(key, value):
    env = castle_up_v0.raw_env(num_players=3)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(OptionError, match=key):
        env.reset(seed=2, options={key: value})
    assert env.get_state() == before, "the game at hand is kept"


def test_a_deck_with_removed_cards_is_refused():
    env = castle_up_v0.raw_env()
    with pytest.raises(OptionError, match="farm"):
        env.reset(options={"deck": ["farm"], "removed": ["farm"]})


def test_unknown_reset_keys_are_ignored():
    env = castle_up_v0.raw_env()
    env.reset(seed=1, options={"colour": "blue"})
    plain = castle_up_v0.raw_env()
    plain.reset(seed=1)
    assert env.get_state() == plain.get_state()


def test_options_of_numpy_types():
    options = GAME.options.from_keywords(num_players=np.int64(3), expansion=np.bool_(True))
    assert GAME.pack(options)[0].expansion == 1
