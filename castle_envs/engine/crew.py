"""Threads that share a batch's step, and do not sleep between two steps that follow closely.

Waking a sleeping thread takes about 0.1 ms here, as long as a step of some hundred games takes.
So a helper stays inside the compiled step and watches for more work for a while before it sleeps.
Nobody ever waits for a sleeper: every thread takes chunks of rows as long as some are left, from
its own range first (its rows are in its core's cache), so the caller alone is enough.

Numba's parallel loops were no choice: the default pool wakes its threads as slowly, and after the
fast one (OpenMP) has run, a forked child is killed.
"""

import atexit
import platform
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from castle_envs.engine.kernel import kernel

CHUNK = 128  # rows
LOOKS = 4_000  # some tenths of a millisecond

# A board is an int64 array: a line for each thread's range of chunks, and a last one for all.
TODO, FIRST, CHUNKS = 0, 1, 2
UNDONE, DRAWN = 0, 1
LINE = 16  # entries; two cache lines, so that threads do not slow each other down

PAUSES = {"x86_64": "pause", "amd64": "pause", "aarch64": "yield", "arm64": "yield"}
PAUSE = PAUSES.get(platform.machine().lower(), "")
binding.initialize_native_asmparser()  # reads that word; numba itself needs none


@intrinsic
def _swap(typingctx: Any, board: Any, row: Any, entry: Any, expected: Any, value: Any) -> Any:
    whole = numba.types.int64

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, (given, row, entry, expected, value) = signature.args[0], arguments
        array = make_array(kind)(context, builder, given)
        pointer = cgutils.get_item_pointer(context, builder, kind, array, (row, entry))
        pair = builder.cmpxchg(pointer, expected, value, "seq_cst", "seq_cst")
        return builder.extract_value(pair, 0)

    return whole(board, whole, whole, whole, whole), codegen


@intrinsic
def _pause(typingctx: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nothing = ir.FunctionType(ir.VoidType(), [])
        builder.asm(nothing, PAUSE, "~{memory}", (), side_effect=True)
        return context.get_dummy_value()

    return numba.types.none(), codegen


@kernel
def swap(board: Any, row: int, entry: int, expected: int, value: int) -> int:
    """Put `value` in place of `expected`, if that is there, in one atomic act.

    Returns what was there. Whoever sees the value sees all that was written before it.
    """
    return _swap(board, row, entry, expected, value)


@kernel
def pause() -> None:
    """Tell the core that this thread only waits, and to read memory anew."""
    _pause()


if numba.config.DISABLE_JIT:  # no threads then, and nothing to be atomic against

    def swap(board: Any, row: int, entry: int, expected: int, value: int) -> int:
        """As above."""
        found = int(board[row, entry])
        board[row, entry] = value if found == expected else found
        return found


@kernel
def post(board: Any, drawn: bool) -> None:
    """Put up a step for all to see; the last one must be done."""
    last = len(board) - 1
    total = 0
    for row in range(last):
        total += board[row, CHUNKS]
    board[last, DRAWN] = drawn
    board[last, UNDONE] = total
    for row in range(last):
        swap(board, row, TODO, 0, board[row, CHUNKS])


@kernel
def take(board: Any, own: int) -> int:
    """A chunk that nobody else has, of the thread's own range first; -1 if none is left."""
    ranges = len(board) - 1
    for k in range(ranges):
        row = (own + k) % ranges
        left = board[row, TODO]
        while left > 0:
            if swap(board, row, TODO, left, left - 1) == left:
                return board[row, FIRST] + left - 1
            pause()
            left = board[row, TODO]
    return -1


@kernel
def watch(board: Any, own: int) -> int:
    """`take`, by a helper who has time: -1 only after many looks."""
    for _ in range(LOOKS):
        chunk = take(board, own)
        if chunk >= 0:
            return chunk
        pause()
    return -1


@kernel
def finish(board: Any) -> None:
    """Mark a chunk as done."""
    last = len(board) - 1
    left = board[last, UNDONE]
    while swap(board, last, UNDONE, left, left - 1) != left:
        left = board[last, UNDONE]


@kernel
def wait(board: Any) -> None:
    """Wait for the chunks that others took."""
    last = len(board) - 1
    while swap(board, last, UNDONE, 0, 0) > 0:
        pause()


@kernel
def next_chunk(board: Any, own: int) -> int:
    """The next chunk for a thread, -1 if it is to leave the step.

    The caller's thread (0) then has waited for all others, a helper has looked for a while.
    """
    if own != 0:
        return watch(board, own)
    chunk = take(board, own)
    if chunk < 0:
        wait(board)
    return chunk


class Crew:
    """Calls a compiled step `step(own, drawn, board, *arguments)` in several threads.

    Args:
        step: the kernel; see `drivers.make_stepper`.
        rows: of the batch.
        threads: that share them, the caller's included.
        arguments: of each thread.
    """

    def __init__(
        self, step: Callable[..., None], rows: int, threads: int, arguments: list[tuple[Any, ...]]
    ) -> None:
        self._given = step, rows, threads, arguments
        self._step, self._arguments = step, arguments[0]
        threads = 1 if numba.config.DISABLE_JIT else threads
        self._board = np.zeros((threads + 1, LINE), np.int64)
        cuts = np.linspace(0, -(-rows // CHUNK), threads + 1).astype(np.int64)
        self._board[:-1, FIRST], self._board[:-1, CHUNKS] = cuts[:-1], np.diff(cuts)
        self._one_at_a_time = threading.Lock()
        self._helpers = [
            _Helper(step, own, self._board, arguments[own]) for own in range(1, threads)
        ]
        weakref.finalize(self, _dismiss, self._helpers)

    def __reduce__(self) -> Any:
        """Copied and pickled with helpers of its own."""
        return Crew, self._given

    def run(self, drawn: bool) -> None:
        """One step of all rows.

        What a game's code raises is raised here; the caller works alone from then on.
        """
        with self._one_at_a_time:
            try:
                for helper in self._helpers:
                    helper.wake()
                self._step(0, drawn, self._board, *self._arguments)
                for helper in self._helpers:
                    if helper.error is not None:
                        raise helper.error
            except BaseException:
                self._board[:-1, TODO] = 0
                self.close()
                self._board[-1, UNDONE] = 0
                raise

    def close(self) -> None:
        """End the helpers; the caller takes all rows from now on."""
        threads = [helper.thread for helper in self._helpers]
        _dismiss(self._helpers)
        for thread in threads:
            thread.join()


class _Helper:
    """A thread that sleeps until it is woken, then works until there was nothing for a while."""

    def __init__(
        self, step: Callable[..., None], own: int, board: np.ndarray, arguments: tuple[Any, ...]
    ) -> None:
        self._work = step, own, board, arguments
        # Its `put` may be called from anywhere, a garbage collection in this very thread included.
        self._bell: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._asleep = True
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._live, daemon=True, name="castle_envs")
        self.thread.start()
        _running.add(self)

    def wake(self) -> None:
        """Call it to work, unless it is at it."""
        if self._asleep:
            self._asleep = False
            self._bell.put(True)

    def end(self) -> None:
        """Let the thread end as soon as it has nothing to do."""
        self._bell.put(False)

    def _live(self) -> None:
        step, own, board, arguments = self._work
        while self._bell.get():
            try:
                step(own, False, board, *arguments)
            except BaseException as error:
                self.error = error
                finish(board)  # it holds a chunk that the caller waits for
                break
            self._asleep = True


def _dismiss(helpers: list[_Helper]) -> None:
    while helpers:
        helpers.pop().end()


_running: weakref.WeakSet[_Helper] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """No thread may be in compiled code when the interpreter goes away."""
    for helper in list(_running):
        helper.end()
        helper.thread.join()
