"""The random stream of a game: one uint64 field `rng` of its record, stepped by splitmix64.

Copying the record copies the stream, so clones draw alike; nothing global is ever touched.
"""

import secrets
from typing import Any

import numpy as np

from castle_envs.engine.kernel import kernel

# Constants of splitmix64 (Steele, Lea and Flood 2014). They are np.uint64 because numba turns a
# mix of signed and unsigned 64-bit integers into float64.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def mix(z: Any) -> Any:
    """The 64 random bits (uint64) of a stream that stands at `z`."""
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@kernel
def next_bits(g: Any) -> Any:
    """Advance the stream of record `g`; returns 64 random bits as uint64."""
    g.rng = g.rng + GAMMA
    return mix(g.rng)


@kernel
def scaled(bits: Any, n: int) -> Any:
    """64 random bits as a whole number from 0 to n - 1, n below 2**31 (bias under n / 2**32)."""
    return np.int64(((bits >> S32) * np.uint64(n)) >> S32)


@kernel
def below(g: Any, n: int) -> Any:
    """A whole number from 0 to n - 1, by the record's own stream."""
    return scaled(next_bits(g), n)


@kernel
def shuffle(g: Any, items: Any, n: int) -> None:
    """Shuffle the first `n` entries of the array `items` in place."""
    for i in range(n - 1, 0, -1):
        j = below(g, i + 1)
        items[i], items[j] = items[j], items[i]


# The environments' own stream, in plain Python: one number, so that clones copy it for free.

MASK = 2**64 - 1


def seed_stream(seed: int | None) -> int:
    """The stream that a user's seed starts; None asks the operating system for one."""
    return secrets.randbits(64) if seed is None else seed & MASK


def next_seed(stream: int) -> tuple[int, int]:
    """Advance an environment's stream: the new stream, and a 64-bit seed for the next game."""
    stream = (stream + int(GAMMA)) & MASK
    z = ((stream ^ (stream >> 30)) * int(MIX_1)) & MASK
    z = ((z ^ (z >> 27)) * int(MIX_2)) & MASK
    return stream, z ^ (z >> 31)
