"""The card list: one JSON file read once and compiled to integer tables.

No card is known by name anywhere else. A card is its kind: 0 is no card, then the buildings in
file order (copies share a kind), then the castles. Actions and effects are numbered through, so a
card holds up to three action numbers, and an action a range of effects.

What a card can pay is kept as lanes. By the max-flow theorem a cost can be met exactly if eight
sets of needs are within reach: gold together with any of the seven proper subsets of M, S, F, and
everything together (any other of the 31 sets follows from one of these: what reaches "any" are all
sources, and what reaches gold reaches all). So a cost, a token, a refurbished card is eight small
numbers, added lane by lane inside two integers (`LOW`, `HIGH`) of four lanes each.
"""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from .changes import with_changes
from .schema import ERAS, ROLES, SIDES, SUITS, TOKENS, CardFileError, check

KINDS_OF_TOKENS = ("manpower", "supplies", "food", "gold")
M, S, F, G = range(4)  # tokens
ANY, GOLD_COST = 3, 4  # in costs: M, S, F, any, gold
RED, GREEN, BLUE, GOLDEN, NO_SUIT = range(5)
MAIN_WINDOW, ATTACK_WINDOW, DEFENSE_WINDOW, COMBO_WINDOW = 1, 2, 4, 8
WINDOW_BITS = dict(zip(("main", "attack", "defense", "defense_combo"), (1, 2, 4, 8), strict=True))
(DO_GAIN, DO_ATTACK, DO_DEFEND, DO_PURCHASE, DO_PHASE) = range(5)
(DO_REPAIR, DO_READY, DO_BUY_FROM, DO_INITIATIVE, DO_DIRECTION) = range(5, 10)
EFFECT_TYPES = (
    *("gain", "attack", "defense", "purchase_action", "battle_phase", "repair"),
    *("ready_other", "purchase_from", "take_initiative", "may_change_direction"),
)
FROM_DECK, FROM_DISCARD = 4, 5  # places a card is bought from, beside row slots 0 to 3


FOLDER = Path(str(files("castle_envs.games.castle_up"))).resolve()
# Names of lists that come with the package, as `card_file=` takes them beside paths.
TUNED = "tuned"
SHIPPED = {TUNED: FOLDER / "tuned.json"}


def resolved(card_file: str | Path | None) -> Path | None:
    """The path that `card_file=` stands for; None for the default list. Names are text."""
    if card_file is None:
        return None
    named = SHIPPED.get(card_file) if isinstance(card_file, str) else None
    return named or Path(card_file).resolve()


def named(path: Path | None) -> str | None:
    """The inverse of `resolved`."""
    return next((n for n, p in SHIPPED.items() if p == path), None if path is None else str(path))


def read(path: Path | None) -> Mapping[str, Any]:
    """A card file, checked; the default one for None. Raises CardFileError.

    A file with `changes` says only what differs from the default list.
    """
    data = _load(path)
    if isinstance(data, Mapping) and "changes" in data:
        data = with_changes(_load(None), data)
    check(data)
    return data


def _load(path: Path | None) -> Any:
    try:
        text = (FOLDER / "cards.json" if path is None else path).read_text("utf-8")
        return json.loads(text, object_pairs_hook=_once)
    except (OSError, ValueError) as problem:
        raise CardFileError(f"card file {path}: {problem}") from problem


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a card file, which names nothing twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"{twice!r} stands twice in one object")
    return found


WORDS = ("title", "status", "note", "provenance", "version")


def digest_of(data: Any) -> str:
    """A name for what a list plays like, whatever it says about itself."""

    def played(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: played(v) for k, v in value.items() if k not in WORDS}
        return [played(v) for v in value] if isinstance(value, list) else value

    text = json.dumps(played(data), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# The list this copy of the package plays with: see variant.py.
CARD_FILE: Path | None = getattr(sys.modules[__package__], "CARD_FILE", None)
DATA = read(CARD_FILE)
BUILDINGS: tuple[Mapping[str, Any], ...] = tuple(DATA["buildings"])
CASTLES: tuple[Mapping[str, Any], ...] = tuple(DATA["castles"])
CARDS = (*BUILDINGS, *CASTLES)
ROLE_CARDS = tuple(tuple(role[side] for side in SIDES) for role in DATA["action_cards"])

CARD_IDS = ("", *(card["id"] for card in CARDS))
KIND_OF = {name: kind for kind, name in enumerate(CARD_IDS) if kind}
NUM_BUILDINGS = len(BUILDINGS)
NUM_KINDS = len(CARD_IDS)  # kinds run from 1 to NUM_KINDS - 1
FIRST_CASTLE = NUM_BUILDINGS + 1
BASIC_CASTLE = next(KIND_OF[c["id"]] for c in CASTLES if c["set"] == "base")
ROLE_IDS, SUIT_NAMES = ROLES, SUITS[:3]

# Lanes -----------------------------------------------------------------------------------------

LANE = 15  # bits a lane; the uppermost stays free for comparing
_SETS = tuple(tuple(k & 1 << b != 0 for b in range(3)) for k in range(8))  # lane 7: everything


def lanes(values: Sequence[int]) -> tuple[int, int]:
    """Eight numbers as two integers of four lanes."""
    low, high = (
        sum(int(v) << LANE * i for i, v in enumerate(half)) for half in (values[:4], values[4:])
    )
    return low, high


# By token of a cost (M, S, F, any, gold): how much one needed, and one given, counts in each lane.
NEED_UNITS = [
    *([int(k & 1 << b != 0) for k in range(8)] for b in range(3)),
    [int(k == 7) for k in range(8)],
    [1] * 8,
]
GIVE_UNITS = [*NEED_UNITS[:3], [int(k > 0) for k in range(8)], [1] * 8]
NEED_LOW, NEED_HIGH = np.array([lanes(u) for u in NEED_UNITS], np.int64).T.copy()
GIVE_LOW, GIVE_HIGH = np.array([lanes(u) for u in GIVE_UNITS], np.int64).T.copy()
GIVE = np.array(GIVE_UNITS, np.int64)  # [token of a cost, lane]
ROOM = lanes([1 << LANE - 1] * 4 + [0] * 4)[0]  # the free bit of four lanes


def cost_lanes(cost: Any) -> tuple[int, int]:
    """What a cost needs."""
    return lanes(np.array(cost) @ np.array(NEED_UNITS))


def credit_lanes(cost: Any, damaged: bool) -> tuple[int, int]:
    """What a refurbished card with this cost gives: all of it, or half its size if damaged."""
    whole = np.array(cost) @ np.array(GIVE_UNITS)
    return lanes(np.minimum(whole, sum(cost) // 2) if damaged else whole)


# Cards -----------------------------------------------------------------------------------------


def tokens(amounts: Mapping[str, int]) -> list[int]:
    """A map of tokens as numbers in the order M, S, F, any, gold."""
    return [amounts[kind] for kind in TOKENS]


def per_kind(values: Sequence[Any], dtype: Any = np.int16) -> np.ndarray:
    """A table by kind, 0 for no card, from one value a card."""
    rows = np.array(values, dtype)
    return np.concatenate([np.zeros((1, *rows.shape[1:]), dtype), rows])


def era_of(card: Mapping[str, Any]) -> int:
    """The era of a building; of a castle with a suit the one it scores as (R16); else 0."""
    return int(card["era"] if "era" in card else card["scoring_era"] or 0)


def points_of(card: Mapping[str, Any]) -> int:
    """Card points of an undamaged card (section 9.1)."""
    return int(DATA["card_points"][card["suit"]][era_of(card) - 1]) if card["suit"] else 0


def scoring_rule(card: Mapping[str, Any], kind: str, suit: str | None = None) -> int:
    """Points of a scoring rule of a card, all such lines together; 1 a line for wild suits."""
    found = (r for r in card["scoring"] if r["type"] == kind and suit in (None, r.get("suit")))
    return sum(int(rule.get("points", 1)) for rule in found)


ERA = per_kind([era_of(c) for c in CARDS])
SUIT = per_kind([SUITS.index(c["suit"]) if c["suit"] else NO_SUIT for c in CARDS])
SUIT[0] = NO_SUIT
COST = per_kind([tokens(c["cost"]) for c in CARDS])
SIZE = COST.sum(axis=1, dtype=np.int16)
ENDURANCE = per_kind([c["endurance"] or 0 for c in CARDS])
REPAIR_COST = per_kind([c["repair_cost"] or 0 for c in CARDS])
COPIES = per_kind([c.get("copies", 1) for c in CARDS])
EXPANSION = per_kind([c["set"] == "feasts_and_fury" for c in CARDS])
PROMOTES_FROM = per_kind([KIND_OF.get(c["promotes_from"], 0) for c in CARDS])
POINTS = per_kind([points_of(c) for c in CARDS])
WILD = per_kind([min(1, scoring_rule(c, "wild_suit")) for c in CARDS])
BONUS = per_kind([scoring_rule(c, "bonus_points") for c in CARDS])
SUIT_BONUS: np.ndarray = per_kind(
    [[scoring_rule(c, "bonus_per_suit", s) for s in SUITS] for c in CARDS]
)
HAS_SUIT_BONUS = np.asarray(SUIT_BONUS.any(axis=1), np.int16)
COST_LOW, COST_HIGH = per_kind([cost_lanes(k) for k in COST[1:]], np.int64).T.copy()
# [damaged, kind]
CREDIT = np.array(
    [per_kind([credit_lanes(k, d) for k in COST[1:]], np.int64) for d in (False, True)]
)
CREDIT_LOW, CREDIT_HIGH = CREDIT[..., 0].copy(), CREDIT[..., 1].copy()


# Effects and actions ---------------------------------------------------------------------------


class Compiler:
    """Numbers effects and actions through; number 0 is none."""

    def __init__(self) -> None:
        self.effects: list[dict[str, Any]] = [{"type": "gain", "resources": {}}]
        self.actions: list[dict[str, Any]] = [{}]
        self.ranges = [(0, 0)]

    def effect_range(self, effects: Sequence[dict[str, Any]]) -> tuple[int, int]:
        """First effect and the one after the last."""
        first = len(self.effects)
        self.effects += effects
        return first, len(self.effects)

    def action(self, action: dict[str, Any]) -> int:
        """The number of an action."""
        self.actions.append(action)
        self.ranges.append(self.effect_range(action["effects"]))
        return len(self.actions) - 1

    def padded(self, actions: Sequence[dict[str, Any]], size: int = 3) -> list[int]:
        """The numbers of a card's actions, with 0 in free places."""
        found = [self.action(a) for a in actions]
        return found + [0] * (size - len(found))


def amounts_of(effect: Mapping[str, Any]) -> list[Any]:
    """Five amounts: of a gain by resource, of other effects the first one only."""
    if effect["type"] == "gain":
        return [effect["resources"].get(kind, 0) for kind in TOKENS]
    found = (effect[k] for k in ("points", "count", "discount") if k in effect)
    return [next(found, 0), 0, 0, 0, 0]


def x_part(amount: Any, key: str) -> Any:
    """A part of an amount, which is a number or an X."""
    if isinstance(amount, Mapping):
        return amount[key]
    return {"base": amount, "suit": "gold", "mult": 0}[key]


_compiler = Compiler()
CARD_ACTIONS = per_kind([_compiler.padded(c["actions"]) for c in CARDS])
# [role, side, era - 1]
ROLE_ACTION = np.array(
    [
        [[_compiler.padded(s["held_actions_by_era"][e], 1)[0] for e in ERAS] for s in r]
        for r in ROLE_CARDS
    ],
    np.int16,
)
ROLE_COST = np.array(
    [[[tokens(s["resource_cost_by_era"][e]) for e in ERAS] for s in r] for r in ROLE_CARDS],
    np.int16,
)
_lanes = np.array([cost_lanes(k) for k in ROLE_COST.reshape(-1, 5)], np.int64)
ROLE_LOW, ROLE_HIGH = (_lanes[:, i].reshape(4, 2, 3).copy() for i in range(2))
ROLE_EFFECTS = np.array(
    [[[_compiler.effect_range(s["on_purchase_by_era"][e]) for e in ERAS] for s in r]
     for r in ROLE_CARDS],
    np.int16,
)  # fmt: skip
# The loot of the military card by side: points required (-1: no loot), how often, effects.
_loots = [side["loot"] for side in ROLE_CARDS[ROLES.index("military")]]
LOOT_POINTS = np.array([loot["attack_required"] if loot else -1 for loot in _loots], np.int16)
LOOT_TIMES = np.array([loot["max_per_purchase"] if loot else 0 for loot in _loots], np.int16)
LOOT_EFFECTS = np.array(
    [_compiler.effect_range(loot["effects"]) if loot else (0, 0) for loot in _loots], np.int16
)

_amounts = [amounts_of(effect) for effect in _compiler.effects]
EFFECT = np.array([EFFECT_TYPES.index(e["type"]) for e in _compiler.effects], np.int16)
BASE = np.array([[x_part(a, "base") for a in row] for row in _amounts], np.int16)
X_TIMES = np.array([[x_part(a, "mult") for a in row] for row in _amounts], np.int16)
X_SUIT = np.array([[SUITS.index(x_part(a, "suit")) for a in row] for row in _amounts], np.int16)
SOURCE = np.array(
    [
        {"deck_top": FROM_DECK, "discard_top": FROM_DISCARD}.get(e.get("source"), 0)  # type: ignore[arg-type]
        for e in _compiler.effects
    ],
    np.int16,
)


def per_action(values: Sequence[Any], dtype: Any = np.int16) -> np.ndarray:
    """A table by action number, 0 for none."""
    return per_kind(values, dtype)


def others_of(action: Mapping[str, Any]) -> tuple[int, int]:
    """Other buildings an action exhausts: number and suit (NO_SUIT: any)."""
    other = action["exhaust_other"]
    if other is None:
        return 0, NO_SUIT
    return other["count"], SUITS.index(other["suit"]) if other["suit"] else NO_SUIT


ACTIONS = tuple(_compiler.actions[1:])
FIRST_EFFECT, LAST_EFFECT = np.array(_compiler.ranges, np.int16).T.copy()
IS_ACTIVE = per_action([a["kind"] == "active" for a in ACTIONS])
ACTION_WINDOWS = per_action([sum(WINDOW_BITS[w] for w in a["windows"]) for a in ACTIONS])
PRICE = per_action([tokens(a["pay"]) for a in ACTIONS])
PRICE_LOW, PRICE_HIGH = per_action([cost_lanes(p) for p in PRICE[1:]], np.int64).T.copy()
HAS_PRICE = np.asarray(PRICE.any(axis=1), np.int16)
SELF_DAMAGE = per_action([a["self_damage"] for a in ACTIONS])
OTHERS, OTHERS_SUIT = per_action([others_of(a) for a in ACTIONS]).T.copy()


def bits(flags: Sequence[Any]) -> int:
    """Flags as bits, the first one lowest."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def paying_kinds(price: Sequence[int]) -> int:
    """Bits of the tokens (M, S, F, G) that can pay a part of a price."""
    return bits([price[k] or price[ANY] for k in range(3)] + [any(price)])


FED_BY = per_action([paying_kinds(p) for p in PRICE[1:]])
# Windows in which some action of a card has a use, and whether it readies others.
CARD_WINDOWS = np.bitwise_or.reduce(ACTION_WINDOWS[CARD_ACTIONS], axis=1)
READIES = per_kind(
    [any(e["type"] == "ready_other" for a in c["actions"] for e in a["effects"]) for c in CARDS]
)

# Table and box ---------------------------------------------------------------------------------

SUPPLY = np.array([DATA["token_supply"][kind] for kind in KINDS_OF_TOKENS], np.int16)
EXCHANGE_PAYS = int(DATA["free_exchange"]["pay_same_kind"])
EXCHANGE_GAINS = int(DATA["free_exchange"]["gain_gold"])
CONTROL = int(DATA["card_points"]["control"])
SHARED_CONTROL = int(DATA["card_points"]["shared_control"])
# Starting gold by number of players and place in the turn order (section 2.4).
START_GOLD = np.zeros((5, 4), np.int16)
for _n in (2, 4):
    START_GOLD[_n, : _n // 2] = DATA["start"]["gold_first_half"]
    START_GOLD[_n, _n // 2 : _n] = DATA["start"]["gold_second_half"]
START_GOLD[3, :3] = DATA["start"]["three_players"]
# Base cards taken out of each era: [expansion, removal variant].
_variants = DATA["variants"]
TAKEN_OUT = np.array(
    [
        [0, _variants["remove_per_era"]],
        [_variants["expansion_only_remove_per_era"], _variants["expansion_remove_per_era"]],
    ],
    np.int16,
)
BOX_SIZE = int(COPIES[1 : NUM_BUILDINGS + 1].sum())
