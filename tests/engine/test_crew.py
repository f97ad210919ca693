"""Threads that share the rows of a batch: nobody but the clock may notice them."""

import gc
import multiprocessing
import threading
import time
import weakref

import numpy as np
import pytest

import castle_envs
from castle_envs.engine.crew import CHUNK, CHUNKS, TODO, UNDONE, post

from .test_batch_games import GAMES, both_games, contents

ROWS, STEPS = 5 * CHUNK + 60, 130  # a number of rows that chunks and threads do not divide


def many(game="chateau_combo", num_envs=ROWS, **keywords):
    return castle_envs.batch(game, num_envs, num_players=GAMES[game], seed=4, **keywords)


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
    assert gone() is None and threading.active_count() == before


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
