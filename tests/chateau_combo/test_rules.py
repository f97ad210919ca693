"""Every rule line of the reference's sections 1 to 7 that the rulings do not cover already."""

import pytest

from castle_envs import chateau_combo_v0
from castle_envs.games.chateau_combo.actions import Discard, Key, Recruit
from tests.chateau_combo.positions import env_at, legal, player, take
from tests.chateau_combo.test_rulings import CASTLE, ROWS, at, do, gold, keys, nine, price_seen
from tests.chateau_combo.walk import drain_castle, legal_ids, new_env, visited

# Setup (section 1) -----------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_setup(players):
    state = new_env(players, 1).to_dict()
    assert [(p["gold"], p["keys"], p["tableau"]) for p in state["players"]] == [
        (15, 2, [])
    ] * players
    assert state["messenger"] == "village"
    for place in ("castle", "village"):
        assert len(state["rows"][place]) == 3 and len(state["decks"][place]) == 36
        assert state["discards"][place] == []
        assert len({*state["rows"][place], *state["decks"][place]}) == 39


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_nine_turns_each_clockwise(players):
    env = new_env(players, 7)
    order, placed = [], -1
    for _ in visited(env, seed=7):
        state = env.to_dict()
        now = sum(len(p["tableau"]) for p in state["players"]) - (state["pending"] is not None)
        if now != placed and not state["over"]:
            order.append(state["current_player"])
            placed = now
    first = order[0]
    assert order == [(first + turn) % players for turn in range(9 * players)]
    assert all(len(p["tableau"]) == 9 for p in env.to_dict()["players"])


def test_given_deal():
    """The first three cards of each deck become the row, left to right; the top follows."""
    dealt = new_env(2, 4).to_dict()
    ids = {place: (dealt["rows"][place] + dealt["decks"][place])[::-1] for place in dealt["rows"]}
    env = chateau_combo_v0.raw_env(num_players=3)
    env.reset(seed=9, options={"decks": ids, "first_player": 2})
    state = env.to_dict()
    for place in ids:
        assert state["rows"][place] == ids[place][:3]
        assert state["decks"][place] == ids[place][3:]
    assert state["current_player"] == 2


# A turn (section 2) ----------------------------------------------------------------------------


def test_key_needs_a_key():
    env = env_at([player(keys=0), player()], ROWS, "village")
    assert not any(isinstance(move, Key) for move in legal(env))


@pytest.mark.parametrize("way", ["face-down", "ability"])
def test_keys_gained_this_turn_come_too_late(way):
    rows = ROWS | {"castle": ["judge", "nun", "baron"]}
    env = env_at(
        [player(keys=0), player()],
        rows,
        "castle",
        decks={"castle": ["patron", "queen_mother"], "village": []},
    )
    take(env, "judge", (0, 0), face_down=way == "face-down")
    assert env.agent_selection == "player_1" and keys(env)[0] == 2


def test_face_down_gives_6_gold_and_2_keys_whatever_the_card():
    env = env_at([player(), player()], ROWS, "village")
    take(env, "witch", (0, 0), face_down=True)
    after = env.to_dict()
    assert (gold(env), keys(env)) == ([21, 15], [4, 2])
    assert after["messenger"] == "village", "the icon of a face-down card does not count"
    assert after["discards"] == {"castle": [], "village": []}


@pytest.mark.parametrize("stock", [0, 99])
def test_face_down_is_always_allowed(stock):
    env = env_at([player(gold=stock), player()], ROWS, "castle")
    ways = {(m.slot, m.face_down) for m in legal(env) if isinstance(m, Recruit)}
    down = {(slot, True) for slot in range(3)}
    assert ways == (down if stock == 0 else down | {(slot, False) for slot in range(3)})


def test_messenger_moved_by_a_key_stays_where_no_icon_moves_it():
    env = env_at([player(), player()], ROWS, "village")
    do(env, Key("move"))
    take(env, "baron", (0, 0))
    assert env.to_dict()["messenger"] == "castle"


def test_icon_counts_after_a_key():
    env = env_at([player(), player()], ROWS, "village")
    do(env, Key("move"))
    take(env, "nun", (0, 0))
    assert env.to_dict()["messenger"] == "village"


# Price and discounts (section 3) ---------------------------------------------------------------


def test_discounts_add_up_by_place_and_stop_at_0():
    cells = [at(0, 0, "armorer"), at(1, 0, "squire"), at(2, 0, "princess"), at(0, 1, "philosopher")]
    rows = {"castle": ["patron", "nun", "baron"], "village": ["winemaker", "witch", "vicar"]}
    env = env_at([player(cells), player()], rows, "castle")
    found = {card: price_seen(env, card) for place in rows for card in rows[place]}
    assert found == {"patron": 3, "nun": 0, "baron": 0, "winemaker": 0, "witch": 2, "vicar": 0}
    take(env, "nun", (1, 1))
    assert gold(env)[0] == 15 + 2, "nothing refunded; the nun counts two Castle cards"


def test_printed_cost_is_what_effects_look_at():
    """A professor bought for 3 is still a card of cost 4 for the pawnbroker."""
    cells = [at(0, 0, "squire"), at(1, 0, "professor")]
    env = env_at(
        [player(cells, gold=3), player()],
        ROWS | {"castle": ["pawnbroker", "nun", "baron"]},
        "castle",
    )
    take(env, "pawnbroker", (2, 0))
    assert gold(env)[0] == 3 - 3 + 2


def test_gold_on_purses_cannot_be_spent_and_nothing_stores_it():
    cells = [at(0, 0, "beekeeper", gold=9)]
    env = env_at([player(cells, gold=2), player()], ROWS, "castle")
    assert all(move.face_down for move in legal(env) if isinstance(move, Recruit))
    take(env, "baron", (1, 0), face_down=True)
    assert env.to_dict()["players"][0]["tableau"][0]["gold"] == 9
    assert gold(env)[0] == 8


# Placement (section 4) -------------------------------------------------------------------------


def test_first_card_has_one_cell():
    env = env_at([player(), player()], ROWS, "village")
    assert {(m.row, m.column) for m in legal(env) if isinstance(m, Recruit)} == {(0, 0)}


@pytest.mark.parametrize(
    ("cells", "cell", "frame"),
    [
        ([(0, 0)], (-1, 0), {"baron": (0, 0), "beekeeper": (1, 0)}),
        ([(0, 0)], (0, -1), {"baron": (0, 0), "beekeeper": (0, 1)}),
        ([(0, 0)], (0, 1), {"baron": (0, 1), "beekeeper": (0, 0)}),
        (
            [(0, 0), (0, 1), (1, 0)],
            (-1, 0),
            {"baron": (0, 0), "beekeeper": (1, 0), "farmhand": (1, 1), "vicar": (2, 0)},
        ),
        (
            [(0, 0), (0, 1), (1, 0)],
            (1, -1),
            {"baron": (1, 0), "beekeeper": (0, 1), "farmhand": (0, 2), "vicar": (1, 1)},
        ),
    ],
)
def test_frame_moves_with_cards_and_their_gold(cells, cell, frame):
    stored = {"beekeeper": 3, "farmhand": 2, "vicar": 1}
    lying = [at(c, r, card, gold=stored[card]) for (r, c), card in zip(cells, stored, strict=False)]
    env = env_at(
        [player(lying), player()],
        {"castle": CASTLE, "village": ["potter", "witch", "spy"]},
        "castle",
    )
    take(env, "baron", (cell[1], cell[0]))
    tableau = env.to_dict()["players"][0]["tableau"]
    assert {one["card"]: (one["row"], one["column"]) for one in tableau} == frame
    assert {one["card"]: one["gold"] for one in tableau if one["card"] != "baron"} == {
        card: stored[card] for card in frame if card != "baron"
    }


def test_every_unfinished_tableau_has_room_and_the_151_shapes():
    shapes, most = {frozenset()}, {}
    open_shapes = [frozenset()]
    while open_shapes:
        cells = open_shapes.pop()
        ids = [
            "beekeeper",
            "farmhand",
            "witch",
            "baker",
            "potter",
            "farmer",
            "usurper",
            "monk",
            "doctor",
        ]
        lying = [at(c, r, card) for (r, c), card in zip(sorted(cells), ids, strict=False)]
        if len(cells) == 9:
            continue
        env = env_at([player(lying), player()], {"castle": CASTLE, "village": ["spy"]}, "castle")
        free = {(m.row, m.column) for m in legal(env) if isinstance(m, Recruit)}
        assert free
        most[len(cells)] = max(most.get(len(cells), 0), len(free))
        for row, column in free:
            grown = [*cells, (row, column)]
            top, left = min(r for r, _ in grown), min(c for _, c in grown)
            shape = frozenset((r - top, c - left) for r, c in grown)
            if shape not in shapes:
                shapes.add(shape)
                open_shapes.append(shape)
    assert len(shapes) - 1 == 151
    assert [most[n] for n in range(1, 9)] == [4, 6, 7, 8, 6, 6, 2, 1]


# Points as if the game ended now (section 7, design 4) -----------------------------------------


def cell_points(cells, gold=0, keys=0):
    env = env_at(
        [player(cells, gold, keys), player()],
        {"castle": CASTLE, "village": ["potter", "witch", "spy"]},
        "castle",
        1,
    )
    return env.breakdown("player_0")["cell_points"]


@pytest.mark.parametrize(
    ("card", "cells", "expected"),
    [
        ("duchess", [(0, 0)], 0),  # top row: the height is open
        ("duchess", [(0, 0), (0, 1), (0, 2)], 0),
        ("duchess", [(0, 0), (1, 0)], 0),
        ("duchess", [(0, 0), (1, 0), (2, 0)], 8),  # its axis is decided, the other need not be
        ("captain", [(0, 2), (0, 1), (0, 0)], 8),  # right column
        ("captain", [(0, 1), (0, 0), (1, 0), (2, 0)], 0),
        ("fisherman", [(0, 0), (1, 0), (2, 0)], 0),  # corner: both axes
        ("fisherman", [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)], 4),
        ("baker", [(1, 0), (0, 0), (2, 0)], 0),  # edge middle: both axes
        ("baker", [(1, 0), (0, 0), (2, 0), (0, 1), (0, 2)], 3),
        ("spice_merchant", [(1, 0), (0, 0)], 0),  # middle row
        ("spice_merchant", [(1, 0), (0, 0), (2, 0)], 5),
    ],
)
def test_position_pays_on_decided_axes_only(card, cells, expected):
    others = ["prince", "judge", "knight", "patron"]
    lying = [
        at(c, r, card if i == 0 else others[i - 1], face_down=i > 0)
        for i, (r, c) in enumerate(cells)
    ]
    row, column = cells[0]
    assert cell_points(lying)[3 * row + column] == expected


def test_row_column_and_cross_follow_the_frame_of_now():
    """Prince (4 per nobility in its row) left of the jester, above the queen mother (two)."""
    cells = [at(0, 0, "prince"), at(1, 0, "jester"), at(0, 1, "queen_mother")]
    assert cell_points(cells) == [8, 4, 0, 0, 0, 0, 0, 0, 0]
    assert cell_points(cells, gold=5)[3] == 10, "the queen mother's purse filled from own gold"


def test_keys_count_one_each_and_again_for_templar_and_locksmith():
    cells = [at(0, 0, "templar"), at(1, 0, "locksmith")]
    env = env_at(
        [player(cells, 0, 6), player()],
        {"castle": CASTLE, "village": ["potter", "witch", "spy"]},
        "castle",
        1,
    )
    found = env.breakdown("player_0")
    assert (found["cell_points"][:2], found["key_points"], found["total"]) == ([6, 6], 6, 18)


def test_carpenter_counts_once_whatever_the_number():
    assert cell_points(nine("carpenter"))[0] == 8


def test_banker_counts_gold_after_purses_took_the_rest():
    """3 stored, 4 own gold, capacity 9: 7 on the beekeeper, so 7 for the banker."""
    cells = [at(0, 0, "banker"), at(1, 0, "beekeeper", gold=3)]
    assert cell_points(cells, gold=4)[:2] == [7, 14]


def test_brigand_and_judge_count_banner_sets():
    village = ["brigand", "witch", "spy", "monk", "baker", "farmer", "potter"]
    cells = [at(i % 3, i // 3, card) for i, card in enumerate(["judge", *village, "baron"])]
    env = env_at(
        [player(cells, 0, 0), player()], {"castle": ["nun"], "village": ["vicar"]}, "castle", 1
    )
    points = env.breakdown("player_0")["cell_points"]
    assert points[1] == 7 * 2, "seven Village cards hold two sets of three"
    assert points[0] == 3 * 2, "two Castle cards make two pairs"


# Messenger, refill and decks (section 6) -------------------------------------------------------


def test_refill_takes_the_vacated_slot():
    env = env_at(
        [player(), player()],
        ROWS,
        "castle",
        decks={"castle": ["judge", "patron"], "village": ["potter"]},
    )
    take(env, "nun", (0, 0))
    assert env.to_dict()["rows"]["castle"] == ["baron", "judge", "scribe"]
    assert env.to_dict()["decks"]["castle"] == ["patron"]


def test_discard_refills_the_other_row_after_the_messenger():
    rows = {"castle": CASTLE, "village": ["executioner", "witch", "spy"]}
    env = env_at(
        [player(), player()], rows, "village", decks={"castle": ["judge"], "village": ["potter"]}
    )
    take(env, "executioner", (0, 0))
    waiting = env.to_dict()
    assert waiting["messenger"] == "village" and waiting["rows"]["village"][0] is None
    do(env, Discard(1))
    after = env.to_dict()
    assert after["messenger"] == "castle"
    assert after["rows"] == {
        "castle": ["baron", "judge", "scribe"],
        "village": ["potter", "witch", "spy"],
    }


def test_refresh_draws_before_the_card_is_taken():
    env = env_at(
        [player(), player()],
        ROWS,
        "castle",
        decks={"castle": ["judge", "patron", "prince", "duchess"], "village": []},
    )
    do(env, Key("refresh"))
    after = env.to_dict()
    assert after["rows"]["castle"] == ["judge", "patron", "prince"]
    assert sorted(after["discards"]["castle"]) == sorted(CASTLE)
    assert env.agent_selection == "player_0"


def test_refresh_reshuffles_the_cards_just_discarded():
    """Deck of two: they come up first, the third is one of the pile, which holds the old row."""
    thirds = set()
    for seed in range(40):
        env = env_at(
            [player(), player()],
            ROWS,
            "castle",
            decks={"castle": ["judge", "patron"], "village": []},
            discards={"castle": ["prince"], "village": []},
            rng=hex(seed),
        )
        do(env, Key("refresh"))
        after = env.to_dict()
        assert after["rows"]["castle"][:2] == ["judge", "patron"]
        assert after["discards"]["castle"] == []
        assert sorted([after["rows"]["castle"][2], *after["decks"]["castle"]]) == sorted(
            [*CASTLE, "prince"]
        )
        thirds.add(after["rows"]["castle"][2])
    assert thirds == {*CASTLE, "prince"}, "shuffled, and the discarded three may come back"


def test_exhausted_castle_in_a_whole_game_of_five():
    """37 Castle cards taken leave two: they go, and eight turns are played at the Village."""
    env, gone_at = new_env(5, 11), None
    for _ in visited(env, drain_castle):
        state = env.to_dict()
        placed = sum(len(p["tableau"]) for p in state["players"])
        if not state["rows"]["castle"]:
            gone_at = placed if gone_at is None else gone_at
            assert state["messenger"] == "village"
            assert state["decks"]["castle"] == state["discards"]["castle"] == []
            moves = {env.decode_action(a) for a in legal_ids(env)}
            assert Key("move") not in moves
            assert state["over"] or state["phase"] != "turn" or Key("refresh") in moves
    assert gone_at == 37
    assert [len(p["tableau"]) for p in env.to_dict()["players"]] == [9] * 5
    assert all(env.terminations.values()) and not any(env.truncations.values())


def test_discard_on_an_exhausted_place_does_nothing():
    rows = {"castle": [], "village": ["executioner", "witch", "spy"]}
    env = env_at([player(), player()], rows, "village")
    take(env, "executioner", (0, 0))
    assert env.agent_selection == "player_1" and gold(env)[0] == 15


# Seats (section 8) -----------------------------------------------------------------------------


def test_opponents_and_everyone():
    env = env_at(
        [player()] * 4, ROWS | {"castle": ["royal_guard", "nun", "his_holiness"]}, "castle", 1
    )
    take(env, "royal_guard", (0, 0))
    assert keys(env) == [3, 3, 3, 3]
    env = env_at(
        [player()] * 4, ROWS | {"castle": ["royal_guard", "nun", "his_holiness"]}, "castle", 1
    )
    take(env, "his_holiness", (0, 0))
    assert keys(env) == [3, 5, 3, 3]
