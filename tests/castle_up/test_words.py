"""The readable table shows what a player needs to see."""

import numpy as np

from castle_envs import castle_up_v0
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.actions import Attack
from tests.castle_up.positions import play, seat, table
from tests.castle_up.walk import dealt, fighting_choice, one_of_each_phase, visited


def test_every_state_has_a_text():
    for states in one_of_each_phase().values():
        text = GAME.text(states, "the last move")
        assert "last move: the last move" in text
        assert GAME.phase_name(states[0]) in text
    for states in visited(dealt({"num_players": 4, "castles": "random"}, 2), 2, fighting_choice):
        assert "player_3" in GAME.text(states, None)


def test_what_it_shows():
    env = castle_up_v0.env(render_mode="ansi", num_players=3)
    env.reset(seed=4)
    text = env.render()
    for words in ("round 1, era I", "supply: 20 M, 20 S, 20 F, 12 G", "attacks clockwise"):
        assert words in text
    assert text.count("top of the") == 2 and text.count("player_") >= 4
    assert "Collect Taxes (mercantile, front, price nothing): gain 2 any" in text
    for name in env.to_dict()["row"]:
        assert GAME.text(env._states, None).count(name.split("_")[0].capitalize()) >= 1


def test_battles_and_marks():
    defender = seat("castle", "goldmine d used", "watchtower", tokens=(2, 0, 0, 0))
    env = play(table(seat("castle e", "soldiers_barracks"), defender), Attack(1, 1))
    text = GAME.text(env._states, None)
    assert "battle for Goldmine of player_1: attack 4, defense 0" in text
    assert "1 [damaged, used] Goldmine" in text and "to act: player_1 (defend)" in text


def test_illegal_actions_name_the_decision():
    env = castle_up_v0.raw_env()
    env.reset(seed=1)
    try:
        env.step(80)
    except AssertionError as error:
        assert "token gold" in str(error) and "main" in str(error)


def test_human_mode_prints(capsys):
    env = castle_up_v0.env(render_mode="human")
    env.reset(seed=1)
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(int(np.flatnonzero(mask)[-1]))
    assert capsys.readouterr().out.count("trade row:") == 2
