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
    GOLD_HERE,
    GOLD_ON_PURSES,
    IDENTICAL_SETS,
    KEYS,
    MISSING_TYPES,
    NEIGHBOR,
    ONE,
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
from castle_envs.games.chateau_combo.state import CELLS, HEIGHT, WIDTH


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
    if cells & WANTS_WIDTH and WIDTH[frame] < 3:
        return 0
    if cells & WANTS_HEIGHT and HEIGHT[frame] < 3:
        return 0
    return cells >> cell & 1


@kernel
def count(
    g: Any, seat: int, cell: int, kind: int, scope: int, argument: int, whole: int, traits: int
) -> int:
    """A counter of the card on `cell`; those of stored gold are `cell_points`' business."""
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
def leftover(g: Any, seat: int) -> int:
    """Gold left once the purses are filled from the player's own (the tie-break)."""
    gold = int(g.gold[seat])
    return gold - min(gold, purse_room(g, seat))


@kernel
def score(g: Any, seat: int, points: Any) -> int:
    """A seat's points as if the game ended now.

    Purses are first filled from the player's own gold, in reading order. `points` takes those of
    each cell (9), or is None.
    """
    gold, on_purses, whole, traits = int(g.gold[seat]), 0, 0, 0
    for cell in range(CELLS):
        token = g.tableau[seat, cell]
        whole += TALLY[token]
        traits += TRAITS[token]
        stored = int(g.purse[seat, cell])
        filled = min(gold, CAPACITY[token] - stored)
        gold -= filled
        on_purses += stored + filled
    gold = int(g.gold[seat])
    total = int(g.keys[seat])
    for cell in range(CELLS):
        token = g.tableau[seat, cell]
        worth = 0
        if POINTS[token] > 0:
            kind = SCORE_KIND[token]
            if kind == GOLD_HERE:
                counted = min(CAPACITY[token], g.purse[seat, cell] + gold)
                gold -= counted - g.purse[seat, cell]
            elif kind == GOLD_ON_PURSES:
                counted = on_purses
            else:
                scope, argument = SCORE_SCOPE[token], SCORE_ARGUMENT[token]
                counted = count(g, seat, cell, kind, scope, argument, whole, traits)
            worth = POINTS[token] * counted
        total += worth
        if points is not None:
            points[cell] = worth
    return total


@kernel
def scores(g: Any, out: Any) -> None:
    """Every seat's points as if the game ended now, into `out` (int32, 5)."""
    for seat in range(g.num_players):
        out[seat] = score(g, seat, None)


@kernel
def standing(g: Any, seat: int) -> int:
    """Points and, for ties, leftover gold (rulebook p.10) in one comparable number."""
    return (int(score(g, seat, None)) << 32) + int(leftover(g, seat))


@kernel
def ranks(g: Any, out: Any) -> None:
    """Per seat, the seats that stand better, into `out` (int32, 5)."""
    for seat in range(g.num_players):
        out[seat] = 0
    for seat in range(g.num_players):
        own = standing(g, seat)
        for other in range(g.num_players):
            out[other] += own > standing(g, other)


def filled_purses(g: Any, seat: int) -> list[int]:
    """Gold on each cell once the purses are filled from the player's own, in reading order."""
    gold, filled = int(g.gold[seat]), []
    for cell in range(CELLS):
        stored = int(g.purse[seat, cell])
        added = min(gold, int(CAPACITY[g.tableau[seat, cell]]) - stored)
        filled.append(stored + added)
        gold -= added
    return filled
