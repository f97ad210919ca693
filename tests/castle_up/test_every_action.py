"""Every action of every card, performed; what it should do is read from the card file."""

import pytest

from castle_envs.games.castle_up.actions import (
    Answer,
    Attack,
    BuyCard,
    BuyTop,
    Done,
    Token,
    Use,
    UseHeld,
)
from castle_envs.games.castle_up.cards import BUILDINGS, CASTLES, DATA
from tests.castle_up.positions import can, city, play, seat, table, tokens
from tests.castle_up.replay import legal

CARDS = {card["id"]: card for card in (*BUILDINGS, *CASTLES)}
ROLES = ("initiative", "mercantile", "defensive", "military")
RICH = (5, 5, 5, 5)
COLUMN = {"manpower": 0, "supplies": 1, "food": 2, "gold": 3}


def actions(*windows):
    """All (card, index of the action) whose action stands in one of these windows."""
    return [
        pytest.param(card["id"], k, id=f"{card['id']}-{k}")
        for card in CARDS.values()
        for k, action in enumerate(card["actions"])
        if set(windows) & set(action["windows"])
    ]


def number(amount, env):
    """An amount; an X counts seat 0's undamaged cards of the suit."""
    if isinstance(amount, int):
        return amount
    cards = [entry.split() for entry in city(env) if entry]
    same = [
        name for name, status in cards if status != "d" and CARDS[name]["suit"] == amount["suit"]
    ]
    return amount["base"] + amount["mult"] * len(same)


def paid(price):
    """What is left of RICH: any icons are paid with manpower."""
    left = [n - price[kind] for kind, n in zip(COLUMN, RICH, strict=True)]
    left[0] -= price["any"]
    return left


def gained(held, effects, env):
    """Tokens after the gains among some effects: any icons become food."""
    held = list(held)
    for effect in effects:
        if effect["type"] == "gain":
            for kind, amount in effect["resources"].items():
                held[COLUMN.get(kind, 2)] += number(amount, env)
    return held


def settle(env):
    """Answer sub-decisions: pay with the first token offered, gain food, pick the first slot."""
    while (state := env.to_dict()["state"]) in ("PAY", "GAIN", "PICK", "SPECIAL", "REFURBISH"):
        if state == "GAIN":
            play(env, Token("food"))
        else:
            play(env, BuyTop() if state == "SPECIAL" else legal(env)[0])


def after_use(card, index, action):
    """Status of the card once it has acted."""
    if action["self_damage"]:
        return f"{card} d"
    return f"{card} e" if action["kind"] == "active" else f"{card} r"


@pytest.mark.parametrize(("card", "index"), actions("main"))
def test_in_the_own_turn(card, index):
    action = CARDS[card]["actions"][index]
    own = seat(card, "farm d", "market e", "archery_range", tokens=RICH)
    env = table(own, deck=["palisade"], discard=["palisade"])
    play(env, Use(0, index))
    settle(env)
    now = env.to_dict()
    assert now["state"] == "MAIN"
    kinds = {effect["type"]: effect for effect in action["effects"]}
    held = gained(paid(action["pay"]), action["effects"], env)
    purchases = 1 + kinds.get("purchase_action", {"count": 0})["count"]
    expected = [after_use(card, index, action), "farm d", "market e", "archery_range r", None]
    if "repair" in kinds:
        expected[1] = "farm r"
    if "ready_other" in kinds:
        expected[2] = "market r"
    if action["exhaust_other"]:
        assert action["exhaust_other"] == {"count": 1, "suit": "red"}
        expected[3] = "archery_range e"
    if "purchase_from" in kinds:  # the palisade costs 2 S
        expected[4] = "palisade r"
        held[1] -= 2 - min(2, kinds["purchase_from"]["discount"])
        purchases -= 1
        assert now["deck" if kinds["purchase_from"]["source"] == "deck_top" else "discard"] == []
    assert city(env)[:5] == expected
    assert tokens(env) == held
    assert now["purchases"] == purchases
    assert now["battles"] == 1 + kinds.get("battle_phase", {"count": 0})["count"]


@pytest.mark.parametrize(("card", "index"), actions("main", "attack", "defense"))
def test_exhausted_and_damaged_cards(card, index):
    """Active actions need a ready card, passive ones an undamaged one."""
    action = CARDS[card]["actions"][index]
    for status in ("r", "e", "d"):
        if status == "d" and card in {castle["id"] for castle in CASTLES}:
            continue
        own = seat(f"{card} {status}", "farm d", "market e", "archery_range", tokens=RICH)
        works = status == "r" or (status == "e" and action["kind"] == "passive")
        env = table(own, seat("royal_palace e", "dump"), deck=["palisade"], discard=["palisade"])
        if "attack" in action["windows"]:
            play(env, Attack(1, 0))
        elif "defense" in action["windows"]:
            env = under_attack(seat(f"{card} {status}", "palisade", "farm e", tokens=RICH))
        assert can(env, Use(0, index)) == works


@pytest.mark.parametrize(("card", "index"), actions("attack"))
def test_in_battle(card, index):
    action = CARDS[card]["actions"][index]
    env = table(seat(card, "archery_range", tokens=RICH), seat("royal_palace e"))
    play(env, Attack(1, 0), Use(0, index))
    while env.to_dict()["state"] == "PAY":
        play(env, legal(env)[0])
    assert env.to_dict()["state"] == "COMMIT"
    (effect,) = action["effects"]
    assert env.to_dict()["battle"]["attack"] == number(effect["points"], env)
    assert tokens(env) == paid(action["pay"])
    assert city(env)[0] == after_use(card, index, action)


def under_attack(defender):
    """Seat 1 has attacked slot 2 of seat 0, whose window is open."""
    env = table(defender, seat("trebuchet_yard"), active=1)
    play(env, Attack(1, 2), Use(0, 0))
    assert env.to_dict()["state"] == "DEFENSE" and env.agent_selection == "player_0"
    assert env.to_dict()["active"] == 1
    return env


@pytest.mark.parametrize(("card", "index"), actions("defense"))
def test_in_defense(card, index):
    action = CARDS[card]["actions"][index]
    env = under_attack(seat(card, "palisade", "farm e", tokens=RICH))
    play(env, Use(0, index))
    while env.to_dict()["state"] == "PAY":
        play(env, legal(env)[0])
    (effect,) = action["effects"]
    assert env.to_dict()["battle"]["defense"] == number(effect["points"], env)
    assert tokens(env) == paid(action["pay"])
    assert city(env)[0] == after_use(card, index, action)


@pytest.mark.parametrize(("card", "index"), actions("main"))
def test_gains_in_a_defense_that_can_use_them(card, index):
    """Marked gains only; a Moat, a Watchtower and a Refuge Cellar take every base kind."""
    action = CARDS[card]["actions"][index]
    env = under_attack(
        seat(card, "moat e", "farm e", "watchtower e", "refuge_cellar e", tokens=RICH)
    )
    assert can(env, Use(0, index)) == ("defense_combo" in action["windows"])
    if can(env, Use(0, index)):
        play(env, Use(0, index))
        settle(env)
        assert tokens(env) == gained(paid(action["pay"]), action["effects"], env)
        assert city(env)[0] == after_use(card, index, action)
        assert env.to_dict()["state"] == "DEFENSE" and env.agent_selection == "player_0"


SIDES = [(role, side, era) for role in ROLES for side in ("front", "back") for era in "123"]


@pytest.mark.parametrize(("role", "side", "era"), SIDES)
def test_buying_an_action_card(role, side, era):
    card = DATA["action_cards"][ROLES.index(role)][side]
    price, effects = card["resource_cost_by_era"][era], card["on_purchase_by_era"][era]
    own = seat("castle e", "farm d", tokens=RICH)
    others = [seat("castle e"), seat("castle e")]
    env = table(own, *others, sides={role: side}, era=int(era))
    play(env, BuyCard(role))
    settle(env)
    kinds = [effect["type"] for effect in effects]
    if "may_change_direction" in kinds:
        assert env.to_dict()["state"] == "DIRECTION"
        play(env, Answer(False))
    now = env.to_dict()
    assert tokens(env) == gained(paid(price), effects, env)
    assert now["purchases"] == kinds.count("purchase_action")
    assert now["next_initiative"] == (0 if "take_initiative" in kinds else None)
    assert city(env)[1] == ("farm r" if "repair" in kinds else "farm d")
    assert now["seats"][0]["held"] == {role: {"ready": True, "looted": False}}


@pytest.mark.parametrize(("role", "side", "era"), SIDES)
def test_using_a_held_card(role, side, era):
    """The reverse military card attacks, the defensive ones defend, the others do nothing."""
    card = DATA["action_cards"][ROLES.index(role)][side]
    held = {role: {"ready": True, "looted": False}}
    values = {"sides": {role: side}, "era": int(era)}
    env = table(seat("archery_range", held=held), seat("royal_palace e"), **values)
    assert not can(env, UseHeld(role))
    found = card["held_actions_by_era"][era]
    play(env, Attack(1, 0))
    assert can(env, UseHeld(role)) == any("attack" in a["windows"] for a in found)
    if can(env, UseHeld(role)):
        play(env, UseHeld(role))
        assert env.to_dict()["battle"]["attack"] == found[0]["effects"][0]["points"]
        assert not can(env, UseHeld(role))
    own = seat("castle e", "palisade", "farm e", held=held)
    env = play(table(own, seat("trebuchet_yard"), active=1, **values), Attack(1, 2), Use(0, 0))
    assert can(env, UseHeld(role)) == any("defense" in a["windows"] for a in found)
    if can(env, UseHeld(role)):
        play(env, UseHeld(role))
        assert env.to_dict()["battle"]["defense"] == found[0]["effects"][0]["points"]
        assert not can(env, UseHeld(role)) and can(env, Done())
