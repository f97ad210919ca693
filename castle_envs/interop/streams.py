"""Random draws row by row: what a row draws does not depend on which rows stand beside it."""

from typing import Any

import numpy as np

from castle_envs.engine.drivers import draw
from castle_envs.engine.kernel import kernel


@kernel
def fill_bits(streams: Any, rows: Any, out: Any) -> None:
    """Random bits from the streams (uint64) of some rows into `out`, uint64 (rows, k)."""
    for i in range(len(rows)):
        for j in range(out.shape[1]):
            out[i, j] = draw(streams, rows[i])


class RowGenerator(np.random.Generator):
    """The generator that opponents are handed: each row of a batch draws from its own stream.

    `integers`, `random` and `exponential` asked for one value or vector a row (first axis = rows
    at hand, or no size and one row) are drawn from the rows' streams: so an opponent that asks
    this way plays row i of N as it would play it alone. Anything else comes from an SFC64 that
    all rows share.

    Args:
        streams: uint64 (N,), advanced in place.
        seed: of the shared generator.

    Attributes:
        rows: int64, the rows that the next draws are for.
    """

    def __init__(self, streams: np.ndarray, seed: int = 0) -> None:
        super().__init__(np.random.SFC64(seed))
        self.streams = streams
        self.rows = np.zeros(0, np.int64)

    @property
    def shared(self) -> np.ndarray:
        """uint64 (6,), the state of the shared generator."""
        state = self.bit_generator.state
        words = [*state["state"]["state"], state["has_uint32"], state["uinteger"]]
        return np.array([int(word) for word in words], np.uint64)

    @shared.setter
    def shared(self, words: np.ndarray) -> None:
        self.bit_generator.state = {
            "bit_generator": "SFC64",
            "state": {"state": np.array(words[:4], np.uint64)},
            "has_uint32": int(words[4]),
            "uinteger": int(words[5]),
        }

    def __reduce__(self) -> Any:
        return RowGenerator, (self.streams,), self.shared

    def __setstate__(self, shared: Any) -> None:
        self.shared = shared

    def _own(self, size: Any) -> np.ndarray | None:
        """uint64 bits in the shape of `size`, or None where it is not one entry a row."""
        n = len(self.rows)
        shape = (1,) if size is None else tuple(np.atleast_1d(size).tolist())
        if not shape or shape[0] != n or n == 0:
            return None
        out = np.empty((n, int(np.prod(shape[1:]))), np.uint64)
        fill_bits(self.streams, self.rows, out)
        return out.reshape(shape)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """As numpy's (the bias is below span / 2**64)."""
        start, stop = (0, low) if high is None else (low, high)
        whole = all(isinstance(x, int | np.integer) for x in (start, stop))
        span = int(stop) - int(start) + int(endpoint) if whole else 0
        bits = self._own(size) if 0 < span <= 2**64 else None
        if bits is None:
            return super().integers(low, high, size, dtype, endpoint)
        if span < 2**64:
            bits %= np.uint64(span)
        bits += np.uint64(int(start) % 2**64)
        found = bits.astype(dtype)
        return found[0] if size is None else found

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As numpy's: uniform in [0, 1), of 53 random bits."""
        bits = self._own(size) if out is None else None
        if bits is None:
            return super().random(size, dtype, out)
        # 24 bits are what a float32 holds: rounding more could give 1.
        drop, unit = (11, 2.0**-53) if np.dtype(dtype) == np.float64 else (40, 2.0**-24)
        found = ((bits >> np.uint64(drop)) * unit).astype(dtype)
        return found[0] if size is None else found

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's, never 0."""
        bits = self._own(size) if np.ndim(scale) == 0 else None
        if bits is None:
            return super().exponential(scale, size)
        found = -np.log1p(-((bits >> np.uint64(12)) + 0.5) * 2.0**-52) * scale
        return found[0] if size is None else found
