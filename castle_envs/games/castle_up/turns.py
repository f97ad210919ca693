"""Setting up, dealing, turns, rounds and the end of the game (sections 2, 3 and 9)."""

from typing import Any

from castle_envs.engine.kernel import inlined, kernel
from castle_envs.engine.random import below, shuffle

from . import cards as c
from .state import (
    CITY,
    DAMAGED,
    EXHAUSTED,
    MAIN,
    MAX_PLAYERS,
    NUM_ACTIONS,
    PILE,
    RANDOM_CASTLES,
    RANDOM_REMOVAL,
    READY,
    ROLES_IN_PLAY,
    ROW,
    WILD,
    i64,
)
from .table import clear_action, clear_battle, draw, enter, onto_deck, to_pile


@kernel
def clear_game(g: Any, num_players: int) -> None:
    """An empty table."""
    g.num_players = num_players
    g.seat, g.over, g.phase, g.active, g.first = 0, 0, MAIN, 0, 0
    g.initiative, g.next_initiative, g.direction, g.era, g.round_number = 0, -1, 1, 1, 1
    g.purchases, g.battles, g.deck_size, g.discard_size = 0, 0, 0, 0
    g.free_target, g.expansion, g.castle_mode, g.removal_mode = 0, 0, 0, 0
    g.turn_decisions, g.window_decisions, g.stops = 0, 0, 0
    for i in range(c.BOX_SIZE):
        g.deck[i] = 0
    for i in range(PILE):
        g.discard[i] = 0
    for kind in range(c.NUM_BUILDINGS + 1):
        g.in_deck[kind], g.in_pile[kind] = 0, 0
    for i in range(4):
        g.row[i], g.supply[i] = 0, c.SUPPLY[i]
        g.holder[i], g.held_ready[i], g.looted[i], g.sides[i] = -1, 0, 0, 0
    for i in range(NUM_ACTIONS):
        g.mask[i] = 0
    for seat in range(MAX_PLAYERS):
        g.castles[seat] = 0
        for kind in range(4):
            g.tokens[seat, kind] = 0
        for slot in range(CITY):
            g.city[seat, slot], g.status[seat, slot] = 0, 0
            g.used[seat, slot], g.named[seat, slot] = 0, 0
    clear_action(g)
    clear_battle(g)


@inlined
def set_up(g: Any, o: Any) -> None:
    """Deck, castles, starting gold, first player and first round (section 2)."""
    n = i64(o.num_players)
    clear_game(g, n)
    g.free_target, g.expansion = o.free_target, o.expansion
    g.castle_mode, g.removal_mode = o.castle_mode, o.removal_mode
    for role in range(ROLES_IN_PLAY):
        g.sides[role] = o.sides[role]
    if o.deck_size > 0:
        for i in range(o.deck_size):
            onto_deck(g, i64(o.deck[i]))
    else:
        for era in range(3, 0, -1):
            stack_era(g, o, era)
    deal_castles(g, o)
    first = i64(o.first_player)
    if first < 0:
        first = below(g, n)
    for i in range(n):
        seat, gold = (first + i) % n, i64(c.START_GOLD[n, i])
        g.tokens[seat, c.G] = gold
        g.supply[c.G] -= gold
    g.initiative, g.first = first, first
    deal_row(g)
    start_turn(g, first)


@inlined
def stack_era(g: Any, o: Any, era: int) -> None:
    """The shuffled cards of an era onto the deck, without those taken out (section 2.1)."""
    start = i64(g.deck_size)
    add_cards(g, o, era, i64(0))
    if not o.removed_given:
        shuffle(g, g.deck[start:], i64(g.deck_size) - start)
        out = i64(c.TAKEN_OUT[o.expansion, 1 if o.removal_mode == RANDOM_REMOVAL else 0])
        for _ in range(out):
            draw(g)
    if o.expansion:
        add_cards(g, o, era, i64(1))
    shuffle(g, g.deck[start:], i64(g.deck_size) - start)


@kernel
def add_cards(g: Any, o: Any, era: int, expansion: int) -> None:
    """The buildings of an era and set onto the deck, without those listed as removed."""
    for kind in range(1, c.FIRST_CASTLE):
        if c.ERA[kind] == era and c.EXPANSION[kind] == expansion:
            for _ in range(c.COPIES[kind] - o.removed[kind]):
                onto_deck(g, i64(kind))


@inlined
def deal_castles(g: Any, o: Any) -> None:
    """One castle a player: the basic one, given ones, or asymmetric ones at random (R32)."""
    n = i64(g.num_players)
    number = 0
    random = o.castles[0] == 0 and o.castle_mode == RANDOM_CASTLES
    if random:
        # The discard pile is empty still: room to shuffle in.
        for kind in range(c.FIRST_CASTLE, c.NUM_KINDS):
            if kind != c.BASIC_CASTLE and (o.expansion or not c.EXPANSION[kind]):
                g.discard[number] = kind
                number += 1
        shuffle(g, g.discard, i64(number))
    for seat in range(n):
        if random:
            g.castles[seat] = g.discard[seat]
        else:
            g.castles[seat] = o.castles[seat] if o.castles[0] else c.BASIC_CASTLE
        enter(g, seat, i64(g.castles[seat]))
    for i in range(number):
        g.discard[i] = 0


@kernel
def deal_row(g: Any) -> None:
    """Four cards, with two players the fourth to the discard pile; the era follows the row."""
    places = 3 if g.num_players == 2 else ROW
    dealt = min(4, i64(g.deck_size))
    for i in range(min(dealt, places)):
        kind = draw(g)
        g.row[i] = kind
        g.era = max(i64(g.era), i64(c.ERA[kind]))
    if dealt > places:
        to_pile(g, draw(g))


@kernel
def start_turn(g: Any, seat: int) -> None:
    """Ready the exhausted, return held cards, one purchase and one battle (section 4)."""
    g.seat, g.active, g.phase = seat, seat, MAIN
    g.purchases, g.battles, g.turn_decisions = 1, 1, 0
    for slot in range(CITY):
        g.used[seat, slot] = 0
        if g.status[seat, slot] == EXHAUSTED:
            g.status[seat, slot] = READY
    for role in range(ROLES_IN_PLAY):
        if g.holder[role] == seat:
            g.holder[role], g.held_ready[role], g.looted[role] = -1, 0, 0


@kernel
def end_turn(g: Any) -> None:
    """To the next seat, or to the next round."""
    following = (i64(g.active) + 1) % i64(g.num_players)
    if following == g.first:
        end_round(g)
    else:
        start_turn(g, following)


@kernel
def end_round(g: Any) -> None:
    """Discard the row, move the initiative (R4), deal again or end the game (R5)."""
    for slot in range(ROW):
        to_pile(g, i64(g.row[slot]))
        g.row[slot] = 0
    if g.next_initiative >= 0:
        g.initiative, g.next_initiative = g.next_initiative, -1
    if g.deck_size == 0:
        g.purchases, g.battles = 0, 0
        g.phase = WILD
        next_wild(g)
        return
    g.round_number += 1
    deal_row(g)
    g.first = g.initiative
    start_turn(g, i64(g.initiative))


@kernel
def next_wild(g: Any) -> None:
    """To the next wild card to be named, by initiative and slot (R40); else the game is over."""
    n = i64(g.num_players)
    for i in range(n):
        seat = (i64(g.initiative) + i) % n
        for slot in range(CITY):
            wild = c.WILD[g.city[seat, slot]] and g.status[seat, slot] != DAMAGED
            if wild and g.named[seat, slot] == 0:
                g.seat, g.source = seat, slot
                return
    clear_action(g)
    g.over = 1


@kernel
def name_suit(g: Any, suit: int) -> None:
    """Name a suit for the wild card at hand."""
    g.named[g.seat, g.source] = suit + 1
    next_wild(g)
