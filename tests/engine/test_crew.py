"""Threads that share the rows of a batch: nobody but the clock may notice them."""

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import castle_envs
from castle_envs.engine.crew import (
    CHUNK,
    CHUNKS,
    TODO,
    UNDONE,
    Crew,
    finish,
    next_chunk,
    post,
)
from castle_envs.engine.kernel import kernel

from .test_batch_games import GAMES, both_games, contents

ROWS, STEPS = 5 * CHUNK + 60, 130  # a number of rows that chunks and threads do not divide


def many(game="chateau_combo", num_envs=ROWS, **keywords):
    return castle_envs.batch(game, num_envs, num_players=GAMES[game], seed=4, **keywords)


def wait_for(what):
    end = time.monotonic() + 60
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return what()


@both_games
@pytest.mark.parametrize("keywords", [{}, {"observation": "tokens"}, {"dtype": np.float32}])
def test_threads_change_nothing(game, keywords):
    """Fewer threads than chunks, and more; every array, step by step."""
    batches = [many(game, threads=threads, **keywords) for threads in (1, 3, 9)]
    for _ in range(STEPS):
        for batch in batches:
            batch.step_random()
        one, *others = map(contents, batches)
        assert all(other == one for other in others)
    assert (batches[0].final_length > 0).any()
    for batch in batches:
        batch.close()


@both_games
def test_fewer_rows_than_a_chunk(game):
    """Also run without compiling, where there are no helpers."""
    one, two = (many(game, num_envs=3, threads=threads) for threads in (1, 2))
    for _ in range(6):
        one.step_random()
        two.step(one.actions)
        assert contents(one) == contents(two)
    two.close()


def test_helpers_help():
    """What a helper's thread runs carries out a whole step, the ranges of others included."""
    for own in (1, 2):
        one, some = many(), many(threads=3)
        crew = some._crew
        assert (crew._board[:-1, CHUNKS] > 0).all() and crew._board[:-1, CHUNKS].sum() == 6
        crew.close()
        for _ in range(40):
            one.step_random()
            post(crew._board, True)
            crew._step(own, False, crew._board, *crew._arguments)
            assert not crew._board[:-1, TODO].any() and crew._board[-1, UNDONE] == 0
            assert contents(one) == contents(some)


def test_a_helper_works_on_its_own_account():
    """A step that the caller only posts is done all the same."""
    one, two = many(), many(threads=2)
    (helper,) = two._crew._helpers
    for _ in range(20):
        one.step_random()
        post(two._crew._board, True)
        end = time.monotonic() + 60
        while two._crew._board[-1, UNDONE] and time.monotonic() < end:
            helper.wake()
        assert contents(one) == contents(two)
    two.close()


def test_close_leaves_the_batch_to_its_caller():
    before = threading.active_count()
    one, two = many(), many(threads=3)
    assert threading.active_count() == before + 2
    two.step_random()
    two.close()
    assert threading.active_count() == before
    one.step_random()
    for batch in (one, two):
        batch.step_random()
    two.close()
    assert contents(one) == contents(two)


def test_threads_end_with_their_batch():
    before = threading.active_count()
    batch = many(threads=3)
    batch.step_random()
    gone = weakref.ref(batch)
    del batch
    gc.collect()
    assert gone() is None
    assert wait_for(lambda: threading.active_count() == before)


@pytest.mark.parametrize("threads", [1, 2])
def test_two_callers_take_turns(threads):
    """One batch stepped from two Python threads: as many steps as were asked for, none mixed."""
    one, shared = many(), many(threads=threads)

    def steps(count):
        for _ in range(count):
            shared.step_random()

    callers = [threading.Thread(target=steps, args=(60,), daemon=True) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(120)
        assert not caller.is_alive(), "a caller hangs"
    for _ in range(120):
        one.step_random()
    assert contents(one) == contents(shared)
    shared.close()


@kernel
def _breaks_once(own, drawn, board, rows, trap):
    """A step that counts its rows and fails at one of them, the first time."""
    if own == 0:
        post(board, drawn)
    while True:
        chunk = next_chunk(board, own)
        if chunk < 0:
            break
        for i in range(chunk * CHUNK, min(len(rows), (chunk + 1) * CHUNK)):
            if i == trap[0]:
                trap[0] = -1
                raise ValueError("the game broke")
            rows[i] += 1
        finish(board)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("trap", [0, ROWS // 2, ROWS - 1])
def test_what_a_step_raises_is_raised_once(threads, trap):
    """Whoever met it; the steps after it are whole again."""
    rows, where = np.zeros(ROWS, np.int64), np.array([trap])
    crew = Crew(_breaks_once, ROWS, threads, [(rows, where)] * threads)
    with pytest.raises(ValueError, match="the game broke"):
        for _ in range(1_000):
            crew.run(False)
    assert not crew._helpers
    rows[:] = 0
    for count in range(1, 20):
        crew.run(False)
        assert (rows == count).all()


def test_what_a_helper_meets_reaches_the_caller():
    rows, where = np.zeros(ROWS, np.int64), np.array([ROWS - 1])
    crew = Crew(_breaks_once, ROWS, 2, [(rows, where)] * 2)
    (helper,) = crew._helpers
    post(crew._board, False)  # the caller takes nothing
    helper.wake()
    helper.thread.join(60)
    assert isinstance(helper.error, ValueError)
    assert crew._board[-1, UNDONE] == crew._board[:-1, TODO].sum()
    crew._board[:-1, TODO] = crew._board[-1, UNDONE] = 0
    with pytest.raises(ValueError, match="the game broke"):
        crew.run(False)
    rows[:] = 0
    crew.run(False)
    assert (rows == 1).all()


def test_garbage_may_be_collected_in_a_helper():
    """Batches in reference cycles, cleared away while only their helpers are at work."""
    before, thresholds = threading.active_count(), gc.get_threshold()
    try:
        for k in range(60):
            gc.disable()
            batch = many(num_envs=3 * CHUNK, threads=3, observation=None)
            batch.itself = batch
            batch.step_random()
            gc.set_threshold(1 + k % 7)
            gc.enable()
            batch = None
            time.sleep(0.003)
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()
    gc.collect()
    assert wait_for(lambda: threading.active_count() == before)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
@pytest.mark.parametrize("threads", [1, 2])
def test_copies_have_threads_of_their_own(again, threads):
    batch = many(threads=threads)
    for _ in range(5):
        batch.step_random()
    twin = again(batch)
    before = contents(twin)
    assert before == contents(batch)
    for _ in range(20):
        batch.step_random()
    assert contents(twin) == before
    for _ in range(20):
        twin.step_random()
    assert contents(twin) == contents(batch)
    for one in (batch, twin):
        one.close()


EXIT = """
import castle_envs
batch = castle_envs.batch("chateau_combo", 700, seed=1, threads=3)
for _ in range(20):
    batch.step_random()
other = castle_envs.batch("chateau_combo", 700, seed=1, threads=2)
other.step_random()
print("done")
"""


def test_a_program_may_end_with_live_batches():
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


def _rest(batch, connection):
    for _ in range(20):
        batch.step_random()
    connection.send(contents(batch))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_goes_on_without_helpers():
    batch = many(threads=2)
    for _ in range(20):
        batch.step_random()
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_rest, args=(batch, there))
    child.start()
    assert here.poll(60), "the child hangs"
    found = here.recv()
    child.join()
    for _ in range(20):
        batch.step_random()
    assert found == contents(batch)
    batch.close()
