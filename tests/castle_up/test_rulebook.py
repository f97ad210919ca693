"""What the rulebook says in passing, beyond the examples of `checks.json`."""

import pytest

from castle_envs.games.castle_up.actions import (
    Attack,
    Buy,
    BuyCard,
    BuyTop,
    Done,
    Exchange,
    Loot,
    Promote,
    Repair,
    Suit,
    Token,
    Use,
)
from tests.castle_up.positions import can, city, moves, play, seat, table, tokens
from tests.castle_up.replay import final

# Battle ------------------------------------------------------------------------------------------


def test_defense_points_left_over_are_lost():
    """3 against 5: the two left over do not meet the second attack of the turn."""
    attacker = seat("castle e", "command_post", "longbow_range", "longbow_range")
    env = table(attacker, seat("castle e", "farm", "longbow_range"))
    play(env, Use(1, 0), Attack(1, 1), Use(2, 0), Done(), Use(2, 1))
    assert city(env, 1)[1:3] == ["farm r", "longbow_range e"]
    play(env, Attack(1, 1))  # one attack action is left, so it is used without asking
    assert city(env, 1)[1] == "farm d", "3 against endurance 2"


def test_attack_points_are_not_shared_between_phases():
    """3 and 3 against endurance 4 in two phases do nothing; together they damage."""
    attacker = seat("castle e", "command_post", "longbow_range", "longbow_range")
    env = table(attacker, seat("castle e", "goldmine"))
    play(env, Use(1, 0), Attack(1, 1), Use(2, 0), Done(), Attack(1, 1))
    assert city(env, 1)[1] == "goldmine r"
    env = table(attacker, seat("castle e", "goldmine"))
    play(env, Attack(1, 1), Use(2, 0), Use(3, 0), Done())
    assert city(env, 1)[1] == "goldmine d"


def test_only_ready_cards_attack_in_an_extra_phase():
    attacker = seat("castle e", "command_post", "archery_range")
    env = table(attacker, seat("castle e", "royal_palace e"))
    play(env, Use(1, 0), Attack(1, 1))
    assert env.to_dict()["battles"] == 1 and not can(env, Attack(1, 1))


def test_one_target_a_phase_and_one_phase_a_turn():
    env = table(seat("castle e", "archery_range", "archery_range"), seat("castle", "farm", "dump"))
    play(env, Attack(1, 1), Use(1, 0), Done())
    assert city(env, 1)[1:3] == ["farm d", "dump r"]
    assert not can(env, Attack(1, 2)), "the second Archery Range stays idle"


def test_the_attackers_are_fixed_before_the_defense():
    env = table(seat("castle e", "archery_range", "militia_barracks"), seat("castle e", "palisade"))
    play(env, Attack(1, 1), Use(1, 0), Done())
    assert env.agent_selection == "player_1"
    play(env, Use(1, 0))
    assert env.to_dict()["state"] == "MAIN" and city(env)[2] == "militia_barracks r"


def test_points_equal_to_the_endurance_damage():
    env = table(seat("castle e", "archery_range"), seat("castle e", "tavern"))
    assert city(play(env, Attack(1, 1)), 1)[1] == "tavern d"


# Purchases ---------------------------------------------------------------------------------------


def test_a_new_building_is_ready_and_works_at_once():
    env = table(seat("castle e", tokens=(1, 2, 1, 0)), row=["market"])
    play(env, Buy(0))
    assert city(env)[1] == "market r"
    assert tokens(play(env, Use(1, 0))) == [0, 1, 1, 0]


def test_two_purchases_a_building_and_an_action_card():
    env = table(seat("castle e", "heavy_crane", tokens=(0, 2, 0, 0)), row=["palisade"])
    play(env, Use(1, 0), Buy(0), BuyCard("defensive"))
    now = env.to_dict()
    assert city(env)[2] == "palisade r" and list(now["seats"][0]["held"]) == ["defensive"]
    assert now["purchases"] == 0 and moves(env) == [Done()]


def test_city_of_seven_the_castle_among_them():
    full = seat("castle e", *["farm e"] * 6, tokens=(9, 9, 9, 0))
    assert not can(table(full, row=["palisade"]), Buy(0))
    one_less = seat("castle e", *["farm e"] * 5, tokens=(9, 9, 9, 0))
    env = play(table(one_less, row=["palisade"]), Buy(0))
    assert city(env)[6] == "palisade r"


def test_a_full_city_may_promote():
    full = seat("castle e", *["farm e"] * 5, "palisade")
    env = play(table(full, row=["stone_wall"]), Promote(0))
    assert city(env)[6] == "stone_wall r" and env.to_dict()["discard"] == ["palisade"]


def test_exhausted_buildings_are_not_refurbished():
    """Two Archery Ranges could pay 2 M of the Farm's 1 M + 2 S with 2 S at hand: the ready one."""
    own = seat("castle e", "archery_range e", "archery_range", tokens=(0, 2, 0, 0))
    env = play(table(own, row=["farm"]), Buy(0))
    assert city(env)[1:3] == ["archery_range e", "farm r"]


def test_promotion_prospects_only():
    env = table(seat("militia_barracks", tokens=(9, 9, 9, 0)), row=["longbow_range"])
    assert can(env, Buy(0)) and not can(env, Promote(0))


def test_what_was_bought_from_the_pile_was_on_top_before_the_refurbished_came():
    """R36: the Goldmine on the pile is bought; the Archery Range given for it comes afterwards."""
    own = seat("dump", "archery_range", "heavy_crane e", tokens=(0, 2, 0, 0))
    env = play(table(own, discard=["goldmine"]), Use(0, 0))
    # 4 M + 2 S: 2 M by the range, 2 M by the Dump's discount, 2 S by tokens, all without a choice.
    assert env.to_dict()["discard"] == ["archery_range"] and tokens(env) == [0, 0, 0, 0]
    assert city(env)[:3] == ["dump e", "goldmine r", "heavy_crane e"]


# Tokens and repair -------------------------------------------------------------------------------


def test_exchanges_as_often_as_desired():
    env = table(seat("castle e", tokens=(7, 3, 2, 0)))
    play(env, Exchange("manpower"), Exchange("manpower"), Exchange("supplies"))
    assert tokens(env) == [1, 0, 2, 3] and moves(env)[0] == Done()
    assert not any(can(env, Exchange(kind)) for kind in ("manpower", "supplies", "food"))


def test_repairs_cost_gold_and_nothing_else():
    env = table(seat("castle e", "town_hall d", "farm d", tokens=(2, 2, 2, 1)))
    assert [can(env, Repair(1)), can(env, Repair(2))] == [False, True]
    env = play(table(seat("castle e", "town_hall d", "farm d", tokens=(0, 0, 0, 3))), Repair(1))
    assert tokens(env) == [0, 0, 0, 1], "the Town Hall costs 2"
    assert tokens(play(env, Repair(2))) == [0, 0, 0, 0], "any number of buildings"


def test_credits_are_no_tokens():
    """R22: three M of refurbished cards are no gold."""
    own = seat("castle e", "archery_range", "archery_range", tokens=(3, 0, 4, 1))
    assert not can(table(own, row=["smugglers_den"]), Buy(0))
    own = seat("castle e", "archery_range", "archery_range", tokens=(3, 0, 4, 1))
    env = play(table(own, row=["smugglers_den"]), Exchange("manpower"))
    assert can(env, Buy(0)), "2 gold and 4 F, and the 3 M from the two ranges"


# Rulings -----------------------------------------------------------------------------------------


def test_r34_a_second_phase_for_the_loot_after_a_weak_one():
    own = seat("castle e", "command_post", "archery_range", "soldiers_barracks")
    env = play(table(own), Use(1, 0), BuyCard("military"), Loot(), Use(2, 0), Done())
    assert tokens(env) == [0, 0, 0, 0] and can(env, Loot())
    play(env, Loot())
    for _ in range(4):
        play(env, Token("food"))
    assert tokens(env) == [0, 0, 4, 0]


def test_r40_naming_after_the_last_move_of_the_token():
    """Seat 1 buys the initiative in the last round: it names first."""
    seats = [seat("standing_stones"), seat("standing_stones", tokens=(1, 0, 0, 0))]
    env = play(table(*seats, deck=[]), Done(), BuyCard("initiative"), Done())
    assert env.to_dict()["state"] == "WILD" and env.agent_selection == "player_1"
    play(env, Suit("red"))
    assert env.agent_selection == "player_0"


def test_r20_a_golden_castle_breaks_a_tie():
    """2 points each, the castle against a building of era II with no control."""
    env = table(seat("castle_gold"), seat("castle", "chapel", "monastery d"), deck=[])
    play(env, Done(), Done())
    parts, winners = final(env)
    assert [p["total"] for p in parts] == [2, 2]
    assert [p["golden"] for p in parts] == [1, 2] and winners == [1]


def test_r38_a_discount_takes_gold_first():
    """City Council, 3 off a Royal Palace (4 M 4 S 4 F 1 G): the gold, then two of choice."""
    own = seat("city_council", tokens=(4, 4, 2, 0))
    env = play(table(own, deck=["royal_palace"]), Use(0, 0))
    if env.to_dict()["state"] == "SPECIAL":
        play(env, BuyTop())
    assert city(env)[1] == "royal_palace r", "two F are the only choice that can be paid"
    assert tokens(env) == [0, 0, 0, 0]


@pytest.mark.parametrize(("era", "price"), [(1, 1), (2, 2)])
def test_r27_r39_prices_follow_the_era(era, price):
    own = seat("castle e", tokens=(price, 0, 0, 0))
    env = play(table(own, era=era), BuyCard("initiative"))
    assert tokens(env) == [0, 0, 0, 0] and env.to_dict()["next_initiative"] == 0
    own = seat("castle e", tokens=(price - 1, 0, 0, 0))
    assert not can(table(own, era=era), BuyCard("initiative"))
