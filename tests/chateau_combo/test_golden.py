"""The golden cases that independent implementations produced, through the public environment."""

import json
from pathlib import Path

import numpy as np
import pytest

from castle_envs import chateau_combo_v0
from castle_envs.engine.rewards import payoffs
from castle_envs.games.chateau_combo.actions import Key, Recruit
from castle_envs.games.chateau_combo.cards import CARDS
from tests.chateau_combo.positions import (
    corner_of,
    env_at,
    legal,
    play_turn,
    player,
    take,
)

CHECKS = json.loads((Path(__file__).parents[1] / "data/chateau_combo_checks.json").read_text())
PLACE = {card["id"]: card["place"] for card in CARDS}


def cases(section):
    return [pytest.param(case, id=case["id"]) for case in CHECKS[section]]


def gold_on(env, seat):
    return sum(card["gold"] for card in env.to_dict()["players"][seat]["tableau"])


@pytest.mark.parametrize("case", cases("scoring"))
def test_scoring(case):
    cells = [{"x": i % 3, "y": i // 3, **cell} for i, cell in enumerate(case["cells"])]
    rows = {"castle": ["baron", "nun", "scribe"], "village": ["vicar", "witch", "spy"]}
    env = env_at([player(cells, case["gold"], case["keys"]), player()], rows, "village", 1)
    assert env.breakdown("player_0") == case["expect"]
    assert env.scores()["player_0"] == case["expect"]["total"]


@pytest.mark.parametrize("case", cases("effects"))
def test_effect(case):
    players = [player(p["cells"], p["gold"], p["keys"]) for p in case["players"]]
    seat, expect = case["active"], case["expect"]
    env = env_at(players, case["rows"], case["messenger"], seat)
    cells = case["players"][seat]["cells"]
    seen = env.decode_observation(env.observe(f"player_{seat}")["observation"])
    if not case["take"].get("face_down"):
        slot = case["rows"][case["messenger"]].index(case["take"]["card"])
        assert seen["prices"][slot] == expect["paid"]
    play_turn(env, case["take"], corner_of(cells) or case["take"]["cell"])
    after = env.to_dict()
    assert [p["gold"] for p in after["players"]] == expect["gold"]
    assert [p["keys"] for p in after["players"]] == expect["keys"]
    assert after["messenger"] == expect["messenger"]
    assert {k: v for k, v in after["discards"].items() if v} == expect["new_discards"]
    left = min([c["x"] for c in cells] + [case["take"]["cell"][0]])
    top = min([c["y"] for c in cells] + [case["take"]["cell"][1]])
    stored = [
        {"x": card["column"] + left, "y": card["row"] + top, "gold": card["gold"]}
        for card in after["players"][seat]["tableau"]
        if card["gold"]
    ]

    def place(cell):
        return cell["x"], cell["y"]

    assert sorted(stored, key=place) == sorted(expect["active_purse_gold"], key=place)


@pytest.mark.parametrize("case", cases("placement"))
def test_placement(case):
    ids = [card["id"] for card in CARDS if card["place"] == "castle"][3:]
    cells = [
        {"x": x, "y": y, "card": card} for (x, y), card in zip(case["occupied"], ids, strict=False)
    ]
    rows = {"castle": ids[-3:], "village": ["vicar", "witch", "spy"]}
    env = env_at([player(cells, 99), player()], rows, "castle")
    left, top = corner_of(cells)
    found = {
        (move.column + left, move.row + top) for move in legal(env) if isinstance(move, Recruit)
    }
    assert found == {tuple(cell) for cell in case["expect_legal"]}


@pytest.mark.parametrize("case", cases("pricing"))
def test_pricing(case):
    check_pricing(case, case["expect"])


def check_pricing(case, expect):
    other = "village" if case["messenger"] == "castle" else "castle"
    spare = [card["id"] for card in CARDS if card["place"] == other][:3]
    rows = {case["messenger"]: case["row"], other: spare}
    env = env_at([player(case["tableau"], case["gold"]), player()], rows, case["messenger"])
    buyable = {
        case["row"][move.slot]
        for move in legal(env)
        if isinstance(move, Recruit) and not move.face_down
    }
    assert buyable == set(expect["buyable_face_up"])
    face_down = {m.slot for m in legal(env) if isinstance(m, Recruit) and m.face_down}
    assert face_down == {0, 1, 2}
    seen = env.decode_observation(env.observe("player_0")["observation"])
    discount = [expect["discount"]["castle"], expect["discount"]["village"]]
    assert seen["discounts"][0].tolist() == discount


def table(case, before):
    mine = before.get("player0", {"gold": 15, "keys": before.get("keys", 2), "cells": []})
    return env_at(
        [player(mine["cells"], mine["gold"], mine["keys"]), player()],
        before["rows"],
        before["messenger"],
        decks=before["decks"],
        discards=before["discards"],
    )


def check_table(env, expect):
    after = env.to_dict()
    assert {k: len(v) for k, v in after["decks"].items()} == expect["deck_sizes"]
    assert {k: sorted(v) for k, v in after["discards"].items()} == expect["discards"]
    assert after["messenger"] == expect["messenger"]
    for place, row in expect.get("rows", {}).items():
        assert sorted(after["rows"][place]) == row
    if "village_row_contains" in expect:
        row = after["rows"]["village"]
        assert set(expect["village_row_contains"]) <= set(row)
        rest = set(row) - set(expect["village_row_contains"])
        assert rest <= set(expect["village_row_rest_from"])
        assert len(row) == len(set(row)) == 3


@pytest.mark.parametrize("case", cases("decks"))
def test_decks(case):
    env = table(case, case["before"])
    take(env, case["take"]["card"], case["take"]["cell"])
    check_table(env, case["expect"])
    mine = env.to_dict()["players"][0]
    assert (mine["gold"], mine["keys"]) == (case["expect"]["gold"], case["expect"]["keys"])


@pytest.mark.parametrize("case", cases("keys"))
def test_keys(case):
    env = table(case, case["before"])
    choices = sorted(move.kind for move in legal(env) if isinstance(move, Key))
    assert choices == case["expect"]["choices"]
    env.step(env.encode_action(Key(case["action"])))
    check_table(env, case["expect"])
    assert env.to_dict()["players"][0]["keys"] == case["expect"]["keys"]
    assert not any(isinstance(move, Key) for move in legal(env)), "one key a turn"


@pytest.mark.parametrize("case", cases("games"))
def test_game(case):
    env = chateau_combo_v0.env(num_players=case["players"])
    decks = {place: case["rows"][place] + case["decks"][place] for place in case["rows"]}
    first = case["turns"][0]["player"]
    env.reset(options={"decks": decks, "first_player": first})
    corners = {}
    for turn in case["turns"]:
        assert env.agent_selection == f"player_{turn['player']}"
        x, y = turn["cell"]
        corner = corners.get(turn["player"], (x, y))
        play_turn(env, turn, corner)
        corners[turn["player"]] = (min(corner[0], x), min(corner[1], y))
        if "after" in turn:
            after, expect = env.to_dict(), turn["after"]
            assert [p["gold"] for p in after["players"]] == expect["gold"]
            assert [p["keys"] for p in after["players"]] == expect["keys"]
            stored = [gold_on(env, seat) for seat in range(case["players"])]
            assert stored == expect["purse_gold"]
            assert after["messenger"] == expect["messenger"]
            assert sorted(after["rows"]["castle"]) == expect["castle_row"]
            assert sorted(after["rows"]["village"]) == expect["village_row"]
    assert all(env.terminations.values()) and not any(env.truncations.values())
    for seat, final in enumerate(case["final"]):
        found = env.breakdown(f"player_{seat}")
        assert {key: found[key] for key in final} == final
        assert env.infos[f"player_{seat}"]["score"] == final["total"]
    ranked = [(f["total"], f["gold_left"]) for f in case["final"]]
    shares = [all(mine >= other for other in ranked) for mine in ranked]
    won = [env.rewards[f"player_{seat}"] > 0 for seat in range(case["players"])]
    assert won == shares


@pytest.mark.parametrize("case", cases("ranking"))
def test_ranking(case):
    """Winners from totals and leftover gold, on real tableaus that score just that."""
    players = [
        player(nine_face_down(), gold, total)
        for total, gold in zip(case["totals"], case["gold_left"], strict=True)
    ]
    rows = {"castle": ["baron", "nun", "scribe"], "village": ["vicar", "witch", "spy"]}
    env = env_at(players, rows, "village")
    assert list(env.scores().values()) == case["totals"]
    assert [env.breakdown(a)["gold_left"] for a in env.agents] == case["gold_left"]
    winners = [i for i, a in enumerate(env.agents) if env.infos[a]["placement"] == 1]
    assert winners == case["expect_winners"]


def nine_face_down():
    ids = [card["id"] for card in CARDS][10:19]
    return [
        {"x": i % 3, "y": i // 3, "card": card, "face_down": True} for i, card in enumerate(ids)
    ]


def test_deviation_face_down_discount():
    case = next(c for c in CHECKS["source_a_deviations"] if c["id"].endswith("discount"))
    check_pricing(case["setup"], case["recommended"])


def test_deviation_two_rows_to_refill():
    case = next(c for c in CHECKS["source_a_deviations"] if c["id"].endswith("refill"))
    setup, expect = case["setup"], case["recommended"]
    env = table(case, setup)
    play_turn(env, setup["take"], setup["take"]["cell"])
    row = env.to_dict()["rows"]["village"]
    assert len(row) == expect["village_row_size"]
    assert set(expect["village_row_contains"]) <= set(row)
    third = set(row) - set(expect["village_row_contains"])
    assert len(third) == 1 and third <= set(expect["third_from"])
    assert len(env.to_dict()["decks"]["village"]) == expect["village_deck_size"]


def test_no_payoff_is_lost():
    """`payoffs` on the ranking cases: shares of the winners, zero-sum."""
    out = np.zeros(3, np.float32)
    payoffs(0, np.array([58, 58, 40], np.int32), np.array([0, 0, 2], np.int32), 3, out)
    assert out.tolist() == [0.25, 0.25, -0.5]
