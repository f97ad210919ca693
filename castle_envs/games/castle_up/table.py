"""Moving tokens and cards, and counting them: what the other rule files are written in."""

from typing import Any

from castle_envs.engine.kernel import kernel

from .cards import (
    BASE,
    COST,
    FIRST_CASTLE,
    GIVE_HIGH,
    GIVE_LOW,
    GOLD_COST,
    NEED_HIGH,
    NEED_LOW,
    ROOM,
    SUIT,
    X_SUIT,
    X_TIMES,
    F,
    G,
    M,
    S,
)
from .state import CITY, DAMAGED, EXHAUSTED, MAIN, READY, i64

# Tokens ----------------------------------------------------------------------------------------


@kernel
def gain(g: Any, seat: int, kind: int, number: int) -> None:
    """Tokens from the supply, as far as it has them."""
    taken = min(number, i64(g.supply[kind]))
    g.supply[kind] -= taken
    g.tokens[seat, kind] += taken


@kernel
def pay(g: Any, seat: int, kind: int, number: int) -> None:
    """Tokens back to the supply."""
    g.tokens[seat, kind] -= number
    g.supply[kind] += number


@kernel
def base_in_supply(g: Any) -> bool:
    """Whether the supply has a token of a base kind."""
    return g.supply[M] > 0 or g.supply[S] > 0 or g.supply[F] > 0


@kernel
def amount(g: Any, seat: int, effect: int, column: int) -> int:
    """An amount of an effect as it is now; an X counts undamaged cards of its suit."""
    times = X_TIMES[effect, column]
    base = int(BASE[effect, column])
    return base if times == 0 else base + times * count_suit(g, seat, X_SUIT[effect, column])


# Lanes: what can be paid (see cards.py) --------------------------------------------------------


@kernel
def covers(low: int, high: int, need_low: int, need_high: int) -> bool:
    """Whether what there is reaches what is needed in all eight lanes."""
    enough = ((low | ROOM) - need_low) & ((high | ROOM) - need_high)
    return enough & ROOM == ROOM


@kernel
def token_lanes(g: Any, seat: int) -> tuple[int, int]:
    """What the tokens of a seat give."""
    m, s, f, gold = (
        i64(g.tokens[seat, M]),
        i64(g.tokens[seat, S]),
        i64(g.tokens[seat, F]),
        i64(g.tokens[seat, G]),
    )
    low = m * GIVE_LOW[M] + s * GIVE_LOW[S] + f * GIVE_LOW[F] + gold * GIVE_LOW[GOLD_COST]
    high = m * GIVE_HIGH[M] + s * GIVE_HIGH[S] + f * GIVE_HIGH[F] + gold * GIVE_HIGH[GOLD_COST]
    return low, high


@kernel
def need_lanes(g: Any) -> tuple[int, int]:
    """What the outstanding cost needs."""
    low, high = 0, 0
    for kind in range(5):
        number = i64(g.need[kind])
        low += number * NEED_LOW[kind]
        high += number * NEED_HIGH[kind]
    return low, high


@kernel
def outstanding(g: Any) -> int:
    """The kind to be paid next, in the order M, S, F, any, gold; 5 when all is paid."""
    for kind in range(5):
        if g.need[kind] > 0:
            return kind
    return 5


@kernel
def base_outstanding(g: Any) -> bool:
    """Whether M, S or F are outstanding."""
    return g.need[M] > 0 or g.need[S] > 0 or g.need[F] > 0


# Cards -----------------------------------------------------------------------------------------


@kernel
def count_suit(g: Any, seat: int, suit: int) -> int:
    """Undamaged cards of a seat with this printed suit."""
    found = 0
    for slot in range(CITY):
        found += SUIT[g.city[seat, slot]] == suit and g.status[seat, slot] != DAMAGED
    return found


@kernel
def buildings(g: Any, seat: int) -> int:
    """Cards in a city."""
    found = 0
    for slot in range(CITY):
        found += g.city[seat, slot] != 0
    return found


@kernel
def to_pile(g: Any, kind: int) -> None:
    """A card on top of the discard pile; castles leave the game instead (R8)."""
    if 0 < kind < FIRST_CASTLE:
        g.discard[g.discard_size] = kind
        g.discard_size += 1
        g.in_pile[kind] += 1


@kernel
def from_pile(g: Any) -> None:
    """The top card leaves the discard pile."""
    g.discard_size -= 1
    g.in_pile[g.discard[g.discard_size]] -= 1
    g.discard[g.discard_size] = 0


@kernel
def onto_deck(g: Any, kind: int) -> None:
    """A card on top of the deck."""
    g.deck[g.deck_size] = kind
    g.deck_size += 1
    g.in_deck[kind] += 1


@kernel
def draw(g: Any) -> int:
    """Take the top card of the deck."""
    g.deck_size -= 1
    kind = i64(g.deck[g.deck_size])
    g.deck[g.deck_size] = 0
    g.in_deck[kind] -= 1
    return kind


@kernel
def top_of_deck(g: Any) -> int:
    """The top card of the deck, or 0."""
    return i64(g.deck[g.deck_size - 1]) if g.deck_size > 0 else 0


@kernel
def top_of_pile(g: Any) -> int:
    """The top card of the discard pile, or 0."""
    return i64(g.discard[g.discard_size - 1]) if g.discard_size > 0 else 0


@kernel
def leave(g: Any, seat: int, slot: int) -> None:
    """A building leaves the city."""
    g.city[seat, slot], g.status[seat, slot], g.used[seat, slot] = 0, 0, 0


@kernel
def enter(g: Any, seat: int, kind: int) -> None:
    """A building enters the lowest free slot, ready."""
    for slot in range(CITY):
        if g.city[seat, slot] == 0:
            g.city[seat, slot], g.status[seat, slot], g.used[seat, slot] = kind, READY, 0
            return


@kernel
def exhaust(g: Any, seat: int, slot: int) -> None:
    """A ready building becomes exhausted."""
    g.status[seat, slot], g.used[seat, slot] = EXHAUSTED, 1


@kernel
def repair(g: Any, seat: int, slot: int) -> None:
    """A damaged building becomes ready, or exhausted if it was used (R6)."""
    g.status[seat, slot] = EXHAUSTED if g.used[seat, slot] else READY


@kernel
def print_cost(g: Any, kind: int) -> None:
    """Lay out the printed tokens of a card of which half will be taken."""
    for i in range(5):
        g.printed[i] = COST[kind, i]


# Going on --------------------------------------------------------------------------------------


@kernel
def clear_action(g: Any) -> None:
    """Forget the action, purchase or payment that is done."""
    g.mode, g.action, g.source, g.effect, g.last_effect = MAIN, 0, -1, 0, 0
    g.gain_left, g.pick, g.pick_left, g.pick_suit, g.paying, g.role = 0, 0, 0, 0, 0, 0
    g.buying, g.buy_from, g.discount, g.taken, g.last_taken = 0, -1, 0, 0, -1
    g.credit_slot, g.credit_left, g.wild = -1, 0, 0
    for i in range(5):
        g.need[i], g.printed[i] = 0, 0


@kernel
def clear_battle(g: Any) -> None:
    """Forget the battle that is over."""
    g.target_seat, g.target_slot, g.looting, g.attackers, g.attack, g.defense = -1, -1, 0, 0, 0, 0
    g.window_decisions = 0


@kernel
def resume(g: Any) -> None:
    """Back to the main state, the attackers or the defense."""
    g.phase = g.mode
    clear_action(g)
