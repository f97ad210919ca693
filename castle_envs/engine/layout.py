"""Observation layouts: a declared list of named segments, and everything derived from it.

A game declares `Segment`s once. From the declaration come the slices the compiled encoder writes
to, the decoder, the Gymnasium space, the scaling to [0, 1] and the table in the docs.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from castle_envs.engine.errors import LayoutError

Dim = int | str


@dataclass(frozen=True)
class Segment:
    """One named part of an observation.

    `shape` may hold the word "seats" (or "others": seats - 1) for a dimension that grows with
    the number of seats; `low` and `high` bound every entry; `extra` names the option without
    which the segment is left out.
    """

    name: str
    shape: tuple[Dim, ...]
    low: int
    high: int
    meaning: str
    extra: str | None = None
    typical: int | None = None

    def size_for(self, seats: int) -> tuple[int, ...]:
        """The shape at that many seats."""
        known = {"seats": seats, "others": seats - 1}
        return tuple(known[d] if isinstance(d, str) else d for d in self.shape)


@dataclass(frozen=True)
class Layout:
    """The segments of one view of one game at one number of seats.

    Attributes:
        game: name of the game.
        view: "features" or "tokens".
        seats: number of seats the vector has room for, own seat first.
        segments: every declared segment, in order; those of `extras` not asked for are absent.
        extras: names of the optional groups that are present.
    """

    game: str
    view: str
    seats: int
    segments: tuple[Segment, ...]
    extras: tuple[str, ...] = ()
    dtype: np.dtype = field(default=np.dtype(np.int16))

    @cached_property
    def present(self) -> tuple[Segment, ...]:
        """The segments that are in the vector, in order."""
        return tuple(s for s in self.segments if s.extra is None or s.extra in self.extras)

    @cached_property
    def slices(self) -> Mapping[str, slice]:
        """Where each present segment lies in the flat vector."""
        found, start = {}, 0
        for segment in self.present:
            stop = start + int(np.prod(segment.size_for(self.seats)))
            found[segment.name] = slice(start, stop)
            start = stop
        return found

    @cached_property
    def size(self) -> int:
        """Entries of the flat vector."""
        return max((s.stop for s in self.slices.values()), default=0)

    @cached_property
    def starts(self) -> np.ndarray:
        """int64, one entry a declared segment: its first index, or -1 where it is left out."""
        return np.array(
            [self.slices[s.name].start if s.name in self.slices else -1 for s in self.segments],
            np.int64,
        )

    def _bounds(self, which: str) -> np.ndarray:
        bounds = np.zeros(self.size, np.int16)
        for segment in self.present:
            bounds[self.slices[segment.name]] = getattr(segment, which)
        return bounds

    @cached_property
    def low(self) -> np.ndarray:
        """int16 (size,): smallest value of each entry."""
        return self._bounds("low")

    @cached_property
    def high(self) -> np.ndarray:
        """int16 (size,): largest value of each entry."""
        return self._bounds("high")

    @cached_property
    def span(self) -> np.ndarray:
        """float32 (size,): high - low, the divisor of `scaled`."""
        return (self.high - self.low).astype(np.float32)

    @cached_property
    def unit(self) -> np.ndarray:
        """float32 (size,): the usual size of each entry; high - low where none is declared."""
        unit = self.span.copy()
        for segment in self.present:
            if segment.typical is not None:
                unit[self.slices[segment.name]] = segment.typical
        return unit

    def scaled(self, vector: np.ndarray) -> np.ndarray:
        """Integer entries (..., size) as float32 in [0, 1] by their declared ranges."""
        return (vector - self.low).astype(np.float32) / self.span

    def unscaled(self, vector: np.ndarray) -> np.ndarray:
        """The integers that `scaled` was given, exactly."""
        return np.rint(vector * self.span).astype(np.int16) + self.low

    def space(self, scaled: bool) -> spaces.Box:
        """The Gymnasium space of one vector: float32 in [0, 1], or integers with their bounds."""
        if scaled:
            return spaces.Box(0.0, 1.0, (self.size,), np.float32)
        return spaces.Box(
            self.low.astype(self.dtype), self.high.astype(self.dtype), dtype=self.dtype.type
        )

    def decode(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """A flat vector as a dict of named integer arrays in their declared shapes.

        Takes integers or the scaled float32 form. Raises LayoutError on another length.
        """
        vector = np.asarray(vector)
        if vector.shape != (self.size,):
            raise LayoutError(
                f"an observation of {self.game}, view {self.view!r}, {self.seats} seats has shape "
                f"({self.size},), got {vector.shape}"
            )
        if np.issubdtype(vector.dtype, np.floating):
            vector = self.unscaled(vector)
        return {
            s.name: vector[self.slices[s.name]].reshape(s.size_for(self.seats))
            for s in self.present
        }

    def flags(self, values: Mapping[str, Any]) -> np.ndarray:
        """The inverse of `decode`: named arrays to one flat int16 vector."""
        out = np.zeros(self.size, np.int16)
        for name, where in self.slices.items():
            out[where] = np.asarray(values[name]).ravel()
        return out

    @cached_property
    def hash(self) -> str:
        """Names this layout: policies carry it, and refuse to play on another."""
        text = repr((self.game, self.view, self.seats, self.extras, self.present))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def table(self) -> str:
        """The layout as a Markdown table, for the docs."""
        rows = ["| index | segment | shape | range | meaning |", "|---|---|---|---|---|"]
        for s in self.present:
            where = self.slices[s.name]
            extra = f" (only with `{s.extra}` in `extras`)" if s.extra else ""
            shape = " × ".join(map(str, s.size_for(self.seats)))
            rows.append(
                f"| {where.start}–{where.stop - 1} | `{s.name}` | {shape} | {s.low} … {s.high} "
                f"| {s.meaning}{extra} |"
            )
        return "\n".join(rows)


def positions(segments: Sequence[Segment]) -> dict[str, int]:
    """Segment name -> its place in `Layout.starts`, for the constants of a compiled encoder."""
    return {segment.name: i for i, segment in enumerate(segments)}
