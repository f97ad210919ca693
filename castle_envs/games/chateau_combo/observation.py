"""What a seat may know, as two declared layouts and the compiled encoders that fill them.

Everything but the order of the decks is public, so all seats see the same things: own seat first,
the others in turn order. Rows come Messenger's row first.
"""

from typing import Any

import numpy as np

from castle_envs.engine.game import View
from castle_envs.engine.kernel import allocating, inlined, kernel
from castle_envs.engine.layout import Segment, positions
from castle_envs.engine.seats import seat_after
from castle_envs.games.chateau_combo.actions import RECRUITS
from castle_envs.games.chateau_combo.cards import (
    DECK_CAPACITY,
    NUM_CARDS,
    NUM_TOKENS,
    PRINTED,
    TALLY,
    TOKENS_OF_PLACE,
)
from castle_envs.games.chateau_combo.greedy import NONE, POINT, can_move, gains_of_row
from castle_envs.games.chateau_combo.rules import discounts, price
from castle_envs.games.chateau_combo.scoring import (
    byte,
    column_tally,
    purse_room,
    row_tally,
    score,
    tableau_tally,
)
from castle_envs.games.chateau_combo.state import (
    CELLS,
    DISCARD,
    FILLED_CELLS,
    FILLED_COUNT,
    HEIGHT,
    OPTION,
    ROW_SIZE,
    STATE,
    WIDTH,
)

GOLD_BOUND, KEY_BOUND, SCORE_BOUND, GAIN_BOUND, MAX_PRICE = 99, 99, 127, 60, 7
GOLD_GAIN_BOUND, KEY_GAIN_BOUND = 40, 20

COUNTED = "shields by type, then face-up Castle and Village cards,"

PUBLIC = (
    Segment("phase", (4,), 0, 1, "one-hot: turn (key or recruit), recruit, option, discard"),
    Segment("messenger", (1,), 0, 1, "where the Messenger stands: 0 Castle, 1 Village"),
    Segment("exhausted", (2,), 0, 1, "Castle, Village: 1 once the place has left the game"),
    Segment("deck_size", (2,), 0, DECK_CAPACITY, "cards left in the Castle and Village decks"),
    Segment("discarded", (NUM_CARDS,), 0, 1, "1 where the card lies on a discard pile"),
    Segment("present", ("seats",), 0, 1, "1 for a seat that plays, 0 for one left empty"),
    Segment("gold", ("seats",), 0, GOLD_BOUND, "spendable gold", typical=10),
    Segment("keys", ("seats",), 0, KEY_BOUND, "keys", typical=4),
    Segment("width", ("seats",), 0, 3, "columns of the box around the tableau"),
    Segment("height", ("seats",), 0, 3, "rows of that box"),
    Segment("purse", ("seats", CELLS), 0, 9, "gold stored on the card of each cell", typical=4),
    Segment("counts", ("seats", 8), 0, 18, f"{COUNTED} of the tableau", extra="totals", typical=6),
    Segment(
        "discounts", ("seats", 2), 0, 9, "on Castle and Village cards", extra="totals", typical=3
    ),
    Segment(
        "prices",
        (6,),
        0,
        MAX_PRICE,
        "own price of each offered card, Messenger's row first",
        extra="totals",
    ),
)
SCORES = Segment(
    "scores",
    ("seats",),
    0,
    SCORE_BOUND,
    "points as if the game ended now",
    extra="scores",
    typical=50,
)
GAINS = (
    Segment(
        "gains",
        (RECRUITS,),
        -GAIN_BOUND,
        GAIN_BOUND,
        "points that each legal recruit would add now, by action id - 2",
        extra="gains",
        typical=10,
    ),
    Segment(
        "gold_gains",
        (RECRUITS,),
        -GOLD_GAIN_BOUND,
        GOLD_GAIN_BOUND,
        "gold that each of them would add (the price is a loss)",
        extra="gains",
        typical=5,
    ),
    Segment(
        "key_gains",
        (RECRUITS,),
        -KEY_GAIN_BOUND,
        KEY_GAIN_BOUND,
        "keys that each of them would add",
        extra="gains",
        typical=2,
    ),
    Segment(
        "gains_moved",
        (6,),
        -GAIN_BOUND,
        GAIN_BOUND,
        "best gain per slot, face-up then face-down, after moving the Messenger, key paid",
        extra="gains",
        typical=10,
    ),
)
TOKENS = (
    *PUBLIC,
    Segment(
        "tableau",
        ("seats", CELLS),
        0,
        NUM_TOKENS - 1,
        f"0 empty, 1-{NUM_CARDS} the card, {NUM_CARDS + 1}-{NUM_TOKENS - 1} it face-down",
    ),
    Segment("offer", (6,), 0, NUM_CARDS, "cards on offer, Messenger's row first; 0 none"),
    Segment("pending", (1,), 0, NUM_CARDS, "card whose option or discard is being chosen"),
    SCORES,
    *GAINS,
)
FEATURES = (
    *PUBLIC,
    Segment("placed", ("seats", NUM_CARDS), 0, CELLS, "0, or 1 + the cell the card lies on"),
    Segment("face_down", ("seats", CELLS), 0, 1, "1 where a cell holds a face-down card"),
    Segment("filled", ("seats", CELLS), 0, 1, "1 where a cell holds a card"),
    Segment("row_counts", ("seats", 3, 8), 0, 6, f"{COUNTED} of each row", typical=3),
    Segment("column_counts", ("seats", 3, 8), 0, 6, f"{COUNTED} of each column", typical=3),
    Segment(
        "purse_room", ("seats",), 0, 70, "gold that the purses can take", extra="totals", typical=10
    ),
    Segment("offer", (6, DECK_CAPACITY), 0, 1, "one-hot within its place, Messenger's row first"),
    Segment("affordable", (6,), 0, 1, "1 where own gold covers the price"),
    Segment("offer_counts", (6, 8), 0, 2, f"{COUNTED} of each offered card"),
    Segment("pending", (CELLS,), 0, 1, "one-hot cell whose option or discard is being chosen"),
    SCORES,
    *GAINS,
)

# Places of the segments in `Layout.starts`. The public ones stand first in both layouts.
_AT = positions(PUBLIC)
PHASE, AT_MESSENGER, EXHAUSTED = _AT["phase"], _AT["messenger"], _AT["exhausted"]
DECK_SIZE, DISCARDED, PRESENT = _AT["deck_size"], _AT["discarded"], _AT["present"]
AT_GOLD, AT_KEYS, AT_WIDTH, AT_HEIGHT = _AT["gold"], _AT["keys"], _AT["width"], _AT["height"]
PURSE, COUNTS, AT_DISCOUNTS, PRICES = (
    _AT["purse"],
    _AT["counts"],
    _AT["discounts"],
    _AT["prices"],
)
_AT = positions(TOKENS)
T_TABLEAU, T_OFFER, T_PENDING = _AT["tableau"], _AT["offer"], _AT["pending"]
T_SCORES, T_GAINS = _AT["scores"], _AT["gains"]
_AT = positions(FEATURES)
F_PLACED, F_FACE_DOWN, F_FILLED = _AT["placed"], _AT["face_down"], _AT["filled"]
F_ROWS, F_COLUMNS, F_ROOM = _AT["row_counts"], _AT["column_counts"], _AT["purse_room"]
F_OFFER, F_AFFORDABLE = _AT["offer"], _AT["affordable"]
F_OFFER_COUNTS, F_PENDING = _AT["offer_counts"], _AT["pending"]
F_SCORES, F_GAINS = _AT["scores"], _AT["gains"]

# Place of a card among the cards of its own place, by token.
WITHIN_PLACE = np.zeros(NUM_TOKENS, np.int16)
for _tokens in TOKENS_OF_PLACE:
    WITHIN_PLACE[_tokens] = np.arange(len(_tokens))


# Entries are written with unsigned indices, which spare the test for negative ones, and with the
# segment's start in a variable: read anew after every write, it would keep loops from turning into
# vector code. Together this is half of an observation's time.


@inlined
def see_public(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    """The segments that both views share."""
    out[np.uintp(starts[PHASE] + g.phase)] = 0 if g.over else 1
    out[np.uintp(starts[AT_MESSENGER])] = g.messenger
    for place in range(2):
        out[np.uintp(starts[EXHAUSTED] + place)] = g.exhausted[place]
        out[np.uintp(starts[DECK_SIZE] + place)] = g.deck_size[place]
    at = starts[DISCARDED]
    for i in range(NUM_CARDS):
        out[np.uintp(at + i)] = g.discarded[i]
    n = int(g.num_players)
    for i in range(n):
        who = seat_after(seat, i, n)
        frame = g.occupied[who]
        out[np.uintp(starts[PRESENT] + i)] = 1
        out[np.uintp(starts[AT_GOLD] + i)] = min(GOLD_BOUND, g.gold[who])
        out[np.uintp(starts[AT_KEYS] + i)] = min(KEY_BOUND, g.keys[who])
        out[np.uintp(starts[AT_WIDTH] + i)] = WIDTH[frame]
        out[np.uintp(starts[AT_HEIGHT] + i)] = HEIGHT[frame]
        at = starts[PURSE] + CELLS * i
        for cell in range(CELLS):
            out[np.uintp(at + cell)] = g.purse[who, cell]
    if starts[COUNTS] >= 0:
        see_totals(g, seat, starts, out)


@inlined
def see_totals(g: Any, seat: int, starts: Any, out: Any) -> None:
    """What adds up over a tableau, and the prices that follow from it."""
    n = int(g.num_players)
    for i in range(n):
        who = seat_after(seat, i, n)
        at, whole = starts[COUNTS] + 8 * i, tableau_tally(g, who)
        for place in range(8):
            out[np.uintp(at + place)] = byte(whole, place)
        at, discount = starts[AT_DISCOUNTS] + 2 * i, discounts(g, who)
        for place in range(2):
            out[np.uintp(at + place)] = byte(discount, place)
    at, discount = starts[PRICES], discounts(g, seat)
    for i in range(6):
        out[np.uintp(at + i)] = price(offered(g, i), discount)


@kernel
def offered(g: Any, i: int) -> int:
    """The i-th of the six cards on offer, Messenger's row first; 0 where there is none."""
    place = g.messenger if i < ROW_SIZE else 1 - g.messenger
    return g.row[place, i % ROW_SIZE]


@inlined
def see_scores(g: Any, seat: int, start: int, out: Any) -> None:
    """As-if-now points of every seat, own first."""
    n = int(g.num_players)
    for i in range(n):
        out[np.uintp(start + i)] = min(SCORE_BOUND, score(g, seat_after(seat, i, n), None))


@kernel
def bounded(value: int, bound: int) -> int:
    """A value cut to -bound to bound."""
    return max(-bound, min(bound, value))


@kernel
def clipped(gain: int) -> int:
    """A gain in hundredths as whole points within the declared range."""
    return bounded((gain + POINT // 2) // POINT, GAIN_BOUND)


@allocating
def see_gains(g: Any, seat: int, start: int, out: Any) -> None:
    """What each recruit would add; only for the seat to act, while it may recruit.

    Fills the segments of GAINS, which lie side by side from `start` on.
    """
    if g.over or g.seat != seat or g.phase == OPTION or g.phase == DISCARD:
        return
    scratch = np.empty(1, STATE)
    scratch[0] = g
    gains, left = np.empty(RECRUITS, np.int32), np.empty((RECRUITS, 2), np.int32)
    write_gains(g, scratch, gains, left, start, out)


@kernel
def write_gains(g: Any, scratch: Any, gains: Any, left: Any, start: int, out: Any) -> None:
    """`see_gains` with arrays to work on; `scratch` (1,) holds a copy of `g`."""
    gains_of_row(g, scratch[0], int(g.messenger), gains, left)
    for i in range(RECRUITS):
        if gains[i] != NONE:
            out[start + i] = clipped(gains[i])
            out[start + RECRUITS + i] = bounded(left[i, 0], GOLD_GAIN_BOUND)
            out[start + 2 * RECRUITS + i] = bounded(left[i, 1], KEY_GAIN_BOUND)
    if can_move(g):
        start_moved = start + 3 * RECRUITS
        gains_of_row(g, scratch[0], 1 - int(g.messenger), gains, left)
        for way in range(6):
            best = -GAIN_BOUND
            for cell in range(16):
                if gains[16 * way + cell] != NONE:
                    best = max(best, clipped(gains[16 * way + cell] - POINT))
                    out[start_moved + way] = best


@kernel
def see_tokens(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    """Fill `out` with the "tokens" view of `seat`; `starts` is that layout's."""
    out[:] = 0
    see_public(g, seat, seats, starts, out)
    n = int(g.num_players)
    for i in range(n):
        who = seat_after(seat, i, n)
        at = starts[T_TABLEAU] + CELLS * i
        for cell in range(CELLS):
            out[np.uintp(at + cell)] = g.tableau[who, cell]
    at = starts[T_OFFER]
    for i in range(6):
        out[np.uintp(at + i)] = offered(g, i)
    if g.phase == OPTION or g.phase == DISCARD:
        out[np.uintp(starts[T_PENDING])] = g.tableau[g.seat, g.pending]
    if starts[T_SCORES] >= 0:
        see_scores(g, seat, starts[T_SCORES], out)
    if starts[T_GAINS] >= 0:
        see_gains(g, seat, starts[T_GAINS], out)


@kernel
def see_features(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    """Fill `out` with the "features" view of `seat`; `starts` is that layout's."""
    out[:] = 0
    see_public(g, seat, seats, starts, out)
    n = int(g.num_players)
    for i in range(n):
        see_tableau(g, seat_after(seat, i, n), i, starts, out)
    gold, discount = int(g.gold[seat]), discounts(g, seat)
    for i in range(6):
        token = offered(g, i)
        if token:
            out[np.uintp(starts[F_OFFER] + DECK_CAPACITY * i + WITHIN_PLACE[token])] = 1
            out[np.uintp(starts[F_AFFORDABLE] + i)] = price(token, discount) <= gold
            at = starts[F_OFFER_COUNTS] + 8 * i
            for place in range(8):
                out[np.uintp(at + place)] = byte(TALLY[token], place)
    if g.phase == OPTION or g.phase == DISCARD:
        out[np.uintp(starts[F_PENDING] + g.pending)] = 1
    if starts[F_SCORES] >= 0:
        see_scores(g, seat, starts[F_SCORES], out)
    if starts[F_GAINS] >= 0:
        see_gains(g, seat, starts[F_GAINS], out)


@inlined
def see_tableau(g: Any, who: int, i: int, starts: Any, out: Any) -> None:
    """The cells and lines of one tableau, as the i-th seat of the observation."""
    filled, face_down = starts[F_FILLED] + CELLS * i, starts[F_FACE_DOWN] + CELLS * i
    placed = starts[F_PLACED] + NUM_CARDS * i - 1
    frame = g.occupied[who]
    for k in range(FILLED_COUNT[frame]):
        cell = FILLED_CELLS[frame, k]
        token = g.tableau[who, cell]
        out[np.uintp(filled + cell)] = 1
        out[np.uintp(face_down + cell)] = token > NUM_CARDS
        out[np.uintp(placed + PRINTED[token])] = cell + 1
    for line in range(3):
        across, down = row_tally(g, who, line), column_tally(g, who, line)
        at = starts[F_ROWS] + 24 * i + 8 * line
        for place in range(8):
            out[np.uintp(at + place)] = byte(across, place)
        at = starts[F_COLUMNS] + 24 * i + 8 * line
        for place in range(8):
            out[np.uintp(at + place)] = byte(down, place)
    if starts[F_ROOM] >= 0:
        out[np.uintp(starts[F_ROOM] + i)] = purse_room(g, who)


VIEWS = {
    "features": View(FEATURES, see_features, np.dtype(np.int8), scaled=True),
    "tokens": View(TOKENS, see_tokens, np.dtype(np.int16), scaled=False),
}
