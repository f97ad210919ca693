"""The 78 cards: `cards.json` read once and compiled to integer tables.

No card is known by name anywhere else. A card lies on the table as a token: 0 is an empty place,
1 to 78 the cards in file order, 79 to 156 the same cards face-down. Tables are indexed by token
and zero for empty places and face-down cards, so nothing printed on those ever counts (rulebook
p.7) and no branch is needed.

Counts that add up over cards are bytes of one int64, so a row, column or tableau total is a sum
and one count a shift. A tableau holds nine cards with at most two shields each: no byte overflows.
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

PLACES = ("castle", "village")
SHIELDS = ("nobility", "faith", "scholarship", "military", "craftsmanship", "peasantry")
RESOURCES = ("gold", "keys")
RECIPIENTS = ("self", "opponents", "everyone")
SCOPES = ("tableau", "row", "column", "cross", "neighbor")
TABLEAU, ROW, COLUMN, CROSS, NEIGHBOR = range(5)

DATA: Mapping[str, Any] = json.loads(
    files("castle_envs.games.chateau_combo").joinpath("cards.json").read_text("utf-8")
)
CARDS: tuple[Mapping[str, Any], ...] = tuple(DATA["cards"])
CARD_IDS = tuple(card["id"] for card in CARDS)
NUM_CARDS = len(CARDS)
TOKEN_OF = {name: token for token, name in enumerate(CARD_IDS, start=1)}
TOKENS_OF_PLACE = tuple(
    np.array([TOKEN_OF[c["id"]] for c in CARDS if c["place"] == place], np.int16)
    for place in PLACES
)
DECK_CAPACITY = max(len(tokens) for tokens in TOKENS_OF_PLACE)
FACE_DOWN = NUM_CARDS
NUM_TOKENS = 2 * NUM_CARDS + 1

# Bytes of a tally: the six shields, then the banners of the two places.
CASTLE_BYTE, VILLAGE_BYTE = 6, 7

# What an effect does.
NO_EFFECT, DISCOUNT, GAIN, EACH_PURSE, FILL_PURSES, DISCARD_FROM_ROW, CHOOSE_ONE = range(7)
EFFECT_KINDS = {
    "discount": DISCOUNT,
    "gain": GAIN,
    "gold_on_each_purse": EACH_PURSE,
    "fill_purses": FILL_PURSES,
    "discard_from_row": DISCARD_FROM_ROW,
    "choose_one": CHOOSE_ONE,
}

# What a counter counts; its argument is given in brackets.
(
    ONE,  # always 1
    TALLY_BYTE,  # a byte of the tally in scope [byte]
    TRAIT_BYTE,  # a byte of the tableau's traits [byte]
    TRAIT_PRESENT,  # 1 if that byte is not 0 [byte]
    TYPES,  # different shields in scope
    MISSING_TYPES,  # 6 minus those of the tableau
    ABSENT,  # 1 if the tableau lacks a shield [byte]
    SETS,  # smallest count among some shields of the tableau [bit mask of shields]
    IDENTICAL_SETS,  # floor(count / size) over all shields of the tableau [size]
    BANNER_SETS,  # how often so many banners fit [castle + 16 * village]
    FILLED,  # cards in the tableau
    EMPTY,  # 9 minus that
    KEYS,  # keys held
    GOLD_HERE,  # gold on this card [capacity]
    GOLD_ON_PURSES,  # gold on all own purses
    POSITION,  # 1 on one of the cells [9 bits of cells + WANTS_WIDTH + WANTS_HEIGHT]
) = range(16)

# A position is known only once the axis it speaks of is three long (design, `scores`).
WANTS_WIDTH, WANTS_HEIGHT = 1 << 9, 1 << 10


class Counter(NamedTuple):
    """A compiled counter: what it counts, where, and its argument."""

    kind: int
    scope: int = TABLEAU
    argument: int = 0


class Traits:
    """Allots a byte of the second tally to every yes-or-no property that some card counts."""

    def __init__(self) -> None:
        self.tests: dict[tuple[Any, ...], int] = {}

    def byte(self, *test: Any) -> int:
        """The byte that counts the cards with this property."""
        place = self.tests.setdefault(test, len(self.tests))
        if place > 7:
            raise ValueError("the cards count more than eight properties: add a second word")
        return place

    def holds(self, test: tuple[Any, ...], card: Mapping[str, Any]) -> bool:
        """Whether a card has a property."""
        kind, *arguments = test
        if kind == "shield_number":
            return len(card["shields"]) == arguments[0]
        if kind == "cost":
            return bool(arguments[0] <= card["cost"] <= arguments[1])
        if kind == "discount":
            return any(a["kind"] == "discount" for a in card["abilities"])
        return bool(kind == "purse") and capacity(card) > 0


TRAITS_USED = Traits()
FACE_DOWN_BYTE = TRAITS_USED.byte("face_down")


def capacity(card: Mapping[str, Any]) -> int:
    """Gold a card can store; 0 for all but purses."""
    per = card["scoring"]["per"]
    return int(per["capacity"]) if per and per["count"] == "gold_on_this_card" else 0


def compile_counter(per: Mapping[str, Any] | None) -> Counter:
    """A counter of the card file as integers; raises KeyError on words it does not know."""
    if per is None:
        return Counter(ONE)
    kind = per["count"]
    scope = SCOPES.index(per.get("scope", "tableau"))
    if kind == "shields":
        return Counter(TALLY_BYTE, scope, SHIELDS.index(per["shield"]))
    if kind == "banners":
        return Counter(TALLY_BYTE, scope, CASTLE_BYTE + PLACES.index(per["place"]))
    if kind == "cells":
        return Counter({"filled": FILLED, "empty": EMPTY}[per["state"]])
    if kind == "shield_types":
        return Counter(TYPES, scope)
    if kind == "shield_absent":
        return Counter(ABSENT, TABLEAU, SHIELDS.index(per["shield"]))
    if kind == "shield_sets":
        return Counter(SETS, TABLEAU, sum(1 << SHIELDS.index(s) for s in per["shields"]))
    if kind == "identical_shield_sets":
        return Counter(IDENTICAL_SETS, TABLEAU, per["size"])
    if kind == "banner_sets":
        return Counter(BANNER_SETS, TABLEAU, per["castle"] + 16 * per["village"])
    if kind == "cards_by_shield_number":
        return Counter(TRAIT_BYTE, TABLEAU, TRAITS_USED.byte("shield_number", per["n"]))
    if kind == "cards_by_cost":
        return Counter(TRAIT_BYTE, TABLEAU, TRAITS_USED.byte("cost", per["min"], per["max"]))
    if kind == "discount_cards":
        return Counter(TRAIT_BYTE, TABLEAU, TRAITS_USED.byte("discount"))
    if kind == "purse_cards":
        return Counter(TRAIT_BYTE, TABLEAU, TRAITS_USED.byte("purse"))
    if kind == "gold_on_this_card":
        return Counter(GOLD_HERE, TABLEAU, per["capacity"])
    if kind == "position":
        return Counter(POSITION, TABLEAU, compile_cells(per["cells"]))
    plain = {
        "missing_shield_types": Counter(MISSING_TYPES),
        "keys": Counter(KEYS),
        "gold_on_purses": Counter(GOLD_ON_PURSES),
        "face_down_present": Counter(TRAIT_PRESENT, TABLEAU, FACE_DOWN_BYTE),
    }
    return plain[kind]


def compile_cells(cells: list[int]) -> int:
    """Cells as bits, and which axes must be three long before they mean anything."""
    rows = {r for r in range(3) if any(cell // 3 == r for cell in cells)}
    columns = {c for c in range(3) if any(cell % 3 == c for cell in cells)}
    every_column = all(3 * r + c in cells for r in rows for c in range(3))
    every_row = all(3 * r + c in cells for r in range(3) for c in columns)
    wants = (0 if every_column else WANTS_WIDTH) | (0 if every_row else WANTS_HEIGHT)
    return sum(1 << cell for cell in cells) | wants


class Effects(NamedTuple):
    """Effect tables: entry [token, line] for printed lines, [token, option] for choices."""

    kind: np.ndarray
    amount: np.ndarray
    resource: np.ndarray
    to: np.ndarray
    counter: np.ndarray
    scope: np.ndarray
    argument: np.ndarray
    place: np.ndarray

    @classmethod
    def compiled(cls, lists: list[list[Mapping[str, Any]]]) -> "Effects":
        """Tables for the effects of each card, at most two a card."""
        tables = cls(*(np.zeros((NUM_TOKENS, 2), np.int16) for _ in cls._fields))
        for token, effects in enumerate(lists, start=1):
            for line, effect in enumerate(effects):
                counter = compile_counter(effect.get("per"))
                row = cls(
                    kind=EFFECT_KINDS[effect["kind"]],  # type: ignore[arg-type]
                    amount=effect.get("amount", effect.get("cards", 0)),
                    resource=RESOURCES.index(effect.get("resource", "gold")),  # type: ignore[arg-type]
                    to=RECIPIENTS.index(effect.get("to", "self")),  # type: ignore[arg-type]
                    counter=counter.kind,  # type: ignore[arg-type]
                    scope=counter.scope,  # type: ignore[arg-type]
                    argument=counter.argument,  # type: ignore[arg-type]
                    place=PLACES.index(effect.get("place", "castle")),  # type: ignore[arg-type]
                )
                for table, value in zip(tables, row, strict=True):
                    table[token, line] = value
        return tables


def per_token(values: list[int], dtype: Any = np.int16) -> np.ndarray:
    """A table by token from one value a card."""
    table = np.zeros(NUM_TOKENS, dtype)
    table[1 : NUM_CARDS + 1] = values
    return table


LINES = Effects.compiled([card["abilities"] for card in CARDS])
OPTIONS = Effects.compiled(
    [
        next((a["options"] for a in card["abilities"] if a["kind"] == "choose_one"), [])
        for card in CARDS
    ]
)
SCORING = [compile_counter(card["scoring"]["per"]) for card in CARDS]


def plain_reading(counter: Counter) -> tuple[int, ...]:
    """How `score` reads a counter without branching, as a row of PLAIN; zeros where it cannot.

    A count in the tableau, a row, a column or both is one byte, found by a shift, of those words
    that the masks let through; the card itself is taken off once where row and column cross.
    """
    if counter.kind == POSITION:
        return 0, 0, 0, 0, 0, 0, counter.argument
    scope, shift = counter.scope, 8 * counter.argument
    if counter.kind == TRAIT_BYTE:
        return shift, 0, 0, 0, 0, 255, 0
    if counter.kind != TALLY_BYTE or scope == NEIGHBOR:
        return (0,) * 7
    scopes = (TABLEAU,), (ROW, CROSS), (COLUMN, CROSS), (CROSS,)
    return shift, *(255 if scope in among else 0 for among in scopes), 0, 0


POINTS = per_token([card["scoring"]["points"] for card in CARDS])
SCORE_KIND = per_token([counter.kind for counter in SCORING])
SCORE_SCOPE = per_token([counter.scope for counter in SCORING])
SCORE_ARGUMENT = per_token([counter.argument for counter in SCORING])
COST = per_token([card["cost"] for card in CARDS])
CAPACITY = per_token([capacity(card) for card in CARDS])
PLACE = per_token([PLACES.index(card["place"]) for card in CARDS])

# By token: shift, masks of the tableau's, row's, column's and own tally and of the traits, cells.
PLAIN = np.zeros((NUM_TOKENS, 7), np.int64)
PLAIN[1 : NUM_CARDS + 1] = [plain_reading(counter) for counter in SCORING]
# Whether a score needs more: gold on purses counts by itself, since only purses can take gold.
INTRICATE = ~PLAIN.any(1) & (POINTS != 0) & (SCORE_KIND != GOLD_HERE)

# Where the Messenger goes: the place, or -1 where it stays.
MESSENGER = np.full(NUM_TOKENS, -1, np.int16)
MESSENGER[1 : NUM_CARDS + 1] = [
    PLACES.index(card["messenger"]) if card["messenger"] else -1 for card in CARDS
]

# Bytes: discount on Castle cards, discount on Village cards.
DISCOUNTS = per_token(
    [
        sum(
            effect[place] << (8 * byte)
            for effect in card["abilities"]
            if effect["kind"] == "discount"
            for byte, place in enumerate(PLACES)
        )
        for card in CARDS
    ],
    np.int64,
)
TALLY = per_token(
    [
        sum(1 << (8 * SHIELDS.index(shield)) for shield in card["shields"])
        + (1 << (8 * (CASTLE_BYTE + PLACES.index(card["place"]))))
        for card in CARDS
    ],
    np.int64,
)
TRAITS = per_token(
    [
        sum(
            1 << (8 * byte)
            for test, byte in TRAITS_USED.tests.items()
            if TRAITS_USED.holds(test, c)
        )
        for c in CARDS
    ],
    np.int64,
)
TRAITS[NUM_CARDS + 1 :] = 1 << (8 * FACE_DOWN_BYTE)
PRINTED = np.arange(NUM_TOKENS, dtype=np.int16)
PRINTED[NUM_CARDS + 1 :] -= NUM_CARDS
