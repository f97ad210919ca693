"""Action ids: the table of the rules reference, moves and texts."""

import pytest

from castle_envs.engine.errors import OptionError
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up import actions as a

TABLE = {
    0: a.Done(),
    1: a.Use(0, 0),
    3: a.Use(0, 2),
    4: a.Use(1, 0),
    21: a.Use(6, 2),
    22: a.UseHeld("initiative"),
    25: a.UseHeld("military"),
    26: a.Buy(0),
    29: a.Buy(3),
    30: a.Promote(0),
    33: a.Promote(3),
    34: a.BuyCard("initiative"),
    35: a.BuyCard("mercantile"),
    36: a.BuyCard("defensive"),
    37: a.BuyCard("military"),
    38: a.Attack(1, 0),
    44: a.Attack(1, 6),
    45: a.Attack(2, 0),
    58: a.Attack(3, 6),
    59: a.Loot(),
    60: a.Select(0),
    66: a.Select(6),
    67: a.Repair(0),
    73: a.Repair(6),
    74: a.Exchange("manpower"),
    76: a.Exchange("food"),
    77: a.Token("manpower"),
    80: a.Token("gold"),
    81: a.Answer(True),
    82: a.Answer(False),
    83: a.Suit("red"),
    85: a.Suit("blue"),
    86: a.BuyTop(),
    87: a.PromoteTop(),
}


@pytest.mark.parametrize("action", TABLE)
def test_table(action):
    move = a.decode(action)
    assert (type(move), move) == (type(TABLE[action]), TABLE[action])


def test_round_trips():
    assert GAME.num_actions == len(a.ACTION_NAMES) == 88
    assert len(set(a.ACTION_NAMES)) == 88
    for action in range(88):
        assert a.encode(a.decode(action)) == action
        assert GAME.string_to_action(GAME.action_names[action]) == action


@pytest.mark.parametrize("action", [-1, 88, 1000])
def test_no_such_id(action):
    with pytest.raises(OptionError, match="0 to 87"):
        a.decode(action)


@pytest.mark.parametrize(
    "move", [a.Use(7, 0), a.Use(0, 3), a.Attack(0, 1), a.Token("silver"), (0, 0), None, a.Buy([])]
)
def test_no_such_move(move):
    with pytest.raises(OptionError):
        a.encode(move)


def test_no_such_text():
    with pytest.raises(OptionError, match="Castle Up"):
        GAME.string_to_action("buy the moon")
