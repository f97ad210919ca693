"""Interrupted and resumed runs equal uninterrupted ones; what cannot be resumed says why."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from training.train import main

SMALL = [
    "--num-envs=16",
    "--rollout=8",
    "--minibatch=64",
    "--trunk",
    "16",
    "--evaluate-every=256",
    "--evaluate-games=20",
    "--threads=1",
    "--extras",
    "scores",
]


def run(folder: Path, samples: int, *more: str) -> None:
    assert main([*SMALL, f"--total-samples={samples}", f"--run={folder}", *more]) == 0


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "latest" / "policy.safetensors")


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


@pytest.mark.parametrize(
    "more",
    [
        ["--algorithm=ppo"],
        ["--algorithm=ppo", "--greedy-share=0.5"],
        ["--algorithm=maskable_ppo", "--pool-every=256", "--pool-size=2"],
    ],
)
def test_interrupted_equals_uninterrupted(tmp_path, monkeypatch, more):
    """A run stopped after an evaluation and resumed ends with the same weights and resume state."""
    run(tmp_path / "whole", 1024, *more)
    stopped = tmp_path / "stopped"

    import training.train as train

    def stop(self, line, original=train.Run.log):
        original(self, line)
        if line["samples"] >= 512:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(train.Run, "log", stop)
        assert main([*SMALL, "--total-samples=1024", f"--run={stopped}", *more]) == 130
    kept = int((stopped / "latest").resolve().name)
    assert 0 < kept < 512, "the kill came after a line was logged, before its checkpoint"
    assert main(["--resume", str(stopped)]) == 0
    assert equal(weights(tmp_path / "whole"), weights(stopped))
    whole = load_file(tmp_path / "whole" / "latest" / "resume.safetensors")
    assert equal(whole, load_file(stopped / "latest" / "resume.safetensors"))

    def curve(folder: Path):
        lines = (folder / "log.jsonl").read_text().splitlines()
        return [{k: v for k, v in json.loads(x).items() if k != "seconds"} for x in lines]

    assert curve(tmp_path / "whole") == curve(stopped)


def test_killed_run_resumes(tmp_path):
    """SIGKILL at some moment: all files of the newest checkpoint are whole, and it goes on."""
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "training.train", *SMALL, f"--run={folder}"]
    process = subprocess.Popen(
        [*command, "--total-samples=10000000", "--evaluate-every=128"],
        env={**os.environ, "PYTHONPATH": "."},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (folder / "latest").exists() and int((folder / "latest").resolve().name) > 512:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    samples = int((folder / "latest").resolve().name)
    assert samples > 512
    config = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(config.replace("10000000", str(samples + 256)))
    assert main(["--resume", str(folder)]) == 0
    assert int((folder / "latest").resolve().name) >= samples + 256


@pytest.mark.parametrize("name", ["resume.json", "resume.safetensors"])
def test_missing_file_is_named(tmp_path, name, capsys):
    run(tmp_path / "run", 128)
    (tmp_path / "run" / "latest" / name).unlink()
    assert main(["--resume", str(tmp_path / "run")]) == 2
    assert name in capsys.readouterr().err


def test_truncated_resume_state(tmp_path, capsys):
    run(tmp_path / "run", 128)
    path = tmp_path / "run" / "latest" / "resume.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    assert main(["--resume", str(tmp_path / "run")]) == 2
    assert "cannot resume" in capsys.readouterr().err


def test_no_run_there(tmp_path, capsys):
    assert main(["--resume", str(tmp_path)]) == 2
    assert "config.yaml" in capsys.readouterr().err


def test_a_run_is_not_overwritten(tmp_path, capsys):
    run(tmp_path / "run", 128)
    assert main([*SMALL, "--total-samples=128", f"--run={tmp_path / 'run'}"]) == 2
    assert "--resume" in capsys.readouterr().err


def test_start_from_a_checkpoint(tmp_path, capsys):
    """The first evaluation is that of the checkpoint; another network or game is refused."""
    run(tmp_path / "first", 512)
    start = f"--start={tmp_path}/first/latest"
    run(tmp_path / "second", 256, start)
    ratings = {
        name: [
            json.loads(line) for line in (tmp_path / name / "log.jsonl").read_text().splitlines()
        ]
        for name in ("first", "second")
    }
    wanted, found = ratings["first"][-1], ratings["second"][0]
    assert found["samples"] == 0 and wanted["score"] == found["score"]
    assert not equal(weights(tmp_path / "first"), weights(tmp_path / "second"))
    for wrong in ("--trunk=32", "--observation=features", "--game=castle_up"):
        capsys.readouterr()
        assert main([*SMALL, "--total-samples=256", f"--run={tmp_path}/x", start, wrong]) == 2
        assert "cannot start from" in capsys.readouterr().err
