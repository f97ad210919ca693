"""Action ids <-> named moves <-> text.

103 ids: key move, key refresh; recruit slot x face-up/face-down x cell; option; discard.
"""

from typing import Literal, NamedTuple

from castle_envs.engine.errors import OptionError

KEY_MOVE, KEY_REFRESH = 0, 1
FIRST_RECRUIT = 2
GRID = 4  # cells of a recruit: rows and columns -1 to 2
RECRUITS = 3 * 2 * GRID * GRID
FIRST_OPTION = FIRST_RECRUIT + RECRUITS
FIRST_DISCARD = FIRST_OPTION + 2
NUM_ACTIONS = FIRST_DISCARD + 3


class Key(NamedTuple):
    """Spend a key: "move" the Messenger, or "refresh" its row."""

    kind: Literal["move", "refresh"]


class Recruit(NamedTuple):
    """Take the card of `slot` (0-2) in the Messenger's row and place it.

    `row` and `column` run from -1 to 2, from the top-left corner of the box around the tableau;
    the first card goes to row 0, column 0.
    """

    slot: int
    face_down: bool
    row: int
    column: int


class Option(NamedTuple):
    """Pick one of the two effects of the card just placed (0 is printed first)."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which no move needs


class Discard(NamedTuple):
    """Discard the card of `slot` (0-2) of the row the card just placed speaks of."""

    slot: int


Move = Key | Recruit | Option | Discard


def decode(action: int) -> Move:
    """The move of an action id; raises OptionError outside 0 to 102."""
    if not 0 <= action < NUM_ACTIONS:
        raise OptionError(f"actions are 0 to {NUM_ACTIONS - 1}, got {action!r}")
    if action < FIRST_RECRUIT:
        return Key("refresh" if action == KEY_REFRESH else "move")
    if action >= FIRST_DISCARD:
        return Discard(action - FIRST_DISCARD)
    if action >= FIRST_OPTION:
        return Option(action - FIRST_OPTION)
    way, cell = divmod(action - FIRST_RECRUIT, GRID * GRID)
    return Recruit(way // 2, way % 2 == 1, cell // GRID - 1, cell % GRID - 1)


def encode(move: Move) -> int:
    """The action id of a move; raises OptionError on one that has none."""
    try:
        # Option(0) and Discard(0) are equal as tuples: the class makes the difference.
        return _ID_OF[type(move), tuple(move)]
    except (KeyError, TypeError):
        raise OptionError(f"{move!r} is no move of Château Combo") from None


def describe(move: Move) -> str:
    """The move in words."""
    match move:
        case Key(kind):
            return "key: move the Messenger" if kind == "move" else "key: refresh the row"
        case Recruit(slot, face_down, row, column):
            way = "face-down" if face_down else "face-up"
            return f"recruit slot {slot} {way} at row {row}, column {column}"
        case Option(index):
            return f"option {index}"
        case Discard(slot):
            return f"discard slot {slot}"
    raise OptionError(f"{move!r} is no move of Château Combo")


_MOVES = tuple(decode(action) for action in range(NUM_ACTIONS))
_ID_OF = {(type(move), tuple(move)): action for action, move in enumerate(_MOVES)}
ACTION_NAMES = tuple(describe(move) for move in _MOVES)
