"""All cases that an independent implementation produced, through the public environment."""

import pytest

from castle_envs import castle_up_v0
from tests.castle_up.replay import CHECKS, final, replay_game, replay_position


def cases(section):
    return [pytest.param(case, id=case["id"]) for case in CHECKS[section]]


@pytest.mark.parametrize("case", cases("examples"))
def test_example(case):
    replay_position(case)


@pytest.mark.parametrize("case", cases("rules"))
def test_rule(case):
    replay_position(case)


@pytest.mark.parametrize("case", cases("scoring"))
def test_scoring(case):
    words = {"r": "ready", "e": "exhausted", "d": "damaged"}
    seats = [
        {"tokens": [0, 0, 0, 0], "city": [c and [c[0], words[c[1]]] for c in city], "held": {}}
        for city in case["cities"]
    ]
    position = {
        "options": {"players": len(seats)},
        "seats": seats,
        "state": "OVER",
        "named": case["named"],
        "initiative": 0,
    }
    env = castle_up_v0.raw_env.from_dict(position, check="position")
    parts, winners = final(env)
    assert [list(p.values()) for p in parts] == case["expect"]
    assert winners == case["winners"]


@pytest.mark.parametrize("case", cases("games"))
def test_game(case):
    replay_game(case)
