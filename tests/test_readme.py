"""README does what it says: its code runs, its tables are current, its commands are CI's."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import report
from castle_envs.games import NAMES
from castle_envs.reference import BLOCK, filled

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


SNIPPETS = [
    pytest.param(code, id=f"{page.name}-{i}")
    for page in PAGES
    for i, code in enumerate(blocks(page, "python"))
]


@pytest.mark.parametrize("code", SNIPPETS)
def test_code_runs_without_a_warning(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_first_example_is_ten_lines_and_masked():
    lines = [line for line in blocks(README, "python")[0].splitlines() if line.strip()]
    assert len(lines) <= 10
    assert "action_mask" in blocks(README, "python")[0]


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{name}.md" for name in NAMES)])
def test_generated_tables_are_current(name):
    page = ROOT / name
    assert BLOCK.search(page.read_text("utf-8")), "the page has lost its marks"
    assert filled(page) == page.read_text("utf-8"), f"castle-envs docs --write {name}"


def test_ci_runs_readmes_test_command():
    (command,) = [block.strip() for block in blocks(README, "bash") if "pytest" in block]
    assert command in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


def test_files_named_in_commands_exist():
    text = "\n".join(blocks(README, "bash"))
    for name in re.findall(r"(?:scripts|configs)/[\w./]+", text):
        assert (ROOT / name).is_file(), name
    for module in re.findall(r"-m (training\.\w+)", text):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module


def test_links_lead_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_speed_table_is_the_measured_one():
    measured = ROOT / "benchmarks" / "results" / "speed.json"
    results = json.loads(measured.read_text("utf-8"))
    text = README.read_text("utf-8")
    assert report.filled(text, results) == text, "python -m benchmarks.report"
