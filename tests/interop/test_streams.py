"""Row by row draws: as numpy's in form, and independent of the rows that stand beside."""

import copy
import pickle

import numpy as np
import pytest

from castle_envs.interop.streams import RowGenerator


def generator(rows, n=64):
    made = RowGenerator(np.arange(1, n + 1).astype(np.uint64) * np.uint64(7919), 5)
    made.rows = np.array(rows)
    return made


DRAWS = {
    "integers": lambda g, n: g.integers(3, 9, n),
    "bits": lambda g, n: g.integers(0, 2**64, n, np.uint64),
    "random": lambda g, n: g.random(n),
    "exponential": lambda g, n: g.exponential(size=(n, 5)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_row_draws_the_same_alone_and_among_others(name):
    draw = DRAWS[name]
    together = draw(generator(range(64)), 64)
    assert (draw(generator([7]), 1)[0] == together[7]).all()
    assert (draw(generator([9, 7]), 2) == together[[9, 7]]).all()
    assert len(np.unique(together)) > 5


def test_values_are_numpys():
    every = generator(range(4096), 4096)
    assert set(every.integers(-2, 3, 4096).tolist()) == {-2, -1, 0, 1, 2}
    assert set(every.integers(3, size=4096, endpoint=True).tolist()) == {0, 1, 2, 3}
    uniform = every.random((4096, 4))
    assert uniform.min() >= 0 and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.01
    single = every.random(4096, np.float32)
    assert single.dtype == np.float32 and single.max() < 1
    waits = every.exponential(2.0, (4096, 4))
    assert waits.min() > 0 and abs(waits.mean() - 2) < 0.06
    one = generator([3])
    assert np.ndim(one.random()) == 0 and 0 <= one.integers(6) < 6


def test_other_draws_are_shared_and_saved():
    one, other = generator([1]), generator([2])
    one.normal()
    other.shared = one.shared
    assert one.choice(1000, 5).tolist() == other.choice(1000, 5).tolist()


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_go_on_alike(twin_of):
    one = generator([1])
    one.normal()
    twin = twin_of(one)
    twin.rows = one.rows
    assert one.random() == twin.random() and one.normal() == twin.normal()
