"""The check that random games end by themselves, and that it tells when they do not."""

import copy

import numpy as np
import pytest

from castle_envs.games.castle_up import GAME
from scripts import castle_up_backstop as script
from tests.castle_up.positions import seat, table


def test_random_games_end_by_themselves(capsys):
    assert script.main(["--games", "192", "--seed", "5"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("| all | 192 |") and last.endswith("| 0 |")


@pytest.mark.parametrize("limit", ["--turn-limit", "--window-limit"])
def test_a_lower_limit_is_reached(limit, capsys):
    assert script.main(["--games", "96", limit, "2"]) == 1
    assert not capsys.readouterr().out.splitlines()[-1].endswith("| 0 |")


def test_the_real_limit_is_noticed():
    """One decision short of the limit: the next one in this turn reaches it."""
    seats = [seat("castle", tokens=(9, 9, 9, 2)), seat("castle")]
    values = table(*seats, deck=["farm"] * 4).to_dict()
    for spent, expected in ((0, 0), (399, 1)):
        values = copy.deepcopy(values)
        values["counters"]["turn_decisions"] = spent
        states, _ = GAME.from_dict(values, "position")
        noted = script.measure(states, 1, eager=True)
        assert noted[0, script.ENDED] == 1
        assert noted[0, script.STOPS] == expected == script.troubles(noted, 400, 60)


def test_a_game_without_end_is_noticed():
    states = script.dealt({"num_players": 2}, 3, 1)
    noted = script.measure(states, 1, most=10)
    assert (noted[:, script.DECISIONS] == 10).all() and not noted[:, script.ENDED].any()
    assert script.troubles(noted, 400, 60) == 3


def test_all_combinations_are_played():
    found = [tuple(map(str, k.values())) for n in (2, 3, 4) for k in script.combinations(n)]
    assert len(set(found)) == len(found) == 3 * 2**5
    for n in (2, 3, 4):
        for keywords in script.combinations(n):
            assert script.dealt(keywords, 1, 1)[0].num_players == n


def test_the_same_seed_plays_the_same_games():
    one, two = (script.measure(script.dealt({"num_players": 3}, 4, 7), 7) for _ in range(2))
    assert (one == two).all() and np.unique(one[:, script.DECISIONS]).size > 1
