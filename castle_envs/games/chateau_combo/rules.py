"""The rules: new, legal, apply, redeal (reference sections 1 to 6)."""

from typing import Any

import numpy as np

from castle_envs.engine.kernel import inlined, kernel
from castle_envs.engine.random import below, scaled, shuffle
from castle_envs.engine.seats import seat_after
from castle_envs.games.chateau_combo.actions import (
    FIRST_DISCARD,
    FIRST_OPTION,
    FIRST_RECRUIT,
    KEY_MOVE,
    KEY_REFRESH,
)
from castle_envs.games.chateau_combo.cards import (
    CAPACITY,
    CHOOSE_ONE,
    COST,
    DISCARD_FROM_ROW,
    DISCOUNTS,
    EACH_PURSE,
    FACE_DOWN,
    FILL_PURSES,
    GAIN,
    LINES,
    MESSENGER,
    NUM_CARDS,
    OPTIONS,
    PLACE,
    TOKENS_OF_PLACE,
)
from castle_envs.games.chateau_combo.scoring import (
    byte,
    count,
    tableau_tally,
    tableau_traits,
)
from castle_envs.games.chateau_combo.state import (
    CELL_COUNT,
    CELL_LIST,
    CELLS,
    DISCARD,
    FACE_DOWN_GOLD,
    FACE_DOWN_KEYS,
    FULL,
    LEGAL_CELLS,
    MAX_PLAYERS,
    OPTION,
    RECRUIT,
    ROW_SIZE,
    START_GOLD,
    START_KEYS,
    TURN,
)

CASTLE_TOKENS, VILLAGE_TOKENS = TOKENS_OF_PLACE
LINE_KIND, LINE_PLACE, LINE_RESOURCE = LINES.kind, LINES.place, LINES.resource
(_, O_AMOUNT, O_RESOURCE, O_TO, O_COUNTER, O_SCOPE, O_ARGUMENT, _) = OPTIONS
(_, L_AMOUNT, L_RESOURCE, L_TO, L_COUNTER, L_SCOPE, L_ARGUMENT, _) = LINES
OPTION_KIND = OPTIONS.kind
OPPONENTS, EVERYONE = 1, 2
GOLD = 0


# Setting up ------------------------------------------------------------------------------------


@kernel
def new(g: Any, o: Any, seed: Any) -> None:
    """Deal a fresh game into `g` (rulebook p.4): random first player, shuffled decks."""
    g.rng = seed
    clear(g, int(o.num_players))
    for i in range(len(CASTLE_TOKENS)):
        g.deck[0, i] = CASTLE_TOKENS[i]
    for i in range(len(VILLAGE_TOKENS)):
        g.deck[1, i] = VILLAGE_TOKENS[i]
    g.deck_size[0], g.deck_size[1] = len(CASTLE_TOKENS), len(VILLAGE_TOKENS)
    for place in range(2):
        shuffle(g, g.deck[place], int(g.deck_size[place]))
        fill_row(g, place)
    g.seat = below(g, int(g.num_players))


@kernel
def clear(g: Any, num_players: int) -> None:
    """Empty table, starting gold and keys, the Messenger at the Village."""
    g.num_players = num_players
    g.seat, g.over, g.phase, g.pending, g.messenger = 0, 0, TURN, 0, 1
    for place in range(2):
        g.exhausted[place] = 0
        g.deck_size[place] = 0
        for slot in range(ROW_SIZE):
            g.row[place, slot] = 0
        for i in range(len(CASTLE_TOKENS)):
            g.deck[place, i] = 0
    for i in range(NUM_CARDS):
        g.discarded[i] = 0
    for seat in range(MAX_PLAYERS):
        playing = seat < num_players
        g.gold[seat] = START_GOLD if playing else 0
        g.keys[seat] = START_KEYS if playing else 0
        g.occupied[seat] = 0
        for cell in range(CELLS):
            g.tableau[seat, cell] = 0
            g.purse[seat, cell] = 0


@kernel
def redeal(g: Any, seat: int, seed: Any) -> None:
    """Resample what `seat` cannot see, which is the same for all: the order of the decks."""
    g.rng = seed
    for place in range(2):
        shuffle(g, g.deck[place], int(g.deck_size[place]))


# What is legal ---------------------------------------------------------------------------------

# The ways to take a card, face-up or face-down by slot, as six bits: how many are open, and the
# n-th of those.
_OPEN = np.array([[bits >> way & 1 for way in range(6)] for bits in range(64)])
WAYS = _OPEN.sum(1).astype(np.int64)
NTH_WAY = np.argsort(-_OPEN, axis=1, kind="stable").astype(np.uint8)


@kernel
def discounts(g: Any, seat: int) -> int:
    """Discounts of a tableau, packed: byte 0 on Castle cards, byte 1 on Village cards."""
    total = 0
    for cell in range(CELLS):
        total += DISCOUNTS[g.tableau[seat, cell]]
    return total


@kernel
def price(token: int, packed_discounts: int) -> int:
    """Gold to pay for a card face-up; never below 0 (rulebook p.7)."""
    return max(0, COST[token] - byte(packed_discounts, PLACE[token]))


@inlined
def allow_cells(mask: Any, first: int, frame: int, allowed: bool) -> None:
    """Copy the legal cells of a frame into the mask, or zeros where that is not allowed.

    Unsigned indices let it vectorise; a choice in the loop becomes no branch to be guessed wrong.
    """
    for cell in range(16):
        mask[np.uintp(first + cell)] = LEGAL_CELLS[frame, cell] if allowed else 0


@kernel
def legal(g: Any, mask: Any) -> None:
    """Fill the int8 mask (103) of the seat to act; zeros once the game is over."""
    mask[:] = 0
    if g.over:
        return
    seat = int(g.seat)
    if g.phase == OPTION:
        mask[FIRST_OPTION], mask[FIRST_OPTION + 1] = 1, 1
        return
    if g.phase == DISCARD:
        place = discard_place(g)
        for slot in range(ROW_SIZE):
            mask[FIRST_DISCARD + slot] = g.row[place, slot] != 0
        return
    place = int(g.messenger)
    if g.phase == TURN and g.keys[seat] > 0:
        mask[KEY_MOVE] = g.exhausted[1 - place] == 0
        mask[KEY_REFRESH] = 1
    frame, gold, discount = g.occupied[seat], int(g.gold[seat]), discounts(g, seat)
    for slot in range(ROW_SIZE):
        token, first = g.row[place, slot], FIRST_RECRUIT + 32 * slot
        there = token != 0
        allow_cells(mask, first, frame, there & (price(token, discount) <= gold))
        allow_cells(mask, first + 16, frame, there)


@kernel
def sample(g: Any, bits: Any) -> int:
    """A uniform legal action by 64 random bits, without writing a mask.

    Says what `legal` says in another form (a test holds them together); random play and playouts
    are twice as fast for it.
    """
    if g.phase == OPTION:
        return FIRST_OPTION + scaled(bits, 2)
    if g.phase == DISCARD:
        return FIRST_DISCARD + nth_card(g, discard_place(g), bits)
    seat, place = int(g.seat), int(g.messenger)
    may_key = g.phase == TURN and g.keys[seat] > 0
    may_move = may_key and g.exhausted[1 - place] == 0
    keys = int(may_key) + int(may_move)
    frame, gold, discount = g.occupied[seat], int(g.gold[seat]), discounts(g, seat)
    cells, ways = CELL_COUNT[frame], 0
    for slot in range(ROW_SIZE):
        token = g.row[place, slot]
        # Two bits by slot: face-up where it can be paid, and face-down.
        paid = int(price(token, discount) <= gold)
        ways |= int(token != 0) * (2 + paid) << 2 * slot
    drawn = scaled(bits, keys + WAYS[ways] * cells)
    if drawn < keys:
        return KEY_REFRESH if drawn == 1 or not may_move else KEY_MOVE
    drawn -= keys
    nth = drawn // cells
    way, cell = int(NTH_WAY[ways, nth]), int(CELL_LIST[frame, drawn - nth * cells])
    return FIRST_RECRUIT + 16 * way + cell


@kernel
def nth_card(g: Any, place: int, bits: Any) -> int:
    """A uniform slot among those of a row that hold a card."""
    cards = 0
    for slot in range(ROW_SIZE):
        cards += g.row[place, slot] != 0
    left = scaled(bits, cards)
    for slot in range(ROW_SIZE):
        if g.row[place, slot]:
            if left == 0:
                return slot
            left -= 1
    return -1


@kernel
def discard_place(g: Any) -> int:
    """The place whose row the card just placed discards from."""
    return LINE_PLACE[g.tableau[g.seat, g.pending], discard_line(g)]


@kernel
def discard_line(g: Any) -> int:
    """The line of the card just placed that discards."""
    return 0 if LINE_KIND[g.tableau[g.seat, g.pending], 0] == DISCARD_FROM_ROW else 1


# Playing ---------------------------------------------------------------------------------------


@kernel
def apply(g: Any, action: int) -> None:
    """Play one legal action and everything forced by it, up to the next decision."""
    seat = int(g.seat)
    if action >= FIRST_DISCARD:
        discard(g, seat, action - FIRST_DISCARD)
        end_turn(g)
    elif action >= FIRST_OPTION:
        choose(g, seat, action - FIRST_OPTION)
        end_turn(g)
    elif action >= FIRST_RECRUIT:
        if recruit(g, seat, action - FIRST_RECRUIT):
            end_turn(g)
    else:
        g.keys[seat] -= 1
        g.phase = RECRUIT
        if action == KEY_MOVE:
            g.messenger = 1 - g.messenger
        else:
            refresh(g, int(g.messenger))


@kernel
def refresh(g: Any, place: int) -> None:
    """Discard a row, then draw three (rulebook p.6)."""
    for slot in range(ROW_SIZE):
        to_pile(g, place, slot)
    fill_row(g, place)


@kernel
def recruit(g: Any, seat: int, choice: int) -> bool:
    """Take and place a card; True if the turn ends without a further decision."""
    slot, way, cell = choice // 32, choice // 16 % 2, choice % 16
    place = int(g.messenger)
    token = int(g.row[place, slot])
    g.row[place, slot] = 0
    if way == 1:
        g.gold[seat] += FACE_DOWN_GOLD
        g.keys[seat] += FACE_DOWN_KEYS
        put(g, seat, token + FACE_DOWN, cell)
        return True
    g.gold[seat] -= price(token, discounts(g, seat))
    put(g, seat, token, cell)
    return perform(g, seat, token)


@kernel
def put(g: Any, seat: int, token: int, cell: int) -> None:
    """Place a card on a cell of the 4 x 4 grid, moving the frame where it grows up or left."""
    row, column = cell // 4 - 1, cell % 4 - 1
    tableau, purse = g.tableau[seat], g.purse[seat]
    if row < 0:
        row = 0
        for i in range(CELLS - 1, 2, -1):
            tableau[i], purse[i] = tableau[i - 3], purse[i - 3]
        for i in range(3):
            tableau[i], purse[i] = 0, 0
        g.occupied[seat] = g.occupied[seat] << 3
    if column < 0:
        column = 0
        for i in range(0, CELLS, 3):
            tableau[i + 2], purse[i + 2] = tableau[i + 1], purse[i + 1]
            tableau[i + 1], purse[i + 1] = tableau[i], purse[i]
            tableau[i], purse[i] = 0, 0
        g.occupied[seat] = g.occupied[seat] << 1
    here = 3 * row + column
    tableau[here] = token
    g.occupied[seat] |= 1 << here
    g.pending = here


@kernel
def perform(g: Any, seat: int, token: int) -> bool:
    """The printed lines of a card just placed; False where they leave a decision."""
    done = True
    for line in range(2):
        kind = LINE_KIND[token, line]
        if kind == GAIN:
            gain(
                g,
                seat,
                L_AMOUNT[token, line],
                L_RESOURCE[token, line],
                L_TO[token, line],
                counted(
                    g,
                    seat,
                    L_COUNTER[token, line],
                    L_SCOPE[token, line],
                    L_ARGUMENT[token, line],
                ),
            )
        elif kind == EACH_PURSE:
            gold_on_each_purse(g, seat, L_AMOUNT[token, line])
        elif kind == FILL_PURSES:
            fill_purses(g, seat, L_AMOUNT[token, line])
        elif kind == CHOOSE_ONE:
            g.phase = OPTION
            done = False
        elif kind == DISCARD_FROM_ROW:
            done = open_discard(g, seat, LINE_PLACE[token, line]) and done
    return done


@kernel
def open_discard(g: Any, seat: int, place: int) -> bool:
    """Start a discard from a row; True where there is nothing to choose."""
    cards, only = 0, 0
    for slot in range(ROW_SIZE):
        if g.row[place, slot]:
            cards += 1
            only = slot
    if cards == 1:
        discard(g, seat, only)
    elif cards > 1:
        g.phase = DISCARD
    return cards < 2


@kernel
def counted(g: Any, seat: int, counter: int, scope: int, argument: int) -> int:
    """A counter of an ability, the card just placed included."""
    whole, traits = tableau_tally(g, seat), tableau_traits(g, seat)
    return count(g, seat, int(g.pending), counter, scope, argument, whole, traits)


@kernel
def gain(g: Any, seat: int, amount: int, resource: int, to: int, times: int) -> None:
    """Gold or keys from the supply for the player, the opponents or everyone."""
    stock = g.gold if resource == GOLD else g.keys
    for other in range(g.num_players):
        own = other == seat
        if to == EVERYONE or own != (to == OPPONENTS):
            stock[other] += amount * times


@kernel
def gold_on_each_purse(g: Any, seat: int, amount: int) -> None:
    """Gold from the supply on every own purse, as far as there is room."""
    for cell in range(CELLS):
        room = CAPACITY[g.tableau[seat, cell]] - g.purse[seat, cell]
        g.purse[seat, cell] += min(amount, room)


@kernel
def fill_purses(g: Any, seat: int, purses: int) -> None:
    """Fill the purses with most room, so many of them (ruling: never worse)."""
    for _ in range(purses):
        best, most = 0, 0
        for cell in range(CELLS):
            room = CAPACITY[g.tableau[seat, cell]] - g.purse[seat, cell]
            if room > most:
                best, most = cell, room
        g.purse[seat, best] += most


@kernel
def choose(g: Any, seat: int, option: int) -> None:
    """One of the two effects of the card just placed."""
    token = g.tableau[seat, g.pending]
    amount = O_AMOUNT[token, option]
    if OPTION_KIND[token, option] == EACH_PURSE:
        gold_on_each_purse(g, seat, amount)
    else:
        times = counted(
            g, seat, O_COUNTER[token, option], O_SCOPE[token, option], O_ARGUMENT[token, option]
        )
        gain(g, seat, amount, O_RESOURCE[token, option], O_TO[token, option], times)


@kernel
def discard(g: Any, seat: int, slot: int) -> None:
    """Discard a card of the other row and gain its printed cost."""
    place = discard_place(g)
    add_cost(g, seat, int(g.row[place, slot]))
    to_pile(g, place, slot)


@kernel
def add_cost(g: Any, seat: int, token: int) -> None:
    """Gain the printed cost of a discarded card, in the resource of the card just placed."""
    if LINE_RESOURCE[g.tableau[seat, g.pending], discard_line(g)] == GOLD:
        g.gold[seat] += COST[token]
    else:
        g.keys[seat] += COST[token]


# Rows, decks and turns -------------------------------------------------------------------------


@kernel
def to_pile(g: Any, place: int, slot: int) -> None:
    """Move the card of a slot, if any, to the discard pile of its place."""
    if g.row[place, slot]:
        g.discarded[g.row[place, slot] - 1] = 1
        g.row[place, slot] = 0


@kernel
def fill_row(g: Any, place: int) -> None:
    """Complete a row to three cards; a place that cannot leaves the game (rulebook p.9)."""
    short = False
    for slot in range(ROW_SIZE):
        if g.row[place, slot] == 0:
            if g.deck_size[place] == 0:
                reshuffle(g, place)
            if g.deck_size[place] > 0:
                g.deck_size[place] -= 1
                top = g.deck_size[place]
                g.row[place, slot] = g.deck[place, top]
                g.deck[place, top] = 0
            else:
                short = True
    if short:
        exhaust(g, place)


@kernel
def reshuffle(g: Any, place: int) -> None:
    """The discard pile becomes the deck."""
    size = 0
    for i in range(NUM_CARDS):
        if g.discarded[i] and PLACE[i + 1] == place:
            g.discarded[i] = 0
            g.deck[place, size] = i + 1
            size += 1
    g.deck_size[place] = size
    shuffle(g, g.deck[place], size)


@kernel
def exhaust(g: Any, place: int) -> None:
    """The rest of a place leaves the game; the Messenger stays at the other for good."""
    for slot in range(ROW_SIZE):
        g.row[place, slot] = 0
    g.exhausted[place] = 1
    g.messenger = 1 - place


@kernel
def end_turn(g: Any) -> None:
    """Messenger, refill, next player (rulebook p.9, p.10)."""
    seat = int(g.seat)
    target = int(MESSENGER[g.tableau[seat, g.pending]])
    if target >= 0 and g.exhausted[target] == 0:
        g.messenger = target
    for place in range(2):
        if g.exhausted[place] == 0:
            fill_row(g, place)
    g.phase, g.pending = TURN, 0
    pass_turn(g)


@kernel
def pass_turn(g: Any) -> None:
    """To the next seat with room in its tableau; the game is over where there is none.

    In a real game the next seat always has room until all are full. Hand-made positions may
    skip seats, or lose both places.
    """
    n, seat = int(g.num_players), int(g.seat)
    if g.exhausted[0] == 0 or g.exhausted[1] == 0:
        for step in range(1, n + 1):
            other = seat_after(seat, step, n)
            if g.occupied[other] != FULL:
                g.seat = other
                return
    g.over = 1
