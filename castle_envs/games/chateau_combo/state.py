"""The state of a game of Château Combo as one record, and the shapes a tableau can have."""

import numpy as np

from castle_envs.engine.game import state_dtype
from castle_envs.games.chateau_combo.cards import DECK_CAPACITY, NUM_CARDS

MIN_PLAYERS, MAX_PLAYERS = 2, 5
START_GOLD, START_KEYS = 15, 2
FACE_DOWN_GOLD, FACE_DOWN_KEYS = 6, 2
ROW_SIZE = 3
CELLS = 9
FULL = 511

# Decisions: key or recruit; recruit after a key; one of two options; a card to discard.
TURN, RECRUIT, OPTION, DISCARD = range(4)
PHASES = ("turn", "recruit", "option", "discard")

# Small unsigned integers keep the record short and spare table look-ups the test for negative
# indices. Cards are tokens (see cards.py): 0 no card, 1-78 face-up, 79-156 face-down. Places:
# 0 Castle, 1 Village. A tableau's cells are row-major in the 3 x 3 frame whose top-left corner is
# that of the box around its cards, so the first card lies in cell 0.
STATE = state_dtype(
    ("phase", "u1"),  # TURN, RECRUIT, OPTION or DISCARD
    ("pending", "u1"),  # cell of the card just placed, for OPTION and DISCARD
    ("messenger", "u1"),  # place of the Messenger
    ("exhausted", "i1", 2),  # 1 once a place has left the game
    ("row", "u1", (2, ROW_SIZE)),  # face-up cards by place and slot
    ("deck_size", "u1", 2),
    ("gold", "i2", MAX_PLAYERS),  # spendable gold
    ("keys", "i2", MAX_PLAYERS),
    ("occupied", "u2", MAX_PLAYERS),  # bit c is set where cell c holds a card
    ("tableau", "u1", (MAX_PLAYERS, CELLS)),  # tokens
    ("purse", "u1", (MAX_PLAYERS, CELLS)),  # gold stored on the card of each cell
    ("discarded", "u1", NUM_CARDS),  # 1 where token i + 1 lies on the pile of its place
    ("deck", "u1", (2, DECK_CAPACITY)),  # the top card is the last of the first deck_size
)

OPTIONS = np.dtype((np.record, [("num_players", "i1")]))


def _frames() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Width, height and the 4 x 4 grid of legal cells for every set of occupied cells."""
    width, height = np.zeros(512, np.int8), np.zeros(512, np.int8)
    legal = np.zeros((512, 16), np.int8)
    legal[0, 5] = 1
    for occupied in range(1, 512):
        cells = {(c // 3, c % 3) for c in range(CELLS) if occupied >> c & 1}
        rows, columns = {r for r, _ in cells}, {c for _, c in cells}
        height[occupied] = tall = max(rows) + 1
        width[occupied] = wide = max(columns) + 1
        if min(rows) or min(columns):
            continue
        for r in range(-1, 3):
            for c in range(-1, 3):
                fits = max(tall, r + 1) - min(0, r) <= 3 and max(wide, c + 1) - min(0, c) <= 3
                near = {(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)} & cells
                legal[occupied, 4 * (r + 1) + c + 1] = bool(fits and near) and (r, c) not in cells
    return width, height, legal


# By set of occupied cells (9 bits): bounding box, and the cells the next card may take as a
# row-major 4 x 4 grid of rows and columns -1 to 2 (rulebook p.8).
WIDTH, HEIGHT, LEGAL_CELLS = _frames()

# The cells of each set, as a count and a list.
_FILLED = np.array([[occupied >> cell & 1 for cell in range(CELLS)] for occupied in range(512)])
FILLED_COUNT = _FILLED.sum(1).astype(np.int64)
FILLED_CELLS = np.argsort(-_FILLED, axis=1, kind="stable").astype(np.uint8)

# The legal cells of each set once more, as a count and a list, for drawing one of them.
CELL_COUNT = LEGAL_CELLS.sum(1).astype(np.int64)
CELL_LIST = np.argsort(-LEGAL_CELLS, axis=1, kind="stable").astype(np.uint8)
