"""States as JSON-ready dicts, and deals given by hand; everything read is checked."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from castle_envs.engine.checks import (
    choice,
    entries,
    flag,
    is_whole,
    mapping,
    sequence,
    stream_from_text,
    stream_to_text,
    whole,
)
from castle_envs.engine.errors import OptionError, StateError
from castle_envs.games.chateau_combo.cards import (
    CAPACITY,
    CARD_IDS,
    CARDS,
    CHOOSE_ONE,
    DECK_CAPACITY,
    DISCARD_FROM_ROW,
    FACE_DOWN,
    LINES,
    NUM_CARDS,
    PLACE,
    PLACES,
    PRINTED,
    TOKEN_OF,
    TOKENS_OF_PLACE,
)
from castle_envs.games.chateau_combo.options import ChateauComboOptions, pack
from castle_envs.games.chateau_combo.rules import fill_row, new
from castle_envs.games.chateau_combo.state import (
    CELLS,
    DISCARD,
    FULL,
    MAX_PLAYERS,
    MIN_PLAYERS,
    OPTION,
    PHASES,
    RECRUIT,
    ROW_SIZE,
    STATE,
    TURN,
)

DEAL_KEYS = ("decks", "first_player")
MOST = 30_000  # gold and keys a record can hold with room to gain


def card_id(token: int) -> str | None:
    """The id of a token's card, face-down or not; None for no card."""
    return CARD_IDS[PRINTED[token] - 1] if token else None


def token_of(name: Any, where: str, error: type[Exception] = StateError) -> int:
    """The token of a card id, with an error that says where an unknown one stands."""
    if not isinstance(name, str) or name not in TOKEN_OF:
        raise error(f"{where}: unknown card {name!r}")
    return TOKEN_OF[name]


# Deals -----------------------------------------------------------------------------------------


def deal(
    states: np.ndarray, options: ChateauComboOptions, seed: int, values: Mapping[str, Any]
) -> None:
    """Deal a game with given decks and first player.

    Args:
        values: `{"decks": {"castle": [ids, top first], "village": [...]}, "first_player": k}`,
            each key optional; the first three of a deck become its row.

    Raises:
        OptionError: a deck that is not exactly the cards of its place, or no such player.
    """
    new(states[0], pack(options)[0], np.uint64(seed))
    g = states[0]
    decks = values.get("decks")
    if decks is not None:
        if not isinstance(decks, Mapping) or set(decks) - set(PLACES):
            raise OptionError(f"decks must be a dict with the keys {PLACES}, got {decks!r}")
        for place, name in enumerate(PLACES):
            if name in decks:
                set_deck(g, place, given_deck(decks[name], place))
    first = values.get("first_player")
    if first is not None:
        if not is_whole(first):
            raise OptionError(f"first_player must be a whole number, got {first!r}")
        if not 0 <= first < options.num_players:
            raise OptionError(f"first_player must be 0 to {options.num_players - 1}, got {first}")
        g.seat = first


def given_deck(ids: Any, place: int) -> list[int]:
    """The tokens of a whole deck, top first; raises OptionError if it is not that place's deck."""
    name = PLACES[place]
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise OptionError(f"the {name} deck must be a list of card ids, got {ids!r}")
    tokens = [token_of(card, f"{name} deck", OptionError) for card in ids]
    if doubled := {card_id(t) for t in tokens if tokens.count(t) > 1}:
        raise OptionError(f"the {name} deck holds {sorted(map(str, doubled))[0]!r} twice")
    if strangers := [card_id(t) for t in tokens if PLACE[t] != place]:
        raise OptionError(f"{strangers[0]!r} is no {name} card")
    if missing := set(TOKENS_OF_PLACE[place].tolist()) - set(tokens):
        raise OptionError(f"the {name} deck lacks {card_id(min(missing))!r}")
    return tokens


def set_deck(g: Any, place: int, tokens: list[int]) -> None:
    """Put a deck (top first) in place and reveal its first three cards."""
    g.deck[place] = 0
    g.deck[place, : len(tokens)] = tokens[::-1]
    g.deck_size[place] = len(tokens)
    g.row[place] = 0
    fill_row(g, place)


# To a dict -------------------------------------------------------------------------------------


def to_dict(states: np.ndarray) -> dict[str, Any]:
    """A state as plain lists, numbers and card ids."""
    g = states[0]
    rows, decks, discards = {}, {}, {}
    for place, name in enumerate(PLACES):
        rows[name] = [] if g.exhausted[place] else [card_id(t) for t in g.row[place]]
        deck = g.deck[place, : g.deck_size[place]]
        decks[name] = [card_id(t) for t in deck[::-1]]
        discards[name] = [card_id(t) for t in TOKENS_OF_PLACE[place] if g.discarded[t - 1]]
    return {
        "rows": rows,
        "decks": decks,
        "discards": discards,
        "messenger": PLACES[g.messenger],
        "players": [player_to_dict(g, seat) for seat in range(g.num_players)],
        "current_player": int(g.seat),
        "phase": PHASES[g.phase],
        "pending": int(g.pending) if g.phase in (OPTION, DISCARD) else None,
        "over": bool(g.over),
        "rng": stream_to_text(g.rng),
    }


def player_to_dict(g: Any, seat: int) -> dict[str, Any]:
    """Gold, keys and tableau of one seat."""
    tableau = [
        {
            "card": card_id(g.tableau[seat, cell]),
            "row": cell // 3,
            "column": cell % 3,
            "face_down": bool(g.tableau[seat, cell] > FACE_DOWN),
            "gold": int(g.purse[seat, cell]),
        }
        for cell in range(CELLS)
        if g.tableau[seat, cell]
    ]
    return {"gold": int(g.gold[seat]), "keys": int(g.keys[seat]), "tableau": tableau}


# From a dict -----------------------------------------------------------------------------------


def from_dict(values: Mapping[str, Any], check: str) -> tuple[np.ndarray, ChateauComboOptions]:
    """A state from `to_dict`'s form; "position" admits fragments.

    In a fragment only `rows`, `messenger` and `players` are needed. Decks left out hold the cards
    that lie nowhere else, in file order; coordinates may be relative to any origin; seats whose
    tableaus are full are passed over.

    Raises:
        StateError: what is missing or wrong, and where.
    """
    full = check == "full"
    players = sequence(values, "players")
    if not MIN_PLAYERS <= len(players) <= MAX_PLAYERS:
        raise StateError(f"'players' must list {MIN_PLAYERS} to {MAX_PLAYERS}, got {len(players)}")
    buffer = np.zeros(STATE.itemsize, np.uint8)
    states = buffer.view(STATE)
    g = states[0]
    g.num_players = len(players)
    g.rng = (
        stream_from_text(values.get("rng", "0x0"), "rng")
        if not full
        else stream_from_text(entries(values, "rng"), "rng")
    )
    g.messenger = PLACES.index(choice(values, "messenger", PLACES))
    read_rows(g, mapping(values, "rows"))
    for seat, player in enumerate(players):
        read_player(g, seat, player)
    read_piles(g, values, full)
    read_turn(g, values, len(players), full)
    if full:
        check_complete(g)
    return states, ChateauComboOptions(num_players=len(players))


def read_rows(g: Any, rows: Mapping[str, Any]) -> None:
    """The rows: up to three cards or None each, [] for an exhausted place."""
    for place, name in enumerate(PLACES):
        cards = sequence(rows, name, "rows.")
        if len(cards) > ROW_SIZE:
            raise StateError(f"rows.{name} holds more than {ROW_SIZE} cards")
        g.exhausted[place] = not cards
        for slot, card in enumerate(cards):
            if card is not None:
                g.row[place, slot] = token_at(card, place, f"rows.{name}")
    if g.exhausted[g.messenger] and not g.exhausted.all():
        raise StateError(f"the Messenger stands at the exhausted {PLACES[g.messenger]}")


def token_at(card: Any, place: int, where: str) -> int:
    """The token of a card that must belong to `place`."""
    token = token_of(card, where)
    if PLACE[token] != place:
        raise StateError(f"{where}: {card!r} is no {PLACES[place]} card")
    return token


def read_player(g: Any, seat: int, player: Any) -> None:
    """Gold, keys and tableau of one seat, the tableau shifted to its frame."""
    where = f"players[{seat}]"
    if not isinstance(player, Mapping):
        raise StateError(f"{where} must be a dict, got {player!r}")
    g.gold[seat] = whole(player, "gold", 0, MOST, f"{where}.")
    g.keys[seat] = whole(player, "keys", 0, MOST, f"{where}.")
    tableau = sequence(player, "tableau", f"{where}.")
    places = []
    for card in tableau:
        if not isinstance(card, Mapping):
            raise StateError(f"{where}.tableau must list dicts, got {card!r}")
        row = whole(card, "row", -99, 99, f"{where}.tableau: ")
        places.append((row, whole(card, "column", -99, 99, f"{where}.tableau: ")))
    top = min((row for row, _ in places), default=0)
    left = min((column for _, column in places), default=0)
    for card, (row, column) in zip(tableau, places, strict=True):
        if row - top > 2 or column - left > 2:
            raise StateError(f"{where}.tableau is larger than 3 x 3")
        cell = 3 * (row - top) + column - left
        if g.tableau[seat, cell]:
            raise StateError(f"{where}.tableau has two cards at row {row}, column {column}")
        token = token_of(entries(card, "card", f"{where}.tableau: "), f"{where}.tableau")
        token += FACE_DOWN * flag(card, "face_down")
        g.tableau[seat, cell] = token
        g.purse[seat, cell] = whole(
            card, "gold", 0, int(CAPACITY[token]), f"{where}.tableau, {card['card']}: ", 0
        )
        g.occupied[seat] |= 1 << cell


def read_piles(g: Any, values: Mapping[str, Any], full: bool) -> None:
    """Decks (top first) and discard piles; a deck left out takes the cards not seen elsewhere."""
    discards = mapping(values, "discards", {} if not full else None)
    decks = mapping(values, "decks", {} if not full else None)
    for place, name in enumerate(PLACES):
        pile = sequence(discards, name, "discards.", [] if not full else None)
        for card in pile:
            token = token_at(card, place, f"discards.{name}")
            if g.discarded[token - 1]:
                raise StateError(f"discards.{name} holds {card!r} twice")
            g.discarded[token - 1] = 1
    lying = [*g.tableau.ravel(), *g.row.ravel(), *piled(g)]
    seen = {int(PRINTED[t]) for t in lying}
    for place, name in enumerate(PLACES):
        left = [int(t) for t in TOKENS_OF_PLACE[place] if t not in seen]
        unseen = [card_id(t) for t in left if not g.exhausted[place]]
        deck = sequence(decks, name, "decks.", unseen if not full else None)
        tokens = [token_at(card, place, f"decks.{name}") for card in deck]
        if len(tokens) > DECK_CAPACITY:
            raise StateError(f"decks.{name} holds more than {DECK_CAPACITY} cards")
        g.deck[place, : len(tokens)] = tokens[::-1]
        g.deck_size[place] = len(tokens)


def piled(g: Any) -> np.ndarray:
    """The tokens on the discard piles."""
    return np.flatnonzero(g.discarded) + 1


def read_turn(g: Any, values: Mapping[str, Any], players: int, full: bool) -> None:
    """Seat to act, phase, pending cell and end."""
    default = None if full else 0
    g.seat = whole(values, "current_player", 0, players - 1, "", default)
    g.phase = PHASES.index(choice(values, "phase", PHASES, None if full else PHASES[TURN]))
    if g.phase in (OPTION, DISCARD):
        g.pending = whole(values, "pending", 0, CELLS - 1)
        lines = LINES.kind[g.tableau[g.seat, g.pending]]
        wanted = CHOOSE_ONE if g.phase == OPTION else DISCARD_FROM_ROW
        if wanted not in lines:
            raise StateError(f"'pending': the card there leads to no {PHASES[g.phase]}")
    stuck = bool(g.exhausted.all())
    open_seats = [
        seat for i in range(players) if g.occupied[seat := (g.seat + i) % players] != FULL
    ]
    over = g.phase not in (OPTION, DISCARD) and (stuck or not open_seats)
    if full and flag(values, "over") != over:
        raise StateError(f"'over' must be {over} in this state")
    g.over = over
    if not over and g.phase in (TURN, RECRUIT) and g.occupied[g.seat] == FULL:
        if full:
            raise StateError(f"'current_player' {g.seat} has nine cards already")
        g.seat = open_seats[0]
    row = g.row[LINES.place[g.tableau[g.seat, g.pending]].max()] if g.phase == DISCARD else None
    messengers = g.row[g.messenger]
    if not over and not (messengers.any() if row is None else row.any()):
        raise StateError("no card can be taken: the row to choose from is empty")


def check_complete(g: Any) -> None:
    """What only a state of a real game fulfils: every card once, rows full, turns in order."""
    piles = [g.tableau.ravel(), g.row.ravel(), piled(g), g.deck.ravel()]
    tokens = PRINTED[np.concatenate(piles)]
    held = np.bincount(tokens[tokens > 0], minlength=NUM_CARDS + 1)
    if (held > 1).any():
        raise StateError(f"card {card_id(int(held.argmax()))!r} exists once, this state holds two")
    gone = [int(t) for t in range(1, NUM_CARDS + 1) if not held[t]]
    for token in gone:
        if not g.exhausted[PLACE[token]]:
            raise StateError(f"card {card_id(token)!r} is missing")
    for place in range(2):
        if g.exhausted[place] and (g.deck_size[place] or (PLACE[piled(g)] == place).any()):
            raise StateError(f"the exhausted {PLACES[place]} still has cards")
        missing = ROW_SIZE - np.count_nonzero(g.row[place])
        between = g.phase in (OPTION, DISCARD) and place == g.messenger
        if not g.exhausted[place] and missing != int(between):
            raise StateError(f"rows.{PLACES[place]} must hold {ROW_SIZE - between} cards")
    if sum(int(PLACE[t]) == p for p in range(2) for t in gone if g.exhausted[p]) > 2 * ROW_SIZE:
        raise StateError("more cards are missing than an exhausted place can take along")
    check_turns(g)
    check_shapes(g)


def check_turns(g: Any) -> None:
    """Cards placed by seat: level but for those who have had this round's turn."""
    n = int(g.num_players)
    placed = [int(np.count_nonzero(g.tableau[(g.seat + i) % n])) for i in range(n)]
    if g.phase in (OPTION, DISCARD):
        placed[0] -= 1
    steps = np.diff(placed)
    if not g.over and ((steps < 0).any() or placed[-1] - placed[0] > 1):
        raise StateError(
            f"the tableaus do not fit the turn order: {placed} cards from seat {g.seat}"
        )


def check_shapes(g: Any) -> None:
    """Every card of a tableau touches the rest."""
    for seat in range(g.num_players):
        cells = {c for c in range(CELLS) if g.tableau[seat, c]}
        reached = {min(cells)} if cells else set()
        while True:
            near = {
                c for c in cells for d in reached if abs(c // 3 - d // 3) + abs(c % 3 - d % 3) == 1
            }
            if near <= reached:
                break
            reached |= near
        if reached != cells:
            raise StateError(f"players[{seat}].tableau has cards that touch no other")


assert all(card["place"] in PLACES for card in CARDS)
