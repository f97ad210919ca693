"""Every example runs as a user would run it, without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run_example(name, *arguments):
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / name, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_random_play():
    text = run_example("random_play.py")
    assert "the game is over" in text
    assert "player_2:" in text
    assert text.rstrip().endswith("moves")


def test_train_and_play(tmp_path):
    text = run_example("train_and_play.py", "40000")
    assert "the game is over" in text and "win rate" in text


def test_maskable_ppo():
    assert "points" in run_example("maskable_ppo.py", "5000")


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda s: s.name)
def test_examples_say_what_they_show(script):
    assert script.read_text("utf-8").startswith('"""')
