"""What networks may use: printed facts of cards, and which action speaks of which card."""

import numpy as np

from castle_envs.engine.game import Hints, Pointer, Skip
from castle_envs.games.chateau_combo.actions import FIRST_RECRUIT, GRID, KEY_MOVE, RECRUITS
from castle_envs.games.chateau_combo.cards import (
    CAPACITY,
    COST,
    DISCOUNTS,
    LINES,
    MESSENGER,
    NUM_CARDS,
    NUM_TOKENS,
    OPTIONS,
    PLACE,
    POINTS,
    POSITION,
    SCORE_ARGUMENT,
    SCORE_KIND,
    SCORE_SCOPE,
    SETS,
    TALLY,
    TALLY_BYTE,
    Effects,
)

KINDS, SCOPES, BYTES = 16, 5, 8


def one_hot(values: np.ndarray, size: int) -> np.ndarray:
    """float32 (len(values), size)."""
    return np.eye(size, dtype=np.float32)[values]


def bytes_of(kind: np.ndarray, argument: np.ndarray) -> np.ndarray:
    """Which shields and banners a counter looks at, as flags (n, 8)."""
    flags = np.where((kind == TALLY_BYTE)[:, None], one_hot(argument % BYTES, BYTES), 0)
    sets = argument[:, None] >> np.arange(BYTES) & 1
    return np.where((kind == SETS)[:, None], sets, flags).astype(np.float32)


def effect_features(effects: Effects, line: int) -> list[np.ndarray]:
    """Columns for one printed line or option of every card."""
    kind, counter = effects.kind[:, line], effects.counter[:, line]
    return [
        one_hot(kind, 7),
        effects.amount[:, line, None] / 4.0,
        effects.resource[:, line, None],
        one_hot(effects.to[:, line], 3),
        one_hot(counter, KINDS),
        one_hot(effects.scope[:, line], SCOPES),
        bytes_of(counter, effects.argument[:, line]),
    ]


def card_features() -> np.ndarray:
    """float32 (157, k): printed facts by token; face-down cards share one row but for a flag."""
    tokens = np.arange(NUM_TOKENS)
    up = ((tokens > 0) & (tokens <= NUM_CARDS)).astype(np.float32)[:, None]
    position = np.where((SCORE_KIND == POSITION)[:, None], SCORE_ARGUMENT[:, None], 0)
    columns = [
        COST[:, None] / 7.0,
        PLACE[:, None],
        TALLY[:, None] >> 8 * np.arange(BYTES) & 255,
        MESSENGER[:, None] >= 0,
        POINTS[:, None] / 10.0,
        CAPACITY[:, None] / 9.0,
        DISCOUNTS[:, None] >> 8 * np.arange(2) & 255,
        one_hot(SCORE_KIND, KINDS),
        one_hot(SCORE_SCOPE, SCOPES),
        bytes_of(SCORE_KIND, SCORE_ARGUMENT),
        position >> np.arange(9) & 1,
        *effect_features(LINES, 0),
        *effect_features(LINES, 1),
        *effect_features(OPTIONS, 0),
        *effect_features(OPTIONS, 1),
    ]
    printed = np.concatenate([np.asarray(c, np.float32) for c in columns], axis=1) * up
    face_down = (tokens > NUM_CARDS).astype(np.float32)[:, None]
    return np.concatenate([up, face_down, printed], axis=1)


HINTS = Hints(
    card_segments=("tableau", "offer", "pending"),
    card_features=card_features(),
    pointers=(Pointer("offer", 0, 3, FIRST_RECRUIT, (2, GRID * GRID)),),
    skips=(
        Skip("gains", FIRST_RECRUIT, RECRUITS, 0.5),
        Skip("gold_gains", FIRST_RECRUIT, RECRUITS),
        Skip("key_gains", FIRST_RECRUIT, RECRUITS),
        Skip("gains_moved", KEY_MOVE, 1, 0.5),
    ),
)
