"""What is shipped: a wheel that plays without the checkout, the files around it, one version."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import castle_envs

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PLAY = """
import castle_envs, json, numpy as np
from castle_envs import chateau_combo_v0
from castle_envs.cli import main
env = chateau_combo_v0.env(render_mode="ansi")
env.reset(seed=0)
while not all(env.terminations.values()):
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
main(["cards"])
print(env.render())
print(castle_envs.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The project's wheel, built from a copy so that no build folder stays behind."""
    base = tmp_path_factory.mktemp("wheel")
    source = base / "source"
    source.mkdir()
    for name in ("castle_envs", "training", "tests", "benchmarks", "docs"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(base)]
    subprocess.run([*command, str(source)], capture_output=True, check=True, cwd=base)
    (built,) = base.glob("*.whl")
    return built


def test_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"castle_envs"}
    assert "castle_envs/py.typed" in names
    assert "castle_envs/games/chateau_combo/cards.json" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "castle_envs").rglob("*.py")}
    assert modules <= set(names)


def test_wheel_plays_without_the_checkout(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", PLAY],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "the game is over" in done.stdout
    assert done.stdout.rstrip().endswith(str(site / "castle_envs" / "__init__.py"))


def test_metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
        entries = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert f"Version: {castle_envs.__version__}\n" in metadata
    assert "License-Expression: MIT\n" in metadata
    assert "castle-envs = castle_envs.cli:main" in entries
    core = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", metadata, re.M)
    assert set(core) == {"numpy", "numba", "gymnasium", "pettingzoo", "platformdirs"}


def test_version_stands_in_one_place():
    assert "version" in PROJECT["dynamic"] and "version" not in PROJECT
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {castle_envs.__version__}\n" in citation
    assert f"## {castle_envs.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize(
    "name",
    ["LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CITATION.cff",
     ".pre-commit-config.yaml", "constraints.txt"],
)  # fmt: skip
def test_files_of_a_project(name):
    assert (ROOT / name).read_text("utf-8").strip()


def test_licence_speaks_of_the_publishers():
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert text.startswith("MIT License") and "belong to\ntheir publishers" in text


def test_constraints_cover_what_is_required_and_name_no_place():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    pinned = {pin.split("==")[0].lower().replace("_", "-") for pin in pins}
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + extras["render"] + extras["train"] + extras["dev"]
    assert {re.match(r"[\w-]+", want)[0].lower() for want in wanted} <= pinned
    assert "torch==2.13.0" in pins


def test_scripts_can_be_run():
    for name in (".ci/run", "scripts/setup.sh"):
        assert os.access(ROOT / name, os.X_OK), name
        subprocess.run(["bash", "-n", ROOT / name], check=True)
