"""The castle-envs command."""

import subprocess
import sys

import pytest

from castle_envs import __version__
from castle_envs.cli import main
from castle_envs.games.chateau_combo import GAME
from castle_envs.games.chateau_combo.cards import CARDS


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from castle_envs.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numba', 'torch', 'pygame', 'matplotlib'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "play-random" in done.stdout


def test_play_random_is_reproducible(capsys):
    texts = []
    for _ in range(2):
        assert main(["play-random", "--players", "3", "--seed", "5"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert "the game is over" in texts[0] and "player_2:" in texts[0]


def test_play_random_can_show_every_table(capsys):
    main(["play-random", "--seed", "5"])
    short = capsys.readouterr().out
    main(["play-random", "--seed", "5", "--tables"])
    assert capsys.readouterr().out.count("Messenger") > 3 * short.count("Messenger")


def test_cards_names_every_card(capsys):
    assert main(["cards"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split(" (")[0] for line in lines) == sorted(c["name_en"] for c in CARDS)


def test_docs_prints_tables(capsys):
    assert main(["docs", "--game", "chateau_combo"]) == 0
    text = capsys.readouterr().out
    assert GAME.action_names[-1] in text
    for view in GAME.views.values():
        assert all(f"| `{segment.name}` |" in text for segment in view.segments)


def test_docs_check_notices_a_stale_page(tmp_path, capsys):
    page = tmp_path / "chateau_combo.md"
    page.write_text("# x\n<!-- castle-envs docs: spec -->\nold\n<!-- end of spec -->\nend\n")
    assert main(["docs", "--check", str(page)]) == 1
    assert "out of date" in capsys.readouterr().out
    assert main(["docs", "--write", str(page)]) == 0
    assert main(["docs", "--check", str(page)]) == 0
    assert "Discrete(103)" in page.read_text() and page.read_text().endswith("end\n")


def test_version(capsys):
    assert main(["version"]) == 0
    text = capsys.readouterr().out
    assert __version__ in text and "numba" in text and "compiled code: " in text


def test_bad_values_are_errors_in_words(capsys):
    assert main(["play-random", "--players", "6"]) == 2
    assert "num_players must be 2 to 5, got 6" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["play-random", "--game", "chess"])
    assert stop.value.code == 2
