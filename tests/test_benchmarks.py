"""The benchmarks measure what they say; how fast it is, is their own business."""

import json

import pytest

from benchmarks import own, report, speed, start
from benchmarks.harness import Figure, Hollow, Settings, random_games, rates
from castle_envs import chateau_combo_v0
from castle_envs.games import by_name

TINY = Settings(seconds=0.001, repeats=2)


def figure(name, median, group="one environment"):
    return vars(Figure.of(group, name, "decisions/s", [median]))


@pytest.fixture
def results():
    return {
        "command": "python -m benchmarks.speed",
        "commit": "abc",
        "date": "2026-01-01",
        "machine": {"cpu": "x", "cores": 2, "system": "s", "python": "3", "load_before": 0.0},
        "versions": {"numpy": "2"},
        "settings": {"seconds": 1.0, "repeats": 5, "seed": 0},
        "left_out": {"pgx": "not installed: pgx"},
        "figures": [
            figure("Château Combo, raw_env, 2 players", 120_000.0),
            figure("PettingZoo connect_four_v3, raw_env", 30_000.0),
        ],
    }


def test_rates_count_the_work():
    calls = []
    found = rates(lambda: calls.append(1) or 7, TINY)
    assert len(found) == TINY.repeats and all(rate > 0 for rate in found)
    assert len(calls) > TINY.repeats


def test_random_games_goes_to_the_real_end():
    env = chateau_combo_v0.raw_env(num_players=3)
    decisions = random_games(env, 0)()
    assert env.agents == [] and env.game.empty().shape == (1,)
    assert decisions >= 27  # three players, nine turns each
    assert random_games(Hollow(length=5), 0)() == 5


@pytest.mark.parametrize(("view", "extras"), own.views(by_name("chateau_combo")))
def test_every_batch_can_be_measured(view, extras):
    found = own.batch_figure(by_name("chateau_combo"), view, extras, 2, 1, TINY)
    assert found.median > 0 and found.unit == "decisions/s"


def test_ratios_compare_like_with_like(results):
    assert list(report.ratios(results)) == [
        ("Château Combo, raw_env, 2 players / PettingZoo connect_four_v3, raw_env", 4.0)
    ]


def test_report_names_command_commit_machine_and_what_is_missing(results, tmp_path):
    report.write(results, tmp_path)
    text = (tmp_path / "speed.md").read_text("utf-8")
    for part in ("`python -m benchmarks.speed`", "commit abc", "2 cores", "120 k", "not installed"):
        assert part in text
    assert json.loads((tmp_path / "speed.json").read_text("utf-8")) == results
    assert (tmp_path / "speed.png").stat().st_size > 1000


def test_readme_table_replaces_what_stood_there(results):
    page = "a\n<!-- benchmarks: speed -->\nold\n<!-- end of speed -->\nb"
    new = report.filled(page, results)
    assert "old" not in new and "120 k" in new and new.startswith("a\n") and new.endswith("\nb")
    assert report.filled(new, results) == new


def test_a_suite_that_fails_is_told_apart_from_one_not_installed():
    figures, problem = speed.in_own_process("no-such-suite", TINY)
    assert figures == [] and problem.startswith("failed")


def test_start_measures_whole_processes():
    assert start.seconds_of("-c", "pass") > 0


def test_suites_are_measured_in_their_own_process():
    figures, problem = speed.in_own_process("copies", TINY)
    assert problem == ""
    assert any(f["name"] == "Château Combo, env.clone()" and f["median"] > 0 for f in figures)
