"""The disk cache of compiled code: never stale, put where one wants it, and safe to lose."""

import gc
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

import castle_envs
from castle_envs.engine import kernel as kernels

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(castle_envs.__file__).resolve().parent

# Three small kernels: one frozen card table, one constant of another module, one helper.
PROBE = """
import numpy as np
from castle_envs.games.chateau_combo import rules, state
from castle_envs.games.chateau_combo.cards import TOKEN_OF
record = np.zeros(1, state.STATE)[0]
rules.clear(record, 2)
brigand = TOKEN_OF["brigand"]
cached = sum(sum(k.stats.cache_hits.values()) for k in (rules.clear, rules.price))
print(rules.price(brigand, 0), record.gold[0], rules.price(brigand, 3 << 8), cached)
"""


def run(code, path, **variables):
    """Runs Python code with the package found on `path`; returns what it prints."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=kept | {"PYTHONPATH": str(path)} | {k: str(v) for k, v in variables.items()},
        cwd=path,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[0]


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that may be edited."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "source/castle_envs", ignore=ignore)
    return tmp_path / "source"


def edit(path, before, after):
    text = path.read_text("utf-8")
    assert before in text, f"{path.name} no longer says {before!r}: adapt this test"
    path.write_text(text.replace(before, after, 1), "utf-8")


def test_every_edit_is_seen(copied, tmp_path):
    """Card data, constants and helpers stand in other files than the kernels that froze them."""
    game, cache = copied / "castle_envs/games/chateau_combo", tmp_path / "cache"
    assert run(PROBE, copied, NUMBA_CACHE_DIR=cache) == "7 15 4 0"
    assert run(PROBE, copied, NUMBA_CACHE_DIR=cache) == "7 15 4 1", "found again in the cache"
    data = (game / "cards.json").read_text("utf-8")
    at = data.index('"brigand"')
    (game / "cards.json").write_text(data[:at] + data[at:].replace('"cost": 7', '"cost": 8', 1))
    assert run(PROBE, copied, NUMBA_CACHE_DIR=cache) == "8 15 5 0"
    edit(game / "state.py", "START_GOLD, START_KEYS = 15, 2", "START_GOLD, START_KEYS = 11, 2")
    assert run(PROBE, copied, NUMBA_CACHE_DIR=cache) == "8 11 5 0"
    edit(game / "scoring.py", "& 255", "& 1")
    assert run(PROBE, copied, NUMBA_CACHE_DIR=cache) == "8 11 7 0"
    folders = list(cache.glob("kernels-*"))
    assert len(folders) == 4 and all(list(folder.rglob("*.nbc")) for folder in folders)


DIGEST = "from castle_envs.engine.kernel import digest; print(digest())"


def test_digest_knows_sources_data_and_settings(copied):
    """And does not depend on where the package lies."""
    plain = run(DIGEST, copied)
    assert plain == run(DIGEST, PACKAGE.parent)
    assert plain == run(DIGEST, copied, NUMBA_CACHE_DIR="/tmp/elsewhere")
    found = {plain, run(DIGEST, copied, NUMBA_BOUNDSCHECK=1)}
    for file in ("engine/random.py", "games/chateau_combo/cards.json", "agents/base.py"):
        path = copied / "castle_envs" / file
        path.write_text(path.read_text("utf-8") + "\n", "utf-8")
        found.add(run(DIGEST, copied))
    assert len(found) == 5


OWN = """
import numba
before = numba.config.CACHE_DIR
from castle_envs.games.chateau_combo import rules
print(numba.config.CACHE_DIR == before, before)
"""


def test_numbas_own_setting_is_restored(tmp_path):
    assert run(OWN, PACKAGE.parent) == "True "
    assert run(OWN, PACKAGE.parent, NUMBA_CACHE_DIR=tmp_path) == f"True {tmp_path}"


FOLDER = """
from castle_envs.engine.kernel import PACKAGE, cache_folder
print(cache_folder(PACKAGE / "x.py"))
"""


def test_cache_folder_of_the_user(tmp_path):
    folder = Path(run(FOLDER, PACKAGE.parent, HOME=tmp_path))
    assert folder.is_relative_to(tmp_path) and folder.name.startswith("kernels-")
    assert folder.is_dir()


def test_cache_folder_without_a_usable_home(tmp_path):
    """A home that cannot be written, or none at all: a temporary folder of the user's own."""
    file = tmp_path / "file"
    file.touch()
    for home in (file, file / "deeper", "/nonexistent"):
        folder = Path(run(FOLDER, PACKAGE.parent, HOME=home, TMPDIR=tmp_path))
        assert folder.parent.name.startswith("castle_envs-")
        assert folder.is_relative_to(tmp_path)


def test_a_chosen_cache_folder_that_cannot_be_written(tmp_path):
    file = tmp_path / "file"
    file.touch()
    folder = Path(run(FOLDER, PACKAGE.parent, NUMBA_CACHE_DIR=file, TMPDIR=tmp_path))
    assert folder.parent.name.startswith("castle_envs-")


def test_nothing_is_writable(tmp_path, monkeypatch):
    """Then kernels are compiled anew, and the user is told."""
    file = tmp_path / "file"
    file.touch()
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kernels.tempfile, "gettempdir", lambda: str(file))
    monkeypatch.setattr(kernels.platformdirs, "user_cache_dir", lambda *_: str(file))
    with pytest.warns(UserWarning, match="writable"):
        assert kernels._prepared.__wrapped__("name") is None


def test_old_caches_are_pruned(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for age in range(12):
        folder = tmp_path / f"kernels-{age}"
        folder.mkdir()
        (folder / "code.nbc").touch()
        os.utime(folder, (time.time() - 1000 * (age + 1),) * 2)
    (tmp_path / "theirs").mkdir()
    own = Path(kernels._prepared.__wrapped__("mine"))
    left = {folder.name for folder in tmp_path.iterdir()}
    youngest = {f"kernels-{age}" for age in range(kernels.KEEP_DIGESTS - 1)}
    assert left == youngest | {own.name, "theirs"}


def test_kernels_release_the_interpreter_lock_and_stay_callable_from_python():
    from castle_envs.games.chateau_combo import rules

    assert rules.price.targetoptions["nogil"]
    assert rules.price.py_func(46, 0) == rules.price(46, 0)


def test_one_decorator_for_the_whole_package():
    for file in PACKAGE.rglob("*.py"):
        if file.name != "kernel.py":
            text = file.read_text("utf-8")
            assert "njit" not in text and "@numba" not in text and "prange" not in text, file


# Parts of the suite in other modes --------------------------------------------------------------


def pytest_in(mode, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | mode,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


GOLDEN = "tests/chateau_combo/test_golden.py"
TURNS = "tests/chateau_combo/test_turns.py::test_play"
BOUNDS = """
import numpy as np
from castle_envs.engine.random import shuffle
from castle_envs.games.chateau_combo.state import STATE
try:
    shuffle(np.zeros(1, STATE)[0], np.zeros(2), 5)
except IndexError:
    print("checked")
"""


def test_suite_with_bounds_checked():
    """No kernel reads or writes outside an array; compiled once, then from a cache of its own."""
    assert run(BOUNDS, ROOT, NUMBA_BOUNDSCHECK=1) == "checked"
    views = "tests/chateau_combo/test_observations.py::test_gains_equal_what_each_recruit_adds"
    pytest_in({"NUMBA_BOUNDSCHECK": "1"}, GOLDEN, TURNS, views)


def test_suite_without_compiling():
    """The kernels are plain Python too: coverage and debuggers see them."""
    overflow = "ignore:overflow encountered:RuntimeWarning"
    few = f"{TURNS} -k random_choice"
    pytest_in({"NUMBA_DISABLE_JIT": "1"}, "-W", overflow, GOLDEN)
    pytest_in({"NUMBA_DISABLE_JIT": "1"}, "-W", overflow, *few.split())
    batch = "tests/engine/test_crew.py::test_fewer_rows_than_a_chunk"
    pytest_in({"NUMBA_DISABLE_JIT": "1"}, "-W", overflow, batch)
    assert not numba.config.DISABLE_JIT


PLAY = """
import hashlib, warnings
warnings.filterwarnings("ignore", "overflow encountered")
import castle_envs
stamp = hashlib.sha256()
for game in ("chateau_combo", "castle_up"):
    batch = castle_envs.batch(game, 6, num_players=[2, 3], seed=2, observation=None)
    for _ in range(400):
        batch.step_random()
        stamp.update(batch.states.tobytes() + batch.action_mask.tobytes())
    assert (batch.final_length > 0).all()
print(stamp.hexdigest())
"""


def test_games_are_the_same_without_compiling():
    """Numpy's narrow scalars overflow where compiled integers do not: none may get that far."""
    assert run(PLAY, ROOT, NUMBA_DISABLE_JIT=1) == run(PLAY, ROOT)


def test_processes_that_save_at_once_keep_their_own_code(monkeypatch):
    """Both find the same index, as two processes may; neither overwrites the other's file."""

    def work(x):
        return x

    with kernels._cache_dir(kernels.cache_folder(Path(__file__).resolve())):
        one, other = (kernels._Cache(work)._cache_file for _ in range(2))
    one.save(("one", work.__qualname__), "code of one")
    index = one._load_index()
    monkeypatch.setattr(other, "_load_index", dict)
    other.save(("other", work.__qualname__), "code of the other")
    assert one._load_data(index["one", work.__qualname__]) == "code of one"


def test_only_allocating_kernels_make_arrays():
    """A plain kernel says so when compiled, and may call one that does whatever comes first."""

    @kernels.allocating
    def total(n):
        return np.ones(n).sum()

    @kernels.kernel
    def twice(n):
        return 2 * total(n)

    @kernels.kernel
    def wrong(n):
        return len(np.empty(n))

    assert twice(3) == 6
    if not numba.config.DISABLE_JIT:
        with pytest.raises(numba.core.errors.NumbaError, match=r"NRT required|returning of array"):
            wrong(3)


OTHERS_GAME = """
from castle_envs.engine.kernel import kernel

@kernel
def tie_break(g, seat):
    return seat
"""
PLAYED = """
import numpy as np
from castle_envs.engine.rewards import make_ranks
from mine import tie_break
class Mine: pass
game = Mine()
game.tie_break = tie_break
record = np.zeros(1, np.dtype((np.record, [("num_players", "i1")])))[0]
record.num_players = 2
found = np.zeros(2, np.int32)
ranks = make_ranks(game)
ranks(record, np.zeros(2, np.int32), found)
print(*found, sum(ranks.stats.cache_hits.values()))
"""


def test_edits_of_other_packages_are_seen(tmp_path):
    """The engine's own kernels hold the code of a game that they were made for."""
    mine, path = tmp_path / "mine.py", f"{ROOT}{os.pathsep}{tmp_path}"
    mine.write_text(OTHERS_GAME)
    keep = {"NUMBA_CACHE_DIR": tmp_path / "cache"}
    assert run(PLAYED, ROOT, **keep, PYTHONPATH=path) == "1 0 0"
    assert run(PLAYED, ROOT, **keep, PYTHONPATH=path) == "1 0 1"
    edit(mine, "return seat", "return -seat")
    assert run(PLAYED, ROOT, **keep, PYTHONPATH=path) == "0 1 0"


@kernels.kernel
def halved(n, bits):
    return n // 2, bits


@kernels.kernel
def halves(one, two, three, four, bits):
    """Hands over integers of four types, a constant and a uint64."""
    found = halved(one[0], bits)[0] + halved(two[0], bits)[0]
    found += halved(three[0], bits)[0] + halved(four[0], bits)[0]
    rest, same = halved(7, bits)
    return found + rest, same


def test_integers_of_all_widths_share_one_compilation():
    widths = (np.int8, np.uint8, np.int16, np.int64)
    numbers = [np.array([200 if width == np.uint8 else -9], width) for width in widths]
    total, same = halves(*numbers, np.uint64(2**63 + 3))
    assert total == 3 * -5 + 100 + 3, "rounded down, as signed numbers are"
    assert same == 2**63 + 3, "uint64 stays what it is"
    assert [kinds[0] for kinds in halved.signatures] == [numba.int64]


@pytest.mark.parametrize("collects", [True, False])
def test_compiling_leaves_the_garbage_collector_as_it_was(collects):
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:

        @kernels.kernel
        def seen(n):
            return n + 1

        @kernels.kernel
        def broken(n):
            return n.nothing

        assert seen(1) == 2 and gc.isenabled() == collects
        with pytest.raises(numba.TypingError):
            broken(1)
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
