"""Learning curves are drawn from the logs of runs."""

import json

from training.curves import main
from training.train import main as train

SMALL = ["--num-envs=16", "--rollout=8", "--minibatch=64", "--trunk", "16", "--threads=1"]


def test_points_are_those_of_the_log(tmp_path, capsys):
    for seed in (0, 1):
        more = ["--total-samples=256", "--evaluate-every=128", "--evaluate-games=20"]
        assert train([*SMALL, *more, f"--seed={seed}", f"--run={tmp_path / str(seed)}"]) == 0
    out = tmp_path / "figures" / "curves.png"
    assert main([str(tmp_path / "0"), str(tmp_path / "1"), f"--out={out}"]) == 0
    assert str(out) in capsys.readouterr().out
    assert out.read_bytes().startswith(b"\x89PNG")
    for seed, curve in enumerate(json.loads(out.with_suffix(".json").read_text())):
        log = (tmp_path / str(seed) / "log.jsonl").read_text().splitlines()
        assert [p["score"] for p in curve["points"]] == [json.loads(x)["score"] for x in log]
        assert [p["samples"] for p in curve["points"]] == [0, 128, 256]
        assert curve["commit"]


def test_what_is_no_run_is_an_error(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "no run folder" in capsys.readouterr().err
    assert main([]) == 2
