"""The rulings of the rules reference, section 9, row by row, with values worked out by hand."""

import pytest

from castle_envs import chateau_combo_v0
from castle_envs.games.chateau_combo.actions import Discard, Key, Option, Recruit
from tests.chateau_combo.positions import env_at, legal, play_turn, player, take
from tests.chateau_combo.walk import new_env, visited

CASTLE = ["baron", "nun", "scribe"]
VILLAGE = ["vicar", "witch", "spy"]
ROWS = {"castle": CASTLE, "village": VILLAGE}


def at(x, y, card, **more):
    return {"x": x, "y": y, "card": card, **more}


def do(env, *moves):
    for move in moves:
        env.step(env.encode_action(move))


def gold(env):
    return [one["gold"] for one in env.to_dict()["players"]]


def keys(env):
    return [one["keys"] for one in env.to_dict()["players"]]


def price_seen(env, card):
    state = env.to_dict()
    here = state["messenger"]
    there = "castle" if here == "village" else "village"
    seen = env.decode_observation(env.observe(env.agent_selection)["observation"])
    return seen["prices"][(state["rows"][here] + state["rows"][there]).index(card)]


def test_face_down_card_gives_no_discount():
    env = env_at(
        [player([at(0, 0, "baron", face_down=True)]), player()],
        ROWS | {"castle": ["nun", "scribe", "judge"]},
        "castle",
    )
    assert price_seen(env, "nun") == 3
    take(env, "nun", (1, 0))
    assert gold(env)[0] == 15 - 3 + 1, "and its banner does not count for the nun"


def test_face_down_card_is_no_card_of_cost_0():
    cells = [at(0, 0, "steward", face_down=True), at(1, 0, "vicar")]
    env = env_at(
        [player(cells, gold=0), player()],
        {"castle": CASTLE, "village": ["traveler", "witch", "spy"]},
        "village",
    )
    take(env, "traveler", (0, 1))
    assert gold(env)[0] == 3 * 2, "the vicar and the traveler itself"
    assert env.breakdown("player_0")["cell_points"][3] == 2 * 2


def test_both_rows_are_filled_even_if_both_decks_are_empty():
    rows = {"castle": ["gravedigger", "nun", "baron"], "village": VILLAGE}
    env = env_at(
        [player(), player()],
        rows,
        "castle",
        decks={"castle": [], "village": []},
        discards={"castle": ["judge"], "village": ["potter"]},
    )
    play_turn(env, {"card": "gravedigger", "cell": (0, 0), "discard": "spy"}, (0, 0))
    after = env.to_dict()
    assert after["rows"]["castle"] == ["judge", "nun", "baron"]
    assert after["rows"]["village"][:2] == ["vicar", "witch"]
    assert after["rows"]["village"][2] in ("potter", "spy")
    assert sorted(after["decks"]["village"] + after["rows"]["village"][2:]) == ["potter", "spy"]


def test_steward_fills_the_two_purses_with_most_room():
    """Room 9 - 7, 7 - 7, 5 - 0, 5 - 1 and the steward's own 3 - 0: farmhand and vicar."""
    cells = [at(0, 0, "beekeeper", gold=7), at(1, 0, "sculptor", gold=7), at(2, 0, "farmhand")]
    cells += [at(0, 1, "vicar", gold=1)]
    rows = {"castle": ["steward", "nun", "baron"], "village": ["potter", "witch", "spy"]}
    env = env_at([player(cells), player()], rows, "castle")
    take(env, "steward", (1, 1))
    stored = {one["card"]: one["gold"] for one in env.to_dict()["players"][0]["tableau"]}
    assert stored == {"beekeeper": 7, "sculptor": 7, "farmhand": 5, "vicar": 5, "steward": 0}
    assert gold(env) == [15, 15], "from the supply"


def test_steward_alone_fills_itself():
    env = env_at([player(), player()], ROWS | {"castle": ["steward", "nun", "baron"]}, "castle")
    take(env, "steward", (0, 0))
    assert env.to_dict()["players"][0]["tableau"][0]["gold"] == 3


@pytest.mark.parametrize("better", [1, 4])
def test_neighbor_is_the_larger_one(better):
    """Five seats: the two beside count, the two across do not, the own tableau does not."""
    tableaus = {better: [at(0, 0, "astronomer")], (5 - better): [at(0, 0, "doctor")]}
    tableaus |= {2: [at(0, 0, "inventor"), at(1, 0, "chancellor")], 0: [at(0, 0, "professor")]}
    seats = [player(tableaus.get(seat, [])) for seat in range(5)]
    env = env_at(seats, ROWS | {"village": ["barbarian", "witch", "vicar"]}, "village")
    play_turn(env, {"card": "barbarian", "cell": (1, 0), "option": 0}, (0, 0))
    assert gold(env)[0] == 15 - 2 + 2


def test_the_one_opponent_of_two_counts_once():
    env = env_at(
        [player(), player([at(0, 0, "astronomer")])],
        ROWS | {"village": ["barbarian", "witch", "vicar"]},
        "village",
    )
    play_turn(env, {"card": "barbarian", "cell": (0, 0), "option": 0}, (0, 0))
    assert gold(env)[0] == 15 - 2 + 2


@pytest.mark.parametrize(("slot", "cost"), [(0, 3), (1, 3), (2, 4)])
def test_discarded_card_is_chosen(slot, cost):
    env = env_at(
        [player(), player()], ROWS | {"village": ["executioner", "witch", "spy"]}, "village"
    )
    take(env, "executioner", (0, 0))
    assert legal(env) == {Discard(0), Discard(1), Discard(2)}
    do(env, Discard(slot))
    assert gold(env)[0] == 15 + cost
    assert env.to_dict()["discards"] == {"castle": [CASTLE[slot]], "village": []}


@pytest.mark.parametrize(("option", "expected"), [(0, (13, 2)), (1, (13, 4))])
def test_option_is_chosen_even_one_that_yields_nothing(option, expected):
    env = env_at([player(), player()], ROWS | {"village": ["barbarian", "witch", "spy"]}, "village")
    take(env, "barbarian", (0, 0))
    assert legal(env) == {Option(0), Option(1)}
    do(env, Option(option))
    assert (gold(env)[0], keys(env)[0]) == expected


def test_messenger_icons_follow_the_card_file():
    """One with an icon, one without; all 78 are in test_cards."""
    env = env_at([player(), player()], ROWS, "village")
    take(env, "vicar", (0, 0))
    assert env.to_dict()["messenger"] == "castle"
    take(env, "baron", (0, 0))
    assert env.to_dict()["messenger"] == "castle"


def nine(card=None, **more):
    ids = ["prince", "judge", "knight", "nun", "patron", "scribe", "jester", "duchess", "general"]
    cells = [at(i % 3, i // 3, one, face_down=True) for i, one in enumerate(ids)]
    if card:
        cells[0] = at(0, 0, card, **more)
    return cells


@pytest.mark.parametrize(
    ("left", "places"), [((5, 3, 9), [1, 2, 3]), ((3, 5, 5), [2, 1, 3]), ((4, 4, 0), [1, 1, 3])]
)
def test_ties_go_to_gold_left_then_are_shared(left, places):
    seats = [player(nine(), left[0], 7), player(nine(), left[1], 7), player(nine(), left[2], 6)]
    env = env_at(seats, {"castle": ["queen_mother"], "village": VILLAGE}, "village")
    assert [env.infos[a]["placement"] for a in env.agents] == places
    shares = [1 / places.count(1) if place == 1 else 0 for place in places]
    expected = [(3 * share - 1) / 2 for share in shares]
    assert [env.rewards[a] for a in env.agents] == pytest.approx(expected)


def test_tie_break_counts_gold_that_no_purse_takes():
    """7 keys and 12 gold, a farmhand's purse takes 5 of them: 10 points more, 7 gold left."""
    env = env_at([player(nine("farmhand"), 12, 7), player(nine(), 7, 17)], ROWS, "village")
    assert env.scores() == {"player_0": 17, "player_1": 17}
    assert env.infos["player_0"]["placement"] == env.infos["player_1"]["placement"] == 1


def test_empty_location_leaves_the_game():
    """With two cards left of the Castle, all rest goes, the Messenger with it for good."""
    env = env_at(
        [player(), player()],
        ROWS,
        "castle",
        decks={"castle": [], "village": ["potter", "doctor"]},
        discards={"castle": [], "village": ["baker"]},
    )
    take(env, "baron", (0, 0))
    after = env.to_dict()
    assert after["rows"]["castle"] == after["decks"]["castle"] == after["discards"]["castle"] == []
    assert after["messenger"] == "village"
    assert Key("move") not in legal(env) and Key("refresh") in legal(env)
    do(env, Key("refresh"))
    assert env.to_dict()["rows"]["village"][:2] == ["potter", "doctor"]
    assert env.to_dict()["messenger"] == "village"


def test_leftover_gold_fills_purses_by_itself_at_the_end():
    """Gold 6: the beekeeper's purse (capacity 9, 4 stored) takes 5; 9 gold are 18 points."""
    env = env_at([player(nine("beekeeper", gold=4), 6, 0), player(nine(), 0, 0)], ROWS, "village")
    found = env.breakdown("player_0")
    assert found["cell_points"][0] == found["total"] == 18
    assert found["gold_left"] == 1 and found["purse_gold"][0] == 9


def test_ability_lines_do_not_influence_each_other():
    """The innkeeper: 2 gold on each purse, its own included, and 2 for each opponent."""
    env = env_at(
        [player([at(0, 0, "farmhand", gold=4)]), player(), player()],
        ROWS | {"village": ["innkeeper", "witch", "spy"]},
        "village",
    )
    take(env, "innkeeper", (1, 0))
    assert gold(env) == [15, 17, 17]
    stored = {one["card"]: one["gold"] for one in env.to_dict()["players"][0]["tableau"]}
    assert stored == {"farmhand": 5, "innkeeper": 2}


def test_discard_cannot_be_refused_and_a_card_of_cost_0_may_go():
    env = env_at(
        [player(), player()],
        {"castle": ["guildmaster", "nun", "baron"], "village": VILLAGE},
        "castle",
    )
    take(env, "guildmaster", (0, 0))
    assert all(isinstance(move, Discard) for move in legal(env))
    do(env, Discard(0))
    assert keys(env)[0] == 2, "the vicar costs nothing"


def test_ability_cannot_be_refused():
    """The patron gives every opponent 2 gold, like it or not."""
    env = env_at(
        [player(), player(), player()], ROWS | {"castle": ["patron", "nun", "baron"]}, "castle"
    )
    take(env, "patron", (0, 0))
    assert gold(env) == [8, 17, 17]


def test_key_and_its_use_are_one_decision():
    env = env_at([player(), player()], ROWS, "village")
    do(env, Key("move"))
    after = env.to_dict()
    assert (after["messenger"], keys(env)[0]) == ("castle", 1)
    assert all(isinstance(move, Recruit) for move in legal(env)), "one key a turn, no way back"


def test_first_player_is_random_or_given():
    starts = set()
    env = chateau_combo_v0.raw_env(num_players=5)
    for seed in range(60):
        env.reset(seed=seed)
        starts.add(env.agent_selection)
    assert starts == set(env.possible_agents)
    env.reset(seed=1, options={"first_player": 3})
    assert env.agent_selection == "player_3"


@pytest.mark.parametrize(
    ("card", "field", "value"),
    [
        ("chaplain", "gold", 15 - 5 + 1),
        ("astronomer", "shields", ["scholarship", "scholarship"]),
        ("doctor", "shields", ["scholarship"]),
        ("innkeeper", "opponents", 17),
        ("armorer", "discounts", [1, 1]),
    ],
)
def test_cards_on_which_sources_differ(card, field, value):
    place = "castle" if card in ("chaplain", "astronomer") else "village"
    env = env_at([player(), player()], ROWS | {place: [card, *ROWS[place][:2]]}, place)
    take(env, card, (0, 0))
    seen = env.decode_observation(env.observe("player_0")["observation"])
    kinds = ("nobility", "faith", "scholarship", "military", "craftsmanship", "peasantry")
    shields = [kind for kind, n in zip(kinds, seen["counts"][0], strict=False) for _ in range(n)]
    found = {
        "gold": gold(env)[0],
        "opponents": gold(env)[1],
        "shields": shields,
        "discounts": seen["discounts"][0].tolist(),
    }
    assert found[field] == value


def test_every_game_spends_at_most_one_key_a_turn():
    env = new_env(3, 5)
    spent, turn = 0, None
    for _ in visited(env, seed=5):
        state = env.to_dict()
        now = (state["current_player"], sum(len(p["tableau"]) for p in state["players"]))
        if now != turn:
            spent, turn = 0, now
        spent += state["phase"] == "recruit"
        assert spent <= 1
