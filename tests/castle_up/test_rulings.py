"""Rulings of the rules reference (section 12), beyond the cases of `checks.json`.

The names begin with the ruling's number. R4, R7-R9, R11, R13-R18, R21-R25, R27, R28, R30, R31,
R33-R36, R38-R40 are cases of `test_checks.py` as well.
"""

from collections import Counter

import pytest

from castle_envs import castle_up_v0
from castle_envs.engine.errors import OptionError
from castle_envs.games.castle_up.actions import (
    Answer,
    Attack,
    Buy,
    BuyCard,
    Done,
    Exchange,
    Loot,
    Promote,
    Repair,
    Select,
    Suit,
    Token,
    Use,
    UseHeld,
)
from tests.castle_up.positions import can, city, moves, play, seat, table, tokens
from tests.castle_up.replay import final, legal


def test_r1_the_first_player_is_random():
    env = castle_up_v0.raw_env(num_players=4)
    first = Counter()
    for seed in range(400):
        env.reset(seed=seed)
        now = env.to_dict()
        assert now["active"] == now["initiative"] == now["current"] == now["turn_order"][0]
        first[now["active"]] += 1
    assert set(first) == {0, 1, 2, 3} and min(first.values()) > 60


@pytest.mark.parametrize(
    ("players", "first", "gold"),
    [(2, 0, [1, 2]), (2, 1, [2, 1]), (3, 1, [2, 1, 1]), (4, 2, [2, 2, 1, 1]), (4, 0, [1, 1, 2, 2])],
)
def test_starting_gold_by_turn_order(players, first, gold):
    env = castle_up_v0.raw_env(num_players=players)
    env.reset(seed=1, options={"first_player": first})
    assert [s["tokens"] for s in env.to_dict()["seats"]] == [[0, 0, 0, g] for g in gold]


@pytest.mark.parametrize("left", [1, 2, 3])
def test_r2_last_deal_with_four_players(left):
    deck = ["farm", "market", "tavern"][:left]
    seats = [seat("castle") for _ in range(4)]
    env = play(table(*seats, deck=deck, active=3, initiative=0), Done())
    assert env.to_dict()["row"] == deck + [None] * (4 - left)


def test_r3_a_card_bought_from_the_deck_begins_no_era():
    env = table(seat("castle e", "town_hall", tokens=(6, 0, 0, 0)), deck=["goldmine"], era=1)
    play(env, Exchange("manpower"))
    assert env.to_dict()["era"] == 1
    env = table(seat("town_hall", tokens=(4, 2, 0, 0)), deck=["goldmine"], era=1)
    play(env, Use(0, 0))
    now = env.to_dict()
    assert city(env)[1] == "goldmine r" and now["era"] == 1 and now["deck"] == []


def test_r4_the_buyer_opens_the_next_round():
    env = table(seat("castle"), seat("castle", tokens=(1, 0, 0, 0)), deck=["farm"] * 8)
    play(env, Done(), BuyCard("initiative"))
    assert env.to_dict()["initiative"] == 0
    play(env, Done())
    now = env.to_dict()
    assert (now["initiative"], now["active"], now["turn_order"]) == (1, 1, [1, 0])
    assert now["seats"][1]["held"] == {}, "the card goes back at the start of the buyer's turn"
    play(env, Done(), Done())
    assert env.to_dict()["turn_order"] == [1, 0], "the token stays"


def test_r4_prepare_defenses_before_two_turns_in_a_row_goes_back_unused():
    mine = seat("castle", "heavy_crane", tokens=(1, 0, 0, 0))
    env = table(seat("castle"), mine, deck=["farm"] * 8)
    play(env, Done(), Use(1, 0), BuyCard("initiative"), BuyCard("defensive"), Done())
    assert env.to_dict()["active"] == 1 and env.to_dict()["seats"][1]["held"] == {}


def test_r5_another_round_as_long_as_a_card_is_left():
    env = table(seat("castle"), seat("castle"), deck=["farm"])
    play(env, Done(), Done())
    assert env.to_dict()["state"] == "MAIN" and env.to_dict()["row"] == ["farm", None, None]
    play(env, Done(), Done())
    assert env.to_dict()["state"] == "OVER" and all(env.terminations.values())


def test_r5_cards_bought_from_the_deck_shorten_the_game():
    env = table(seat("castle e", "town_hall", tokens=(1, 2, 0, 0)), seat("castle"), deck=["farm"])
    play(env, Use(1, 0), Done(), Done())
    assert env.to_dict()["state"] == "OVER"


def test_r6_repaired_buildings():
    env = table(seat("castle e", "farm d", "market d used", tokens=(0, 0, 0, 2)))
    play(env, Repair(1), Repair(2))
    assert city(env)[1:3] == ["farm r", "market e"]


def test_r6_a_building_exhausted_in_defense_and_damaged_is_ready_after_repair_in_its_own_turn():
    attacker = seat("castle e", "soldiers_barracks", "command_post", "longbow_range")
    defender = seat("castle e", "archery_range", tokens=(0, 0, 0, 1))
    env = table(attacker, defender)
    play(env, Attack(1, 1), Use(1, 0), Done(), Use(1, 1))
    assert city(env, 1)[1] == "archery_range d"
    assert env.to_dict()["seats"][1]["city"][1] == ["archery_range", "damaged", "used"]
    play(env, Done())
    assert env.to_dict()["seats"][1]["city"][1] == ["archery_range", "damaged"]
    play(env, Repair(1))
    assert city(env, 1)[1] == "archery_range r"


def test_r6_free_repair_of_a_self_damaged_building_leaves_it_exhausted():
    env = table(seat("castle e", "harvest_feast", "chapel", tokens=(0, 0, 0, 0)))
    play(env, Use(1, 1))
    for _ in range(4):
        play(env, Token("food"))
    assert city(env)[1] == "harvest_feast d"
    play(env, Use(2, 1))
    assert city(env)[1] == "harvest_feast e" and not can(env, Use(1, 0))


def test_r10_taxes_at_once_and_the_card_stays_ready():
    env = play(table(seat("castle e")), BuyCard("mercantile"), Token("food"), Token("supplies"))
    assert tokens(env) == [0, 1, 1, 0]
    assert env.to_dict()["seats"][0]["held"] == {"mercantile": {"ready": True, "looted": False}}


def test_r12_buying_by_a_building_uses_up_the_purchase_action():
    env = table(seat("castle e", "dump"), discard=["palisade"], row=["dump"])
    play(env, Use(1, 0))
    assert env.to_dict()["purchases"] == 0 and city(env)[2] == "palisade r"
    assert moves(env) == [Done()]


def test_r13_a_too_weak_attack_is_legal():
    env = table(seat("castle e", "archery_range"), seat("castle e", "fortified_wall e"))
    assert can(env, Attack(1, 1))
    play(env, Attack(1, 1))
    assert city(env, 1)[1] == "fortified_wall e" and city(env)[1] == "archery_range e"


def test_r14_no_harvest_without_a_defense_to_feed():
    attacker = seat("castle e", "soldiers_barracks")
    env = play(table(attacker, seat("castle", "farm", "palisade")), Attack(1, 1))
    assert moves(env) == [Done(), Use(2, 0)], "the palisade's defense has no price"


def test_r14_tokens_for_a_defense_on_the_card_that_would_be_exhausted():
    """The tower's own tokens feed its passive defense; any other card's do as well."""
    attacker = seat("castle e", "soldiers_barracks")
    env = play(table(attacker, seat("castle e", "guard_tower")), Attack(1, 1))
    assert moves(env) == [Done(), Use(1, 0), Use(1, 1)]
    play(env, Use(1, 1), Use(1, 2))
    assert tokens(env, 1) == [1, 0, 0, 0]


def test_r15_half_rounded_down_of_the_owners_choice():
    attacker = seat("castle e", "trebuchet_yard")
    env = play(table(attacker, seat("castle e", "market d")), Attack(1, 1), Use(1, 0))
    assert env.to_dict()["state"] == "COMPENSATE" and env.agent_selection == "player_1"
    assert moves(env) == [Token("manpower"), Token("supplies"), Token("food")]
    play(env, Token("manpower"))
    assert moves(env) == [Token("supplies"), Token("food")], "one manpower is printed"
    play(env, Token("food"))
    assert tokens(env, 1) == [1, 0, 1, 0] and env.agent_selection == "player_0"
    assert env.to_dict()["discard"][0] == "market"


def test_r18_r40_naming_by_initiative_then_slot():
    wild = seat("standing_stones", "farm", "founders_statue")
    env = table(seat("standing_stones"), wild, seat("castle"), active=2, initiative=0)
    play(env, Done())
    order = []
    while env.to_dict()["state"] == "WILD":
        order.append(env.agent_selection)
        play(env, Suit("red"))
    assert order == ["player_0", "player_1", "player_1"]
    named = env.to_dict()["named"]
    assert named == [[0, 0, "red"], [1, 0, "red"], [1, 2, "red"]]


def test_r26_loot_for_the_direction_only():
    seats = [seat("castle", "archery_range"), seat("castle", "farm"), seat("castle", "farm")]
    env = play(table(*seats), BuyCard("military"))
    assert moves(env) == [Answer(True), Answer(False)]
    play(env, Answer(True))
    assert env.to_dict()["direction"] == -1 and env.to_dict()["battles"] == 1


def test_r26_the_direction_is_not_asked_with_two_players():
    env = play(table(seat("castle", "archery_range")), BuyCard("military"))
    assert env.to_dict()["state"] == "MAIN"


def test_r30_r33_free_targets():
    seats = [seat("castle e", "archery_range"), seat("castle", "farm"), seat("castle", "farm")]
    env = table(*seats, options={"free_target": True})
    assert can(env, Attack(1, 1)) and can(env, Attack(2, 1))
    play(env, BuyCard("military"))
    assert env.to_dict()["state"] == "MAIN"
    env = table(*seats)
    assert can(env, Attack(1, 1)) and not can(env, Attack(2, 1))


@pytest.mark.parametrize("expansion", [False, True])
def test_r32_random_castles(expansion):
    env = castle_up_v0.raw_env(num_players=4, castles="random", expansion=expansion)
    seen = set()
    for seed in range(60):
        env.reset(seed=seed)
        dealt = env.to_dict()["castles"]
        assert len(set(dealt)) == 4 and "castle" not in dealt
        seen |= set(dealt)
    suited = {f"castle_{suit}" for suit in ("red", "green", "blue", "gold")}
    assert seen == suited | ({"castle_feast"} if expansion else set())


def test_r32_given_castles():
    env = castle_up_v0.raw_env(num_players=3, castles=["castle", "castle_red", "castle"])
    env.reset(seed=1)
    assert [s["city"][0][0] for s in env.to_dict()["seats"]] == ["castle", "castle_red", "castle"]
    for wrong in (
        ["castle_red", "castle_red", "castle"],
        ["castle", "castle"],
        ["castle", "castle", "farm"],
        ["castle", "castle", "castle_feast"],
        "all",
        None,
    ):
        with pytest.raises(OptionError, match="castles"):
            castle_up_v0.raw_env(num_players=3, castles=wrong)


def test_r35_an_x_counts_at_its_moment():
    """Two red cards, one of which damages itself first: 4 + 1."""
    attacker = seat("castle e", "knights_barracks", "ram_shed")
    env = table(attacker, seat("castle e", "royal_palace"))
    play(env, Attack(1, 1), Use(2, 1))
    assert city(env)[2] == "ram_shed d"
    assert env.to_dict()["battle"]["attack"] == 5
    play(env, Use(1, 0))
    assert city(env, 1)[1] == "royal_palace d", "5 + 5 against endurance 7"


def test_r37_repairs_as_many_as_there_are():
    env = play(table(seat("castle e", "hospital", "farm d")), Use(1, 0))
    assert city(env)[2] == "farm r" and env.to_dict()["state"] == "MAIN"


def test_r37_three_of_four_are_picked_one_by_one():
    env = table(seat("castle e", "hospital", "farm d", "market d", "tavern d", "chapel d"))
    play(env, Use(1, 0))
    assert moves(env) == [Select(2), Select(3), Select(4), Select(5)]
    play(env, Select(4), Select(2))
    assert moves(env) == [Select(3), Select(5)]
    play(env, Select(5))
    assert city(env)[2:6] == ["farm r", "market d", "tavern r", "chapel r"]


def test_r37_a_repair_cannot_be_declined():
    env = play(table(seat("castle e", "chapel", "farm d", "market d")), Use(1, 1))
    assert not can(env, Done())


def test_two_effects_of_one_action():
    """Builders' Guild: a purchase action, then 2 supplies; each as far as it can."""
    env = play(table(seat("castle e", "builders_guild")), Use(1, 0))
    assert env.to_dict()["purchases"] == 2 and tokens(env) == [0, 2, 0, 0]
    env = table(seat("castle e", "builders_guild"), supply=[20, 1, 20, 16])
    play(env, Use(1, 0))
    assert env.to_dict()["purchases"] == 2 and tokens(env) == [0, 1, 0, 0]


def test_fixed_tokens_come_before_any_icons():
    """Banquet Kitchen: 2 food and an any; with one food in the supply the any cannot be food."""
    env = table(seat("castle e", "banquet_kitchen"), supply=[20, 20, 2, 16])
    play(env, Use(1, 0))
    assert tokens(env)[2] == 2 and moves(env) == [Token("manpower"), Token("supplies")]


def test_a_shared_victory_pays_both():
    env = table(seat("castle"), seat("castle"))
    play(env, Done(), Done())
    assert final(env)[1] == [0, 1] and set(env.rewards.values()) == {0.0}


def test_a_card_in_the_row_is_not_refilled_and_slots_keep_their_places():
    env = table(seat("castle e", tokens=(0, 2, 0, 0)), row=["farm", "palisade", "market"])
    play(env, Buy(1))
    assert env.to_dict()["row"] == ["farm", None, "market"]


def test_promotion_needs_a_ready_source():
    env = table(
        seat("militia_barracks", "palisade e", "lumber_yard d"),
        row=["soldiers_barracks", "stone_wall", "workshop"],
    )
    assert [can(env, Promote(slot)) for slot in range(3)] == [True, False, False]
    play(env, Promote(0))
    assert city(env)[0] == "soldiers_barracks r" and tokens(env) == [0, 0, 0, 0]


def test_held_cards_go_back_at_the_start_of_the_next_turn():
    env = table(seat("castle"), seat("castle"), deck=["farm"] * 12)
    play(env, BuyCard("defensive"), Done())
    assert not can(env, BuyCard("defensive"))
    play(env, Done())
    assert env.to_dict()["seats"][0]["held"] == {} and can(env, BuyCard("defensive"))


def test_a_held_defense_card_is_good_once():
    held = {"defensive": {"ready": True, "looted": False}}
    attacker = seat("castle e", "command_post", "archery_range", "archery_range")
    env = table(attacker, seat("castle e", "farm", held=held))
    play(env, Use(1, 0), Attack(1, 1), Use(2, 0), Done())
    assert moves(env) == [Done(), UseHeld("defensive")]
    play(env, UseHeld("defensive"))
    assert city(env, 1)[1] == "farm r"
    play(env, Attack(1, 1))
    assert city(env, 1)[1] == "farm d", "the second attack meets nothing"


def test_loot_needs_its_points():
    env = table(seat("castle e", "archery_range", "archery_range"))
    play(env, BuyCard("military"))
    assert can(env, Loot())
    play(env, Loot(), Use(1, 0), Done())
    assert tokens(env) == [0, 0, 0, 0] and env.to_dict()["battles"] == 0
    env = table(seat("castle e", "archery_range", "archery_range"))
    play(env, BuyCard("military"), Loot(), Use(1, 0), Use(2, 0))
    assert env.to_dict()["state"] == "GAIN"


def test_main_offers_only_done_after_the_limit():
    env = table(
        seat("castle", "farm", tokens=(9, 9, 9, 2)), counters={"turn_decisions": 399},
        row=["farm"],
    )  # fmt: skip
    assert len(legal(env)) > 1
    play(env, Use(1, 0))
    assert moves(env) == [Done()] and env.to_dict()["counters"]["stops"] == 1


def test_defense_offers_only_done_after_the_limit():
    attacker = seat("castle e", "soldiers_barracks")
    env = table(attacker, seat("castle e", "watchtower", tokens=(9, 0, 0, 0)))
    play(env, Attack(1, 1))
    for spent in range(9):
        assert tokens(env, 1) == [9 - spent, 0, 0, 0]
        if spent == 3:
            break
        play(env, Use(1, 1))
    saved = env.to_dict()
    saved["counters"]["window_decisions"] = 59
    env = castle_up_v0.raw_env.from_dict(saved, check="position")
    play(env, Use(1, 1))
    assert env.to_dict()["state"] == "MAIN" and env.to_dict()["counters"]["stops"] == 1
