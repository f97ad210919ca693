"""Policy checkpoints: they play everywhere, refuse what does not fit, and are never code."""

import json
import subprocess
import sys

import numpy as np
import pytest

from castle_envs import chateau_combo_v0
from castle_envs.agents import load, resolve
from castle_envs.engine.errors import CheckpointError, LayoutError, OptionError
from training.train import main


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    arguments = ["--num-envs=16", "--rollout=8", "--minibatch=64", "--trunk", "16", "--threads=1"]
    more = ["--total-samples=128", "--evaluate-games=20", f"--run={folder / 'r'}"]
    assert main([*arguments, *more]) == 0
    return folder / "r" / "latest"


@pytest.fixture
def copy(checkpoint, tmp_path):
    for name in ("policy.json", "policy.safetensors"):
        (tmp_path / name).write_bytes((checkpoint / name).read_bytes())
    return tmp_path


def test_plays_in_the_environment(checkpoint):
    agent = load(checkpoint)
    env = chateau_combo_v0.raw_env(observation="tokens")
    env.reset(seed=4)
    for _ in env.agent_iter():
        observation, _, ended, _, _ = env.last()
        if ended:
            break
        action = agent.act(observation["observation"], observation["action_mask"])
        state = agent.act_on_state(env._states, env._seat, np.random.default_rng(0))
        assert action == state
        env.step(action)
    assert ended


def test_sampling_differs_and_is_seeded(checkpoint):
    agent = load(checkpoint, deterministic=False)
    env = chateau_combo_v0.raw_env()
    env.reset(seed=4)
    states = np.repeat(env._states, 50)
    seats = np.repeat(env._seat, 50)
    one = agent.act_batch(states, seats, np.random.default_rng(1))
    assert (one == agent.act_batch(states, seats, np.random.default_rng(1))).all()
    assert len(set(one.tolist())) > 1


def test_acts_alike_under_redeal(checkpoint):
    for agent in (load(checkpoint), resolve("greedy", "chateau_combo")):
        env = chateau_combo_v0.raw_env()
        env.reset(seed=9)
        other = env.clone()
        env.game.redeal(other._states[0], 0, np.uint64(5))
        rng = np.random.default_rng(0)
        actions = [agent.act_on_state(e._states, e._seat, rng) for e in (env, other)]
        assert actions[0] == actions[1]


def test_needs_no_stable_baselines(checkpoint):
    code = (
        "import sys; sys.modules['stable_baselines3'] = sys.modules['sb3_contrib'] = None\n"
        f"from castle_envs.agents import load; print(load({str(checkpoint)!r}).layout.view)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "tokens"


def test_wrong_observation_is_named(checkpoint):
    with pytest.raises(LayoutError, match="looks at"):
        load(checkpoint).act(np.zeros(3, np.int16), np.ones(103, np.int8))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("game", "chess", "fits no game"),
        ("layout_hash", "0", "layout"),
        ("version", 99, "v99"),
        ("seats", 3, "layout"),
        ("format", 2, "format"),
        ("network", {"trunk": [16]}, "network"),
        ("sha256", "0" * 64, "checksum"),
    ],
)
def test_another_kind_is_refused(copy, field, value, words):
    about = json.loads((copy / "policy.json").read_text())
    (copy / "policy.json").write_text(json.dumps(about | {field: value}))
    with pytest.raises(CheckpointError, match=words):
        load(copy)


def test_tampered_weights(copy):
    path = copy / "policy.safetensors"
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(CheckpointError, match="checksum"):
        load(copy)


def test_truncated_description(copy):
    path = copy / "policy.json"
    path.write_text(path.read_text()[:50])
    with pytest.raises(CheckpointError, match="damaged"):
        load(copy)


@pytest.mark.parametrize("name", ["policy.json", "policy.safetensors"])
def test_missing_file(copy, name):
    (copy / name).unlink()
    with pytest.raises(CheckpointError, match="no policy checkpoint"):
        load(copy)


def test_unknown_agent_name():
    with pytest.raises(OptionError, match=r"unknown agent 'gredy'.*greedy, random"):
        resolve("gredy", "chateau_combo")
