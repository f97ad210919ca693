"""Reading states from dicts; everything is checked, every error names its key."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from castle_envs.engine.checks import (
    choice,
    entries,
    flag,
    mapping,
    sequence,
    stream_from_text,
    whole,
)
from castle_envs.engine.errors import OptionError, StateError

from . import cards as c
from .legality import fill_sub_mask
from .options import CastleUpOptions
from .rules import settle
from .schema import ROLES, SIDES
from .serial import BATTLE, COUNTERS, MOST, NUMBERS, box, card_id, counts, ids
from .state import (
    CASTLE_MODES,
    CITY,
    COMMIT,
    COMPENSATE,
    CREDIT,
    DEFENSE,
    DISCOUNT,
    EXHAUSTED,
    GAIN,
    GIVEN_CASTLES,
    GIVEN_REMOVAL,
    MAIN,
    MAX_PLAYERS,
    MIN_PLAYERS,
    PAY,
    PAY_CARD,
    PAYMENTS,
    PHASES,
    PICK,
    PICK_PROMOTE,
    PICKS,
    PILE,
    RANDOM_REMOVAL,
    REFURBISH,
    ROW,
    SPECIAL,
    STATE,
    STATUSES,
    WILD,
)
from .table import onto_deck, to_pile, top_of_deck, top_of_pile
from .turns import clear_game
from .usable import action_at


def from_dict(values: Mapping[str, Any], check: str) -> tuple[np.ndarray, CastleUpOptions]:
    """A state from `to_dict`, or from a position written by hand.

    Args:
        values: the dict.
        check: "full" wants every key and every card and token of the box exactly once.
            "position" admits fragments: cards more often than they exist, short decks, any
            supply; missing keys take their values at the start of a game.

    Raises:
        StateError: names the key and what is wrong with it.
    """
    full = check == "full"
    options = read_options(values)
    n = options.num_players
    states = np.zeros(1, STATE)
    g = states[0]
    clear_game(g, n)
    g.free_target, g.expansion = options.free_target, options.expansion
    read_table(g, values, full)
    seats = sequence(values, "seats")
    if len(seats) != n:
        raise StateError(f"'seats' must have {n} entries, got {len(seats)}")
    for seat, found in enumerate(seats):
        if not isinstance(found, Mapping):
            raise StateError(f"seats[{seat}] must be a dict, got {found!r}")
        read_seat(g, seat, found)
    if (cards := int(counts(g)[1 : c.FIRST_CASTLE].sum())) > PILE:
        raise StateError(f"at most {PILE} buildings have room in a state, got {cards}")
    read_supply(g, values, full)
    read_setup(g, values, options, full)
    read_decision(g, values, full)
    if full:
        check_complete(g, values)
    fill_sub_mask(g, g.mask)
    if not g.over and g.phase != MAIN and not g.mask.any():
        raise StateError(f"nothing is legal in the state {PHASES[g.phase]} of this position")
    if g.phase != MAIN and g.mask.sum() == 1:
        if full:
            raise StateError("'state' is one without a choice: forced moves are played at once")
        settle(g)
    return states, options


def read_options(values: Mapping[str, Any]) -> CastleUpOptions:
    """The options; those of a position may disagree with its `sides`, which then count."""
    found = dict(mapping(values, "options"))
    players = whole(found, "players", MIN_PLAYERS, MAX_PLAYERS, "options.")
    del found["players"]
    sides = mapping(values, "sides", {})
    found["reverse"] = [role for role in ROLES if sides.get(role, side_in(found, role)) == SIDES[1]]
    try:
        return CastleUpOptions.from_keywords(num_players=players, **found)
    except OptionError as problem:
        raise StateError(f"'options': {problem}") from problem


def side_in(options: Mapping[str, Any], role: str) -> str:
    """The side of a role's card by the options alone."""
    return SIDES[role in options.get("reverse", ())]


def read_kind(name: Any, where: str, castles: bool = False) -> int:
    """The kind of a card id."""
    kind = c.KIND_OF.get(name, 0) if isinstance(name, str) else 0
    if kind == 0 or (kind >= c.FIRST_CASTLE and not castles):
        raise StateError(f"{where}: unknown card {name!r}")
    return kind


def read_table(g: Any, values: Mapping[str, Any], full: bool) -> None:
    """Round, turns, row, deck, discard pile."""
    n = int(g.num_players)

    def number(key: str, low: int, high: int, start: int) -> int:
        return whole(values, key, low, high, "", None if full else start)

    g.round_number, g.era = number("round", 1, MOST, 1), number("era", 1, 3, 1)
    g.active, g.initiative = number("active", 0, n - 1, 0), number("initiative", 0, n - 1, 0)
    g.purchases, g.battles = number("purchases", 0, MOST, 1), number("battles", 0, MOST, 1)
    g.direction = number("direction", -1, 1, 1)
    if g.direction == 0:
        raise StateError("'direction' must be 1 (clockwise) or -1")
    if full and "next_initiative" not in values:
        raise StateError("'next_initiative' is missing")
    buyer = values.get("next_initiative")
    g.next_initiative = -1 if buyer is None else whole(values, "next_initiative", 0, n - 1)
    read_turn_order(g, values, full)
    sides = mapping(values, "sides", None if full else {})
    for role, name in enumerate(ROLES):
        side = sides.get(name, None if full else side_in(mapping(values, "options"), name))
        if side not in SIDES:
            raise StateError(f"'sides': {name} must be one of {', '.join(SIDES)}, got {side!r}")
        g.sides[role] = SIDES.index(side)
    row = sequence(values, "row", "", None if full else [])
    if len(row) > (3 if n == 2 else ROW):
        raise StateError(f"'row' has {3 if n == 2 else ROW} slots, got {len(row)}")
    for slot, name in enumerate(row):
        g.row[slot] = 0 if name is None else read_kind(name, f"row[{slot}]")
    for key, put_card in (("deck", onto_deck), ("discard", to_pile)):
        cards = sequence(values, key, "", None if full else [])
        if len(cards) > c.BOX_SIZE:
            raise StateError(f"{key!r} can hold {c.BOX_SIZE} cards, got {len(cards)}")
        for i, name in enumerate(reversed(cards)):
            put_card(g, read_kind(name, f"{key}[{len(cards) - 1 - i}]"))


def read_turn_order(g: Any, values: Mapping[str, Any], full: bool) -> None:
    """The seats of this round in order: clockwise from the one that began."""
    n = int(g.num_players)
    first = int(g.initiative)
    order = sequence(
        values, "turn_order", "", None if full else [(first + i) % n for i in range(n)]
    )
    if not order or order[0] not in range(n) or list(order) != [
        (order[0] + i) % n for i in range(n)
    ]:  # fmt: skip
        raise StateError(f"'turn_order' must be the seats clockwise, got {list(order)!r}")
    g.first = order[0]


def read_seat(g: Any, seat: int, values: Mapping[str, Any]) -> None:
    """Tokens, city and held action cards."""
    where = f"seats[{seat}]."
    tokens = sequence(values, "tokens", where)
    if len(tokens) != 4:
        raise StateError(f"{where}'tokens' must be four numbers, M S F G, got {list(tokens)!r}")
    for kind in range(4):
        g.tokens[seat, kind] = whole(dict(enumerate(tokens)), kind, 0, MOST, where)  # type: ignore[arg-type]
    city = sequence(values, "city", where)
    if len(city) > CITY:
        raise StateError(f"{where}'city' has {CITY} slots, got {len(city)}")
    for slot, entry in enumerate(city):
        if entry is not None:
            read_building(g, seat, slot, entry, f"{where}city[{slot}]")
    held = mapping(values, "held", {})
    for name, card in held.items():
        if name not in ROLES or not isinstance(card, Mapping):
            raise StateError(f"{where}held: unknown action card {name!r}: {card!r}")
        role = ROLES.index(name)
        if g.holder[role] >= 0:
            raise StateError(f"{where}held: {name!r} is held by two seats")
        looted = card.get("looted", False)
        g.holder[role], g.held_ready[role] = seat, flag({"ready": True, **card}, "ready")
        g.looted[role] = whole({"looted": int(looted)}, "looted", 0, 60, where)


def read_building(g: Any, seat: int, slot: int, entry: Any, where: str) -> None:
    """A slot of a city: [card id, status] or [card id, status, "used"]."""
    shaped = isinstance(entry, list | tuple) and len(entry) in (2, 3)
    if not shaped or entry[1] not in STATUSES or list(entry[2:]) not in ([], ["used"]):
        raise StateError(f"{where} must be null or [card, status(, 'used')], got {entry!r}")
    kind, status = read_kind(entry[0], where, castles=True), STATUSES.index(entry[1])
    if kind >= c.FIRST_CASTLE and entry[1] == "damaged":
        raise StateError(f"{where}: a castle cannot be damaged")
    g.city[seat, slot], g.status[seat, slot] = kind, status
    g.used[seat, slot] = len(entry) == 3 or status == EXHAUSTED


def read_supply(g: Any, values: Mapping[str, Any], full: bool) -> None:
    """The supply; by default what the seats do not own."""
    rest = np.maximum(0, c.SUPPLY - g.tokens.sum(axis=0))
    supply = sequence(values, "supply", "", None if full else rest.tolist())
    if len(supply) != 4:
        raise StateError(f"'supply' must be four numbers, M S F G, got {list(supply)!r}")
    for kind in range(4):
        g.supply[kind] = whole(dict(enumerate(supply)), kind, 0, MOST, "supply ")  # type: ignore[arg-type]


def read_setup(g: Any, values: Mapping[str, Any], options: CastleUpOptions, full: bool) -> None:
    """How the game was dealt, the random stream, the counters."""
    n = int(g.num_players)
    if isinstance(options.castles, str):
        g.castle_mode = CASTLE_MODES.index(options.castles)
    else:
        g.castle_mode = GIVEN_CASTLES
    removal = options.removal
    g.removal_mode = removal * RANDOM_REMOVAL if isinstance(removal, bool) else GIVEN_REMOVAL
    castles = sequence(values, "castles", "", None if full else [])
    for seat, name in enumerate(castles[:n]):
        if name is None and not full:
            continue
        g.castles[seat] = read_kind(name, f"castles[{seat}]", castles=True)
        if g.castles[seat] < c.FIRST_CASTLE:
            raise StateError(f"castles[{seat}]: {name!r} is no castle")
    if full and len(castles) != n:
        raise StateError(f"'castles' must have {n} entries, got {len(castles)}")
    if full or "rng" in values:
        g.rng = stream_from_text(entries(values, "rng"), "rng")
    counters = mapping(values, "counters", None if full else {})
    for name, low, high in COUNTERS:
        g[name] = whole(counters, name, low, high, "counters.", None if full else 0)


def read_decision(g: Any, values: Mapping[str, Any], full: bool) -> None:
    """Whose decision it is, and what is under way."""
    n = int(g.num_players)
    state = choice(values, "state", (*PHASES, "OVER"), None if full else "MAIN")
    g.over = state == "OVER"
    current = values.get("current")
    if current is None and not full:
        current = int(g.active)
    g.seat = whole({"current": current}, "current", 0, n - 1)
    for entry in sequence(values, "named", "", None if full else []):
        seat, slot, suit = entry
        if suit not in c.SUIT_NAMES or not c.WILD[g.city[seat, slot]]:
            raise StateError(f"'named': {entry!r} names no suit of a wild card")
        g.named[seat, slot] = 1 + c.SUIT_NAMES.index(suit)
    if state in ("MAIN", "OVER"):
        g.phase = WILD if g.over else MAIN
        if not g.over and g.seat != g.active:
            raise StateError(f"'current' must be the active seat {g.active} in MAIN")
        return
    g.phase = PHASES.index(state)
    read_battle(g, mapping(values, "battle", {}))
    read_pending(g, mapping(values, "pending"))


def read_battle(g: Any, values: Mapping[str, Any]) -> None:
    """The battle being fought, if there is one."""
    for name, low, high in BATTLE:
        if values:
            g[name] = whole(values, name, low, high, "battle.")
    n = int(g.num_players)
    seat, slot = int(g.target_seat), int(g.target_slot)
    if seat >= n or (seat >= 0) != (slot >= 0):
        raise StateError(f"battle: no target at seat {seat}, slot {slot}")
    fighting = g.phase in (COMMIT, DEFENSE)
    if fighting and seat < 0 and not g.looting:
        raise StateError(f"battle: {PHASES[g.phase]} needs a target")
    if g.phase == DEFENSE and (seat != g.seat or not 0 < g.city[seat, slot] < c.FIRST_CASTLE):
        raise StateError("battle: the target must be a building of the defender")


def read_pending(g: Any, values: Mapping[str, Any]) -> None:
    """The action, purchase or payment under way."""
    where = "pending."
    g.mode = PHASES.index(choice(values, "mode", [PHASES[p] for p in (MAIN, COMMIT, DEFENSE)]))
    g.pick = PICKS.index(choice(values, "pick", PICKS))
    g.paying = PAYMENTS.index(choice(values, "paying", PAYMENTS))
    for name, low, high in NUMBERS:
        g[name] = whole(values, name, low, high, where)
    for key in ("need", "printed"):
        costs = sequence(values, key, where)
        if len(costs) != 5:
            raise StateError(f"{where}{key!r} must be five numbers, got {list(costs)!r}")
        for kind in range(5):
            g[key][kind] = whole({key: costs[kind]}, key, 0, MOST, where)
    if values.get("buying") is not None:
        g.buying = read_kind(values["buying"], "pending.buying")
    performing = values.get("performing")
    if performing is not None:
        if len(performing) != 2 or performing[1] not in range(3):
            raise StateError(f"{where}'performing' must be [place, action], got {performing!r}")
        g.action = action_at(g, int(g.seat), int(g.source), performing[1])
        if performing[0] != g.source or g.action == 0:
            raise StateError(f"{where}'performing': there is no action {performing!r}")
    first, last = effects_under_way(g)
    left = whole(values, "effects_left", 0, last - first, where)
    g.effect, g.last_effect = last - left, last
    check_pending(g)


def effects_under_way(g: Any) -> tuple[int, int]:
    """The range of effects being performed: of an action, an action card bought, or a loot."""
    if g.action:
        return int(c.FIRST_EFFECT[g.action]), int(c.LAST_EFFECT[g.action])
    if g.paying == PAY_CARD:
        if g.holder[g.role] != g.active:
            return 0, 0
        first, last = c.ROLE_EFFECTS[g.role, g.sides[g.role], g.era - 1]
        return int(first), int(last)
    if g.phase in (GAIN, PICK) and g.pick != PICK_PROMOTE:
        first, last = c.LOOT_EFFECTS[g.sides[ROLES.index("military")]]
        return int(first), int(last)
    return 0, 0


def check_pending(g: Any) -> None:
    """What a decision needs to be one."""
    phase, seat = PHASES[g.phase], int(g.seat)
    needs = {
        GAIN: g.gain_left > 0,
        PICK: g.pick > 0 and g.pick_left > 0,
        PAY: g.paying > 0 and g.need.any(),
        REFURBISH: g.buying > 0 and g.buy_from >= 0,
        CREDIT: g.buying > 0 and g.need.any(),
        DISCOUNT: g.buying > 0 and g.discount > 0,
        SPECIAL: g.buy_from in (c.FROM_DECK, c.FROM_DISCARD) and g.purchases > 0,
        COMPENSATE: g.credit_left > 0 and g.printed.any(),
        WILD: c.WILD[g.city[seat, g.source]] and not g.named[seat, g.source],
    }
    if not needs.get(int(g.phase), True):
        raise StateError(f"'pending' does not hold what {phase} needs")
    if g.buying and int(g.buying) != place_bought_from(g):
        raise StateError("'pending': 'buying' is not the card at 'buy_from'")
    for slot in range(CITY):
        given = g.taken >> slot & 1
        if given and (g.city[seat, slot] == 0 or g.status[seat, slot] == EXHAUSTED):
            raise StateError(f"'pending': slot {slot} cannot be among those 'taken'")


def place_bought_from(g: Any) -> int:
    """The card at the place a purchase takes its card from; 0 for none."""
    if g.buy_from == c.FROM_DECK:
        return top_of_deck(g)
    if g.buy_from == c.FROM_DISCARD:
        return top_of_pile(g)
    return int(g.row[g.buy_from]) if g.buy_from >= 0 else 0


def check_complete(g: Any, values: Mapping[str, Any]) -> None:
    """What only a state of a real game fulfils: every card and token of the box exactly once."""
    owned = g.supply.astype(int) + g.tokens.sum(axis=0)
    for kind, name in enumerate(c.KINDS_OF_TOKENS):
        if owned[kind] != c.SUPPLY[kind]:
            raise StateError(
                f"'supply': the box has {c.SUPPLY[kind]} {name}, this state {owned[kind]}"
            )
    found, box_counts = counts(g), box(g)
    removed = sequence(values, "removed")
    for i, name in enumerate(removed):
        found[read_kind(name, f"removed[{i}]")] += 1
    for kind in range(1, c.FIRST_CASTLE):
        if found[kind] != box_counts[kind]:
            raise StateError(
                f"card {card_id(kind)!r} exists {box_counts[kind]} times, this state has "
                f"{found[kind]} ('removed' included)"
            )
    for seat in range(g.num_players):
        castles = [int(kind) for kind in g.city[seat] if kind >= c.FIRST_CASTLE]
        if castles not in ([], [int(g.castles[seat])]):
            raise StateError(f"seats[{seat}].city: a castle that was not dealt: {ids(castles)}")
    rows = g.row[g.row > 0]
    if rows.size and c.ERA[rows].max() > g.era:
        raise StateError(f"'era' {g.era} is below that of a card in the row")
