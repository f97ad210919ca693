"""Action ids <-> named moves <-> text: the 88 ids of the rules reference, section 10."""

from typing import Literal, NamedTuple

from castle_envs.engine.errors import OptionError

from .schema import ROLES
from .state import CITY, NUM_ACTIONS, ROW

DONE = 0
USE = 1
USE_HELD = 22
BUY = 26
PROMOTE = 30
BUY_CARD = 34
ATTACK = 38
LOOT = 59
SELECT = 60
REPAIR = 67
EXCHANGE = 74
TOKEN = 77
YES, NO = 81, 82
SUIT = 83
BUY_TOP, PROMOTE_TOP = 86, 87
TOKEN_NAMES = ("manpower", "supplies", "food", "gold")
SUIT_NAMES = ("red", "green", "blue")

Kind = Literal["manpower", "supplies", "food", "gold"]
Role = Literal["initiative", "mercantile", "defensive", "military"]


class Done(NamedTuple):
    """End the turn, a selection, the attackers or the defense."""


class Use(NamedTuple):
    """Perform action `index` (0-2) of the building in own `slot` (0-6)."""

    slot: int
    index: int  # type: ignore[assignment]  # hides tuple.index, which no move needs


class UseHeld(NamedTuple):
    """Perform the action of the held action card of `role`."""

    role: Role


class Buy(NamedTuple):
    """Buy the building of row slot `slot` (0-3)."""

    slot: int


class Promote(NamedTuple):
    """Promote an own building into the one of row slot `slot` (0-3)."""

    slot: int


class BuyCard(NamedTuple):
    """Buy the action card of `role`."""

    role: Role


class Attack(NamedTuple):
    """Attack the building in `slot` (0-6) of the player `seats_on` (1-3) seats on, clockwise."""

    seats_on: int
    slot: int


class Loot(NamedTuple):
    """Spend a battle phase on the own loot card."""


class Select(NamedTuple):
    """Pick own `slot` (0-6)."""

    slot: int


class Repair(NamedTuple):
    """Repair own `slot` (0-6) with gold."""

    slot: int


class Exchange(NamedTuple):
    """Exchange three tokens of a base `kind` for gold."""

    kind: Kind


class Token(NamedTuple):
    """Name a token: to gain, to pay with, or to take as a credit."""

    kind: Kind


class Answer(NamedTuple):
    """Answer yes or no: turn the attack direction?"""

    yes: bool


class Suit(NamedTuple):
    """Name a `suit` for a wild card."""

    suit: Literal["red", "green", "blue"]


class BuyTop(NamedTuple):
    """Buy the top card of the pile that an action has opened."""


class PromoteTop(NamedTuple):
    """Promote an own building into that top card."""


Move = (
    Done | Use | UseHeld | Buy | Promote | BuyCard | Attack | Loot | Select | Repair
    | Exchange | Token | Answer | Suit | BuyTop | PromoteTop
)  # fmt: skip


def _moves() -> tuple[Move, ...]:
    return (
        Done(),
        *(Use(slot, index) for slot in range(CITY) for index in range(3)),
        *(UseHeld(role) for role in ROLES),  # type: ignore[arg-type]
        *(Buy(slot) for slot in range(ROW)),
        *(Promote(slot) for slot in range(ROW)),
        *(BuyCard(role) for role in ROLES),  # type: ignore[arg-type]
        *(Attack(seats_on, slot) for seats_on in (1, 2, 3) for slot in range(CITY)),
        Loot(),
        *(Select(slot) for slot in range(CITY)),
        *(Repair(slot) for slot in range(CITY)),
        *(Exchange(kind) for kind in TOKEN_NAMES[:3]),  # type: ignore[arg-type]
        *(Token(kind) for kind in TOKEN_NAMES),  # type: ignore[arg-type]
        Answer(True),
        Answer(False),
        *(Suit(suit) for suit in SUIT_NAMES),  # type: ignore[arg-type]
        BuyTop(),
        PromoteTop(),
    )


_MOVES = _moves()
# Buy(0) and Promote(0) are equal as tuples: the class makes the difference.
_ID_OF = {(type(move), tuple(move)): action for action, move in enumerate(_MOVES)}


def decode(action: int) -> Move:
    """The move of an action id; raises OptionError outside 0 to 87."""
    if not 0 <= action < NUM_ACTIONS:
        raise OptionError(f"actions are 0 to {NUM_ACTIONS - 1}, got {action!r}")
    return _MOVES[action]


def encode(move: Move) -> int:
    """The action id of a move; raises OptionError on one that has none."""
    try:
        return _ID_OF[type(move), tuple(move)]
    except (KeyError, TypeError):
        raise OptionError(f"{move!r} is no move of Castle Up") from None


def describe(move: Move) -> str:
    """The move in words."""
    match move:
        case Use(slot, index):
            return f"use slot {slot} action {index}"
        case UseHeld(role):
            return f"use held {role}"
        case Buy(slot):
            return f"buy row {slot}"
        case Promote(slot):
            return f"promote row {slot}"
        case BuyCard(role):
            return f"buy action card {role}"
        case Attack(seats_on, slot):
            return f"attack {seats_on} on, slot {slot}"
        case Select(slot):
            return f"select slot {slot}"
        case Repair(slot):
            return f"repair slot {slot}"
        case Exchange(kind):
            return f"exchange {kind}"
        case Token(kind):
            return f"token {kind}"
        case Answer(yes):
            return "yes" if yes else "no"
        case Suit(suit):
            return f"suit {suit}"
        case BuyTop():
            return "buy the top card"
        case PromoteTop():
            return "promote into the top card"
    return type(move).__name__.lower()


ACTION_NAMES = tuple(describe(move) for move in _MOVES)
