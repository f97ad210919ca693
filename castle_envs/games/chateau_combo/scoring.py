"""Counters, points and final standing (reference sections 5 and 7)."""

from typing import Any

from castle_envs.engine.kernel import kernel
from castle_envs.engine.seats import seat_after
from castle_envs.games.chateau_combo.cards import (
    ABSENT,
    BANNER_SETS,
    CAPACITY,
    CASTLE_BYTE,
    COLUMN,
    CROSS,
    EMPTY,
    FILLED,
    GOLD_ON_PURSES,
    IDENTICAL_SETS,
    INTRICATE,
    KEYS,
    MISSING_TYPES,
    NEIGHBOR,
    ONE,
    PLAIN,
    POINTS,
    POSITION,
    ROW,
    SCORE_ARGUMENT,
    SCORE_KIND,
    SCORE_SCOPE,
    SETS,
    TALLY,
    TALLY_BYTE,
    TRAIT_BYTE,
    TRAIT_PRESENT,
    TRAITS,
    TYPES,
    VILLAGE_BYTE,
    WANTS_HEIGHT,
    WANTS_WIDTH,
)
from castle_envs.games.chateau_combo.state import (
    CELLS,
    FILLED_CELLS,
    FILLED_COUNT,
    HEIGHT,
    WIDTH,
)


@kernel
def byte(word: int, place: int) -> int:
    """One count out of a packed word."""
    return (word >> (8 * place)) & 255


@kernel
def shield_types(word: int) -> int:
    """How many of the six shields a tally holds."""
    found = 0
    for shield in range(6):
        found += byte(word, shield) > 0
    return found


@kernel
def tableau_tally(g: Any, seat: int) -> int:
    """Shields and banners of a whole tableau, packed."""
    total = 0
    for cell in range(CELLS):
        total += TALLY[g.tableau[seat, cell]]
    return total


@kernel
def tableau_traits(g: Any, seat: int) -> int:
    """Counted properties of a whole tableau, packed."""
    total = 0
    for cell in range(CELLS):
        total += TRAITS[g.tableau[seat, cell]]
    return total


@kernel
def row_tally(g: Any, seat: int, row: int) -> int:
    """Shields and banners of one row of the frame, packed."""
    t = g.tableau
    first = 3 * row
    return TALLY[t[seat, first]] + TALLY[t[seat, first + 1]] + TALLY[t[seat, first + 2]]


@kernel
def column_tally(g: Any, seat: int, column: int) -> int:
    """Shields and banners of one column of the frame, packed."""
    t = g.tableau
    return TALLY[t[seat, column]] + TALLY[t[seat, column + 3]] + TALLY[t[seat, column + 6]]


@kernel
def scope_tally(g: Any, seat: int, cell: int, scope: int, whole: int) -> int:
    """The tally a counter on `cell` looks at; `whole` is that of the tableau."""
    if scope == ROW:
        return row_tally(g, seat, cell // 3)
    if scope == COLUMN:
        return column_tally(g, seat, cell % 3)
    if scope == CROSS:
        lines = row_tally(g, seat, cell // 3) + column_tally(g, seat, cell % 3)
        return lines - TALLY[g.tableau[seat, cell]]
    return whole


@kernel
def best_neighbor(g: Any, seat: int, place: int) -> int:
    """The larger of the two neighbours' counts of one byte (rulebook p.9)."""
    n = int(g.num_players)
    left = byte(tableau_tally(g, seat_after(seat, n - 1, n)), place)
    right = byte(tableau_tally(g, seat_after(seat, 1, n)), place)
    return max(left, right)


@kernel
def smallest(word: int, shields: int) -> int:
    """The smallest count among the shields of a bit mask."""
    least = 255
    for shield in range(6):
        if shields >> shield & 1:
            least = min(least, byte(word, shield))
    return least


@kernel
def identical_sets(word: int, size: int) -> int:
    """Sets of `size` equal shields, over all shields."""
    sets = 0
    for shield in range(6):
        sets += byte(word, shield) // size
    return sets


@kernel
def banner_sets(word: int, needs: int) -> int:
    """How often so many Castle and Village banners fit; a need of 0 is ignored."""
    castle, village = needs % 16, needs // 16
    sets = 255
    if castle > 0:
        sets = min(sets, byte(word, CASTLE_BYTE) // castle)
    if village > 0:
        sets = min(sets, byte(word, VILLAGE_BYTE) // village)
    return sets


@kernel
def cards_placed(whole: int, traits: int) -> int:
    """Cards in a tableau: each shows one banner or lies face-down."""
    return byte(whole, CASTLE_BYTE) + byte(whole, VILLAGE_BYTE) + byte(traits, 0)


@kernel
def on_position(g: Any, seat: int, cell: int, cells: int) -> int:
    """1 if the cell is among `cells` and the axes they speak of are three long."""
    frame = g.occupied[seat]
    short = (cells & WANTS_WIDTH != 0) & (WIDTH[frame] < 3)
    short |= (cells & WANTS_HEIGHT != 0) & (HEIGHT[frame] < 3)
    return 0 if short else cells >> cell & 1


@kernel
def count(
    g: Any, seat: int, cell: int, kind: int, scope: int, argument: int, whole: int, traits: int
) -> int:
    """A counter of the card on `cell`; those of stored gold are `reckon`'s business."""
    if kind == TALLY_BYTE:
        if scope == NEIGHBOR:
            return best_neighbor(g, seat, argument)
        return byte(scope_tally(g, seat, cell, scope, whole), argument)
    if kind == POSITION:
        return on_position(g, seat, cell, argument)
    if kind == ONE:
        return 1
    if kind == TYPES:
        return shield_types(scope_tally(g, seat, cell, scope, whole))
    if kind == ABSENT:
        return 1 if byte(whole, argument) == 0 else 0
    if kind == SETS:
        return smallest(whole, argument)
    if kind == TRAIT_BYTE:
        return byte(traits, argument)
    if kind == TRAIT_PRESENT:
        return 1 if byte(traits, argument) > 0 else 0
    if kind == MISSING_TYPES:
        return 6 - shield_types(whole)
    if kind == IDENTICAL_SETS:
        return identical_sets(whole, argument)
    if kind == BANNER_SETS:
        return banner_sets(whole, argument)
    if kind == KEYS:
        return int(g.keys[seat])
    if kind == FILLED:
        return cards_placed(whole, traits)
    if kind == EMPTY:
        return CELLS - cards_placed(whole, traits)
    return 0


@kernel
def purse_room(g: Any, seat: int) -> int:
    """Gold that all purses of a tableau can still take."""
    room = 0
    for cell in range(CELLS):
        room += CAPACITY[g.tableau[seat, cell]] - g.purse[seat, cell]
    return room


@kernel
def reckon(g: Any, seat: int, points: Any) -> tuple[int, int]:
    """A seat's points as if the game ended now, and the gold left over once purses are filled.

    Purses are first filled from the player's own gold, in reading order. `points` takes those of
    each cell (9), or is None.
    """
    tableau, frame = g.tableau[seat], g.occupied[seat]
    cards, gold, total = FILLED_COUNT[frame], int(g.gold[seat]), int(g.keys[seat])
    on_purses, whole, traits = 0, 0, 0
    if points is not None:
        points[:] = 0
    for i in range(cards):
        cell = FILLED_CELLS[frame, i]
        token, stored = tableau[cell], int(g.purse[seat, cell])
        whole += TALLY[token]
        traits += TRAITS[token]
        held = min(CAPACITY[token], stored + gold)
        gold -= held - stored
        on_purses += held
        total += POINTS[token] * held
        if points is not None:
            points[cell] = POINTS[token] * held
    for i in range(cards):
        cell = FILLED_CELLS[frame, i]
        token = tableau[cell]
        if INTRICATE[token]:
            kind, scope, argument = SCORE_KIND[token], SCORE_SCOPE[token], SCORE_ARGUMENT[token]
            if kind == GOLD_ON_PURSES:
                counted = on_purses
            else:
                counted = count(g, seat, cell, kind, scope, argument, whole, traits)
        else:
            counted = plain_count(g, seat, cell, token, whole, traits)
        total += POINTS[token] * counted
        if points is not None:
            points[cell] += POINTS[token] * counted
    return total, gold


@kernel
def plain_count(g: Any, seat: int, cell: int, token: int, whole: int, traits: int) -> int:
    """What `count` says of most cards, without a branch; 0 for the others.

    The kind of the next card is what processors guess wrong: this halves the time of a score.
    """
    row, column = row_tally(g, seat, cell // 3), column_tally(g, seat, cell % 3)
    shift = PLAIN[token, 0]
    return (
        (whole >> shift & PLAIN[token, 1])
        + (row >> shift & PLAIN[token, 2])
        + (column >> shift & PLAIN[token, 3])
        - (TALLY[token] >> shift & PLAIN[token, 4])
        + (traits >> shift & PLAIN[token, 5])
        + on_position(g, seat, cell, PLAIN[token, 6])
    )


@kernel
def score(g: Any, seat: int, points: Any) -> int:
    """The points of `reckon`."""
    return reckon(g, seat, points)[0]


@kernel
def leftover(g: Any, seat: int) -> int:
    """The gold left over of `reckon` (the tie-break, rulebook p.10)."""
    return reckon(g, seat, None)[1]


@kernel
def scores(g: Any, out: Any) -> None:
    """Every seat's points as if the game ended now, into `out` (int32, 5)."""
    for seat in range(g.num_players):
        out[seat] = score(g, seat, None)


def filled_purses(g: Any, seat: int) -> list[int]:
    """Gold on each cell once the purses are filled from the player's own, in reading order."""
    gold, filled = int(g.gold[seat]), []
    for cell in range(CELLS):
        stored = int(g.purse[seat, cell])
        added = min(gold, int(CAPACITY[g.tableau[seat, cell]]) - stored)
        filled.append(stored + added)
        gold -= added
    return filled
