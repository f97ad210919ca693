"""The evaluation: common deals, rotations, statistics, and the command that prints them."""

import json

import numpy as np
import pytest

from castle_envs.agents import resolve
from castle_envs.engine.errors import IllegalActionError
from castle_envs.evaluation import play_match, run_tournament
from castle_envs.evaluation.tournament import bootstrap_interval
from castle_envs.games import by_name
from training.evaluate import main

GAME = by_name("chateau_combo")


def agents(*names):
    return [resolve(name, GAME) for name in names]


def test_an_agent_against_itself_is_even():
    """Greedy draws no random numbers: swapped seats of a common deal mirror each other exactly."""
    one, other = agents("greedy", "greedy")
    match = play_match(GAME, [one, other], 40, seed=3)
    assert np.allclose(match.share.sum(axis=2), 1)
    assert np.allclose(match.share[:, 0, :], match.share[:, 1, ::-1])
    assert (match.score[:, 0, :] == match.score[:, 1, ::-1]).all()


def test_greedy_beats_random_in_every_seat():
    match = play_match(GAME, agents("greedy", "random"), 100, seed=1)
    assert match.share[:, :, 0].mean(axis=0).min() > 0.95
    assert match.placement[:, :, 0].mean() < 1.1


@pytest.mark.parametrize("players", [3, 5])
def test_more_players(players):
    match = play_match(GAME, agents("greedy", *["random"] * (players - 1)), 10, seed=1)
    assert match.share.shape == (10, players, players)
    assert np.allclose(match.share.sum(axis=2), 1)
    assert np.allclose(match.placement.sum(axis=2), players * (players + 1) / 2)
    assert match.share[:, :, 0].mean() > 0.9
    assert (match.length >= 9 * players).all()


def test_result_does_not_depend_on_workers():
    one = play_match(GAME, agents("greedy", "random"), 300, seed=2, workers=1)
    two = play_match(GAME, agents("greedy", "random"), 300, seed=2, workers=2)
    assert (one.score == two.score).all() and (one.share == two.share).all()


def test_illegal_actions_raise_and_name_the_agent():
    class Wrong:
        name = "wrong"

        def act_on_state(self, state, seat, rng):
            return 102

        def act_batch(self, states, seats, rng):
            return np.full(len(states), 102)

    with pytest.raises(IllegalActionError, match="'wrong' chose action 102"):
        play_match(GAME, [Wrong(), *agents("random")], 2)


def test_bootstrap_covers_the_mean():
    values = np.random.default_rng(0).random(400)
    low, high = bootstrap_interval(values)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.15)


def test_tournament_plays_every_pairing():
    found = run_tournament(GAME, agents("greedy", "random"), games=20, players=3)
    assert [(r.agent, r.opponent) for r in found.results] == [
        ("greedy", "random"),
        ("random", "greedy"),
    ]
    assert found.results[0].games == 21 and "0.333" in found.table()


def test_command(tmp_path, capsys):
    arguments = ["--agents", "greedy", "random", "--games", "20", "--out", str(tmp_path)]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "win rate" in shown and "evaluation.json" in shown
    record = json.loads((tmp_path / "evaluation.json").read_text())
    assert record["results"][0]["win_rate"] > 0.8 and len(record["results"][0]["scores"]) == 20
    assert (tmp_path / "evaluation.png").read_bytes().startswith(b"\x89PNG")


def test_command_names_unknown_agents(capsys):
    assert main(["--agents", "nobody"]) == 2
    assert "unknown agent 'nobody'" in capsys.readouterr().err


def test_options_of_the_game(tmp_path, capsys):
    base = ["--game", "castle_up", "--agents", "random", "greedy", "--games", "4", "--workers=1"]
    assert (
        main([*base, "--options", "{castles: random, expansion: true}", f"--out={tmp_path}"]) == 0
    )
    assert json.loads((tmp_path / "evaluation.json").read_text())["game"] == "castle_up"
    assert main([*base, "--options", "{castles: 3}", f"--out={tmp_path}"]) == 2
    assert "castles" in capsys.readouterr().err
