"""What is printed on cards, as rows of numbers by kind: for observations and for networks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .cards import (
    ACTION_WINDOWS,
    ACTIONS,
    BASE,
    BONUS,
    CARD_ACTIONS,
    COST,
    DO_ATTACK,
    DO_BUY_FROM,
    DO_DEFEND,
    DO_GAIN,
    DO_PHASE,
    DO_PURCHASE,
    DO_READY,
    DO_REPAIR,
    EFFECT,
    ENDURANCE,
    ERA,
    FIRST_CASTLE,
    FIRST_EFFECT,
    HAS_SUIT_BONUS,
    IS_ACTIVE,
    LAST_EFFECT,
    NUM_KINDS,
    OTHERS,
    POINTS,
    PRICE,
    PROMOTES_FROM,
    REPAIR_COST,
    SELF_DAMAGE,
    SUIT,
    WILD,
    X_TIMES,
)
from .state import CITY

CARD_FLAG_NAMES = (
    *("present", "castle", "red", "green", "blue", "golden", "era I", "era II", "era III"),
    *("wild suit", "bonus per suit", "can be promoted into"),
)
ACTION_FLAG_NAMES = (
    *("passive", "self-damage", "exhausts others", "purchase action", "battle phase", "repair"),
    *("readies another", "buys from a pile"),
)
ACTION_NUMBER_NAMES = (
    *("attack", "defense", "gains M", "gains S", "gains F", "gains any", "gains gold", "price"),
)
CARD_NUMBER_NAMES = ("endurance", "repair cost", "points with bonus")
CARD_FLAGS_NUM = len(CARD_FLAG_NAMES)
ACTION_NUMBERS_NUM, CARD_NUMBERS_NUM = len(ACTION_NUMBER_NAMES), len(CARD_NUMBER_NAMES)


def card_flags(kind: int) -> list[bool]:
    """Flags of a card, in the order of CARD_FLAG_NAMES."""
    return [
        kind > 0,
        kind >= FIRST_CASTLE,
        *(SUIT[kind] == suit for suit in range(4)),
        *(ERA[kind] == era for era in (1, 2, 3)),
        bool(WILD[kind]),
        bool(HAS_SUIT_BONUS[kind]),
        PROMOTES_FROM[kind] > 0,
    ]


def effects_of(action: int) -> range:
    """The numbers of an action's effects."""
    return range(FIRST_EFFECT[action], LAST_EFFECT[action])


def action_flags(action: int) -> list[bool]:
    """Flags of an action, in the order of ACTION_FLAG_NAMES."""
    does = {int(EFFECT[e]) for e in effects_of(action)}
    rest = (DO_PURCHASE, DO_PHASE, DO_REPAIR, DO_READY, DO_BUY_FROM)
    return [
        action > 0 and not IS_ACTIVE[action],
        bool(SELF_DAMAGE[action]),
        OTHERS[action] > 0,
        *(kind in does for kind in rest),
    ]


def action_numbers(action: int) -> list[int]:
    """Numbers of an action, in the order of ACTION_NUMBER_NAMES; an X counts one card."""
    found = [0] * ACTION_NUMBERS_NUM
    for e in effects_of(action):
        amounts = BASE[e] + X_TIMES[e]
        if EFFECT[e] in (DO_ATTACK, DO_DEFEND):
            found[0 if EFFECT[e] == DO_ATTACK else 1] += int(amounts[0])
        elif EFFECT[e] == DO_GAIN:
            for i in range(5):
                found[2 + i] += int(amounts[i])
    found[7] = int(PRICE[action].sum())
    return found


def table(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """int8 table from rows."""
    return np.array(rows, np.int8)


KINDS = range(NUM_KINDS)
ACTION_FLAGS = table([action_flags(a) for a in range(len(ACTIONS) + 1)])
ACTION_NUMBERS = table([action_numbers(a) for a in range(len(ACTIONS) + 1)])
CARD_FLAGS = table([card_flags(k) for k in KINDS])
CARD_NUMBERS = table([[ENDURANCE[k], REPAIR_COST[k], POINTS[k] + BONUS[k]] for k in KINDS])

# An own building: everything, action by action.
OWN_FLAGS = np.array(
    [[*CARD_FLAGS[k], *ACTION_FLAGS[CARD_ACTIONS[k]].ravel()] for k in KINDS], np.int8
)
OWN_NUMBERS = np.array(
    [[*CARD_NUMBERS[k], *ACTION_NUMBERS[CARD_ACTIONS[k]].ravel()] for k in KINDS], np.int8
)
# A building of another player: its best in each number. One on offer: its cost as well, and
# whether any action has a flag.
BEST = ACTION_NUMBERS[CARD_ACTIONS].max(axis=1)[:, :7]
OTHER_NUMBERS = np.concatenate([CARD_NUMBERS, BEST[:, :2], BEST[:, 2:7].max(1)[:, None]], axis=1)
OFFER_FLAGS = np.concatenate([CARD_FLAGS, ACTION_FLAGS[CARD_ACTIONS].max(axis=1)], axis=1)
OFFER_NUMBERS = np.concatenate([COST.astype(np.int8), CARD_NUMBERS, BEST], axis=1)
# Actions whose numbers hold an X, which is counted anew: the column counted, or -1.
X_EFFECT = np.zeros(len(ACTIONS) + 1, np.int16)
for _a in range(1, len(ACTIONS) + 1):
    for _e in effects_of(_a):
        if X_TIMES[_e].any():
            X_EFFECT[_a] = _e
HAS_X = (X_EFFECT[CARD_ACTIONS] > 0).any(axis=1).astype(np.int16)

# The largest number a row can hold, X at its most.
MOST_NUMBER = int(max(OWN_NUMBERS.max(), OFFER_NUMBERS.max(), (BASE + CITY * X_TIMES).max()))


def printed_features() -> np.ndarray:
    """float32 (NUM_KINDS, k): flags and scaled numbers of every card, for networks."""
    rows: Mapping[str, np.ndarray] = {
        "flags": OWN_FLAGS,
        "numbers": OWN_NUMBERS / 8.0,
        "cost": COST / 8.0,
        "windows": np.array(
            [[w for a in CARD_ACTIONS[k] for w in windows_of(a)] for k in KINDS], np.int8
        ),
    }
    return np.concatenate([np.asarray(r, np.float32) for r in rows.values()], axis=1)


def windows_of(action: int) -> list[bool]:
    """In which windows an action can be used: main, attack, defense, as a combo."""
    return [bool(ACTION_WINDOWS[action] >> i & 1) for i in range(4)]
