"""What the progress bar shows while training."""

import io
import re

import pytest
import tqdm

from training.train import main


@pytest.mark.parametrize("algorithm", ["ppo", "maskable_ppo"])
def test_bar_shows_speed_score_win_rate_and_time_left(tmp_path, monkeypatch, algorithm):
    shown = io.StringIO()

    class Shown(tqdm.tqdm):
        def __init__(self, *arguments, **keywords):
            keywords |= {"file": shown, "disable": False, "mininterval": 0, "ncols": 200}
            super().__init__(*arguments, **keywords)

    monkeypatch.setattr("training.train.tqdm", Shown)
    size = ["--num-envs=32", "--rollout=32", "--minibatch=256", "--trunk", "16", "--threads=1"]
    more = ["--total-samples=3072", "--evaluate-games=20", f"--run={tmp_path / 'run'}"]
    assert main([f"--algorithm={algorithm}", *size, *more]) == 0
    last = shown.getvalue().split("\r")[-1]
    fields = r"\[\d\d:\d\d<\d\d:\d\d, +[\d.]+k?sample/s, win_rate=[\d.]+, score=[\d.]+\]"
    assert re.search(fields, last), last
