"""What a seat may know, as two declared layouts and the compiled encoders that fill them.

Everything but the order of the deck below its top card is public, so all seats see the same
things: own seat first, the others in turn order (clockwise).
"""

from typing import Any

import numpy as np

from castle_envs.engine.game import View
from castle_envs.engine.kernel import inlined, kernel
from castle_envs.engine.layout import Segment, positions
from castle_envs.engine.seats import seat_after

from . import cards as c
from . import features as f
from .scoring import score
from .state import (
    CITY,
    DAMAGED,
    DEFENSE,
    HELD,
    MAIN,
    PAY_CARD,
    PAYMENTS,
    PHASES,
    PICKS,
    PILE,
    ROLES_IN_PLAY,
    ROW,
    i64,
)
from .table import count_suit, top_of_deck, top_of_pile
from .usable import action_at

TOKEN_BOUND = min(127, int(c.SUPPLY.max()))
BATTLE_BOUND, ROUND_BOUND, ACTION_BOUND, SCORE_BOUND = 127, 20, 9, 60
GAIN_BOUND = f.MOST_NUMBER
COST_BOUND = int(max(c.COST.max(), c.PRICE.max(), c.ROLE_COST.max()))
CREDIT_BOUND = min(127, int(c.SIZE.max()) * 3)
OFFERS = ROW + 2  # row, top of the deck, top of the discard pile
COPIES_BOUND = int(c.COPIES.max())

PUBLIC = (
    Segment("state", (len(PHASES),), 0, 1, "one-hot: the decision, in the order of `PHASES`"),
    Segment("deciding", ("seats",), 0, 1, "one-hot: the seat to act"),
    Segment("active", ("seats",), 0, 1, "one-hot: the seat whose turn it is"),
    Segment("to_come", ("seats",), 0, 1, "1 for seats whose turn in this round is still to come"),
    Segment("present", ("seats",), 0, 1, "1 for a seat that plays, 0 for one left empty"),
    Segment("initiative", ("seats",), 0, 1, "one-hot: who holds the initiative token"),
    Segment("next_initiative", ("seats",), 0, 1, "one-hot: who takes it when the round ends"),
    Segment("round", (1,), 0, ROUND_BOUND, "number of the round"),
    Segment("era", (3,), 0, 1, "one-hot: the era"),
    Segment("counterclockwise", (1,), 0, 1, "1 while attacks go counterclockwise"),
    Segment("free_target", (1,), 0, 1, "1 where every opponent may be attacked"),
    Segment("purchases", (1,), 0, ACTION_BOUND, "purchase actions left to the active seat",
            typical=2),
    Segment("battles", (1,), 0, ACTION_BOUND, "battle phases left to it", typical=1),
    Segment("deck_size", (1,), 0, min(127, PILE), "cards in the deck", typical=30),
    Segment("discard_size", (1,), 0, min(127, PILE), "cards in the discard pile", typical=30),
    Segment("in_deck", (c.NUM_BUILDINGS,), 0, COPIES_BOUND, "copies of each building in the deck",
            typical=2),
    Segment("in_pile", (c.NUM_BUILDINGS,), 0, COPIES_BOUND, "likewise in the discard pile",
            typical=2),
    Segment("supply", (4,), 0, TOKEN_BOUND, "tokens in the supply: M, S, F, gold", typical=10),
    Segment("tokens", ("seats", 4), 0, TOKEN_BOUND, "tokens of each seat: M, S, F, gold",
            typical=4),
    Segment("suits", ("seats", 4), 0, CITY, "undamaged cards: red, green, blue, golden", typical=3),
    Segment("holder", ("seats", ROLES_IN_PLAY), 0, 1, "1 for the action cards a seat holds"),
    Segment("held_ready", (ROLES_IN_PLAY,), 0, 1, "1 for held action cards not exhausted"),
    Segment("looted", (ROLES_IN_PLAY,), 0, ACTION_BOUND, "payouts of held loot cards", typical=2),
    Segment("reverse", (ROLES_IN_PLAY,), 0, 1, "1 for action cards that lie on their reverse"),
    Segment("target", ("seats", CITY), 0, 1, "one-hot: the building under attack"),
    Segment("looting", (1,), 0, 1, "1 while the attack goes against the own loot card"),
    Segment("attack", (1,), 0, BATTLE_BOUND, "attack points added up", typical=5),
    Segment("defense", (1,), 0, BATTLE_BOUND, "defense points added up", typical=5),
    Segment("mode", (3,), 0, 1, "one-hot: back to the main state, the attackers, the defense"),
    Segment("source", (HELD + ROLES_IN_PLAY,), 0, 1, "one-hot: slot or held card that acts"),
    Segment("performing", (3,), 0, 1, "one-hot: which of its actions"),
    Segment("effects_left", (1,), 0, ACTION_BOUND, "effects still to come", typical=2),
    Segment("gain_left", (1,), 0, GAIN_BOUND, "any icons still to be gained", typical=3),
    Segment("pick", (len(PICKS) - 1,), 0, 1, "one-hot: what PICK chooses"),
    Segment("pick_left", (1,), 0, CITY, "buildings still to be picked"),
    Segment("paying", (len(PAYMENTS) - 1,), 0, 1, "one-hot: what is paid for"),
    Segment("need", (5,), 0, COST_BOUND, "outstanding cost: M, S, F, any, gold", typical=3),
    Segment("buying_card", (ROLES_IN_PLAY,), 0, 1, "one-hot: action card being bought"),
    Segment("buy_from", (OFFERS,), 0, 1, "one-hot: where a building is bought from"),
    Segment("discount", (1,), 0, COST_BOUND, "tokens of the discount left", typical=2),
    Segment("taken", (CITY,), 0, 1, "1 for own slots given for the purchase"),
    Segment("credit_slot", (CITY + 1,), 0, 1, "one-hot: damaged card being used; last: wild"),
    Segment("credit_left", (1,), 0, CREDIT_BOUND, "printed tokens still to be taken", typical=3),
    Segment("printed", (5,), 0, COST_BOUND, "printed tokens to take from: M, S, F, any, gold",
            typical=3),
    Segment("wild", (1,), 0, CREDIT_BOUND, "wild credits left", typical=2),
)  # fmt: skip
STATUS = (
    Segment("status", ("seats", CITY), 0, 3, "0 no card, 1 ready, 2 exhausted, 3 damaged"),
    Segment("used", ("seats", CITY), 0, 1, "1: exhausted or self-damaged since its owner's turn"),
    Segment("named", ("seats", CITY), 0, 3, "suit named for a wild card: 0 none, red, green, blue"),
)
SCORES = Segment(
    "scores",
    ("seats",),
    0,
    SCORE_BOUND,
    "points as if the game ended now",
    extra="scores",
    typical=20,
)
TOKENS = (
    *PUBLIC,
    *STATUS,
    Segment("city", ("seats", CITY), 0, c.NUM_KINDS - 1, "0 no card, else the card, in file order"),
    Segment("offer", (OFFERS,), 0, c.NUM_BUILDINGS, "row slots, top of the deck and discard pile"),
    SCORES,
)
FEATURES = (
    *PUBLIC,
    *STATUS,
    Segment("own_flags", (CITY, f.OWN_FLAGS.shape[1]), 0, 1, "own buildings and their actions"),
    Segment(
        "own_numbers", (CITY, f.OWN_NUMBERS.shape[1]), 0, f.MOST_NUMBER, "likewise; X counted now"
    ),
    Segment("other_flags", ("others", CITY, f.CARD_FLAGS_NUM), 0, 1, "buildings of the others"),
    Segment(
        "other_numbers",
        ("others", CITY, f.OTHER_NUMBERS.shape[1]),
        0,
        f.MOST_NUMBER,
        "endurance, repair cost, points; best attack, defense and gain of any action",
    ),
    Segment("offer_flags", (OFFERS, f.OFFER_FLAGS.shape[1]), 0, 1, "buildings on offer"),
    Segment("offer_numbers", (OFFERS, f.OFFER_NUMBERS.shape[1]), 0, f.MOST_NUMBER, "likewise"),
    SCORES,
)

# Places of the segments in `Layout.starts`. The public ones stand first in both layouts.
(STATE_AT, DECIDING, ACTIVE, TO_COME, PRESENT, INITIATIVE, NEXT_INITIATIVE) = range(7)
(ROUND, ERA, COUNTERCLOCKWISE, FREE_TARGET, PURCHASES, BATTLES) = range(7, 13)
(DECK_SIZE, DISCARD_SIZE, IN_DECK, IN_PILE, SUPPLY, TOKENS_AT, SUITS) = range(13, 20)
(HOLDER, HELD_READY, LOOTED, REVERSE) = range(20, 24)
(TARGET, LOOTING, ATTACK, DEFENSE_AT, MODE, SOURCE, PERFORMING, EFFECTS_LEFT) = range(24, 32)
(GAIN_LEFT, PICK, PICK_LEFT, PAYING, NEED, BUYING_CARD, BUY_FROM, DISCOUNT) = range(32, 40)
(TAKEN, CREDIT_SLOT, CREDIT_LEFT, PRINTED, WILD, STATUS_AT, USED, NAMED) = range(40, 48)
_AT_TOKENS = positions(TOKENS)
T_CITY, T_OFFER, T_SCORES = _AT_TOKENS["city"], _AT_TOKENS["offer"], _AT_TOKENS["scores"]
_AT_FEATURES = positions(FEATURES)
F_OWN_FLAGS, F_OWN_NUMBERS = _AT_FEATURES["own_flags"], _AT_FEATURES["own_numbers"]
F_OTHER_FLAGS, F_OTHER_NUMBERS = _AT_FEATURES["other_flags"], _AT_FEATURES["other_numbers"]
F_OFFER_FLAGS, F_OFFER_NUMBERS = _AT_FEATURES["offer_flags"], _AT_FEATURES["offer_numbers"]
F_SCORES = _AT_FEATURES["scores"]

# Lengths of rows, and the suit of a card as a byte to count with.
OWN_FLAGS, OWN_NUMBERS = f.OWN_FLAGS.shape[1], f.OWN_NUMBERS.shape[1]
OTHER_NUMBERS = f.OTHER_NUMBERS.shape[1]
OFFER_FLAGS, OFFER_NUMBERS = f.OFFER_FLAGS.shape[1], f.OFFER_NUMBERS.shape[1]
SUIT_BYTE = np.array([1 << 8 * s if s < c.NO_SUIT else 0 for s in c.SUIT.tolist()], np.int64)


# Entries are written with unsigned indices, which spare the test for negative ones, and with the
# segment's start in a variable: read anew after every write, it would keep loops from turning into
# vector code. Together this is half of an observation's time.


@inlined
def see_table(g: Any, starts: Any, out: Any) -> None:
    """What lies in the middle."""
    if not g.over:
        out[np.uintp(starts[STATE_AT] + g.phase)] = 1
    out[np.uintp(starts[ROUND])] = min(ROUND_BOUND, g.round_number)
    out[np.uintp(starts[ERA] + g.era - 1)] = 1
    out[np.uintp(starts[COUNTERCLOCKWISE])] = g.direction < 0
    out[np.uintp(starts[FREE_TARGET])] = g.free_target
    out[np.uintp(starts[PURCHASES])] = min(ACTION_BOUND, g.purchases)
    out[np.uintp(starts[BATTLES])] = min(ACTION_BOUND, g.battles)
    out[np.uintp(starts[DECK_SIZE])] = min(127, g.deck_size)
    out[np.uintp(starts[DISCARD_SIZE])] = min(127, g.discard_size)
    in_deck, in_pile = starts[IN_DECK], starts[IN_PILE]
    for i in range(c.NUM_BUILDINGS):
        out[np.uintp(in_deck + i)] = min(COPIES_BOUND, g.in_deck[i + 1])
    for i in range(c.NUM_BUILDINGS):
        out[np.uintp(in_pile + i)] = min(COPIES_BOUND, g.in_pile[i + 1])
    supply, ready, looted, sides = (
        starts[SUPPLY],
        starts[HELD_READY],
        starts[LOOTED],
        starts[REVERSE],
    )
    for i in range(4):
        out[np.uintp(supply + i)] = min(TOKEN_BOUND, g.supply[i])
        out[np.uintp(ready + i)] = g.held_ready[i]
        out[np.uintp(looted + i)] = min(ACTION_BOUND, g.looted[i])
        out[np.uintp(sides + i)] = g.sides[i]


@inlined
def see_seats(g: Any, seat: int, starts: Any, out: Any) -> None:
    """Tokens, held cards and buildings of every seat, own first."""
    n = i64(g.num_players)
    turn = seat_after(i64(g.active), n - i64(g.first), n)
    for i in range(n):
        who = seat_after(seat, i, n)
        out[np.uintp(starts[DECIDING] + i)] = who == g.seat and not g.over
        out[np.uintp(starts[ACTIVE] + i)] = who == g.active
        out[np.uintp(starts[TO_COME] + i)] = seat_after(who, n - i64(g.first), n) > turn
        out[np.uintp(starts[PRESENT] + i)] = 1
        out[np.uintp(starts[INITIATIVE] + i)] = who == g.initiative
        out[np.uintp(starts[NEXT_INITIATIVE] + i)] = who == g.next_initiative
        tokens, holder, suits = (
            starts[TOKENS_AT] + 4 * i,
            starts[HOLDER] + 4 * i,
            starts[SUITS] + 4 * i,
        )
        for kind in range(4):
            out[np.uintp(tokens + kind)] = min(TOKEN_BOUND, g.tokens[who, kind])
            out[np.uintp(holder + kind)] = g.holder[kind] == who
        status, used, named = (
            starts[STATUS_AT] + CITY * i,
            starts[USED] + CITY * i,
            starts[NAMED] + CITY * i,
        )
        found = 0
        for slot in range(CITY):
            kind, state = g.city[who, slot], g.status[who, slot]
            out[np.uintp(status + slot)] = state + (kind > 0)
            out[np.uintp(used + slot)] = g.used[who, slot]
            out[np.uintp(named + slot)] = g.named[who, slot]
            found += SUIT_BYTE[kind] if state != DAMAGED else 0
        for suit in range(4):
            out[np.uintp(suits + suit)] = found >> 8 * suit & 255


@kernel
def see_pending(g: Any, seat: int, starts: Any, out: Any) -> None:
    """The battle, and the action, purchase or payment under way."""
    n = i64(g.num_players)
    out[starts[MODE] + (0 if g.mode == MAIN else 2 if g.mode == DEFENSE else 1)] = 1
    if g.target_seat >= 0:
        on = (i64(g.target_seat) + n - seat) % n
        out[starts[TARGET] + CITY * on + g.target_slot] = 1
    out[starts[LOOTING]] = g.looting
    out[starts[ATTACK]] = min(BATTLE_BOUND, g.attack)
    out[starts[DEFENSE_AT]] = min(BATTLE_BOUND, g.defense)
    if g.source >= 0:
        out[starts[SOURCE] + g.source] = 1
    if g.action > 0:
        for index in range(3):
            own = action_at(g, i64(g.seat), i64(g.source), index)
            out[starts[PERFORMING] + index] = own == g.action
    out[starts[EFFECTS_LEFT]] = min(ACTION_BOUND, g.last_effect - g.effect)
    out[starts[GAIN_LEFT]] = min(GAIN_BOUND, g.gain_left)
    out[starts[PICK_LEFT]] = g.pick_left
    if g.pick:
        out[starts[PICK] + g.pick - 1] = 1
    if g.paying:
        out[starts[PAYING] + g.paying - 1] = 1
        if g.paying == PAY_CARD:
            out[starts[BUYING_CARD] + g.role] = 1
    for kind in range(5):
        out[starts[NEED] + kind] = min(COST_BOUND, g.need[kind])
        out[starts[PRINTED] + kind] = min(COST_BOUND, g.printed[kind])
    if g.buy_from >= 0:
        out[starts[BUY_FROM] + g.buy_from] = 1
    out[starts[DISCOUNT]] = min(COST_BOUND, g.discount)
    for slot in range(CITY):
        out[starts[TAKEN] + slot] = g.taken >> slot & 1
    if g.credit_slot >= 0:
        out[starts[CREDIT_SLOT] + g.credit_slot] = 1
    out[starts[CREDIT_LEFT]] = min(CREDIT_BOUND, g.credit_left)
    out[starts[WILD]] = min(CREDIT_BOUND, g.wild)


@inlined
def see_public(g: Any, seat: int, starts: Any, out: Any) -> None:
    """The segments that both views share."""
    see_table(g, starts, out)
    see_seats(g, seat, starts, out)
    if g.phase != MAIN:
        see_pending(g, seat, starts, out)
    else:
        out[np.uintp(starts[MODE])] = 1


@kernel
def offered(g: Any, i: int) -> int:
    """The building at a place to buy from; 0 where there is none."""
    if i < ROW:
        return i64(g.row[i])
    return top_of_deck(g) if i == c.FROM_DECK else top_of_pile(g)


@inlined
def see_scores(g: Any, seat: int, start: int, out: Any) -> None:
    """As-if-now points of every seat, own first."""
    n = i64(g.num_players)
    for i in range(n):
        out[np.uintp(start + i)] = min(SCORE_BOUND, score(g, seat_after(seat, i, n)))


@kernel
def see_tokens(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    """Fill `out` with the "tokens" view of `seat`; `starts` is that layout's."""
    out[:] = 0
    see_public(g, seat, starts, out)
    n = i64(g.num_players)
    for i in range(n):
        who, at = seat_after(seat, i, n), starts[T_CITY] + CITY * i
        for slot in range(CITY):
            out[np.uintp(at + slot)] = g.city[who, slot]
    at = starts[T_OFFER]
    for i in range(OFFERS):
        out[np.uintp(at + i)] = offered(g, i)
    if starts[T_SCORES] >= 0:
        see_scores(g, seat, starts[T_SCORES], out)


@kernel
def see_features(g: Any, seat: int, seats: int, starts: Any, out: Any) -> None:
    """Fill `out` with the "features" view of `seat`; `starts` is that layout's."""
    out[:] = 0
    see_public(g, seat, starts, out)
    see_own(g, seat, starts, out)
    see_others(g, seat, starts, out)
    see_offers(g, starts, out)
    if starts[F_SCORES] >= 0:
        see_scores(g, seat, starts[F_SCORES], out)


@inlined
def see_own(g: Any, seat: int, starts: Any, out: Any) -> None:
    """Own buildings with all their actions; an X counts as it is now."""
    for slot in range(CITY):
        kind = np.uintp(g.city[seat, slot])
        if kind == 0:
            continue
        at = starts[F_OWN_FLAGS] + OWN_FLAGS * slot
        for i in range(OWN_FLAGS):
            out[np.uintp(at + i)] = f.OWN_FLAGS[kind, i]
        at = starts[F_OWN_NUMBERS] + OWN_NUMBERS * slot
        for i in range(OWN_NUMBERS):
            out[np.uintp(at + i)] = f.OWN_NUMBERS[kind, i]
        if f.HAS_X[kind]:
            see_x(g, seat, slot, at + f.CARD_NUMBERS_NUM, out)


@kernel
def see_x(g: Any, seat: int, slot: int, row: int, out: Any) -> None:
    """The numbers of actions with an X, as it counts now; the table has it as one card."""
    for index in range(3):
        effect = f.X_EFFECT[c.CARD_ACTIONS[g.city[seat, slot], index]]
        for column in range(5):
            times = c.X_TIMES[effect, column]
            if times:
                more = times * (count_suit(g, seat, i64(c.X_SUIT[effect, column])) - 1)
                does = c.EFFECT[effect]
                place = 2 + column if does == c.DO_GAIN else 0 if does == c.DO_ATTACK else 1
                at = row + f.ACTION_NUMBERS_NUM * index + place
                out[at] = out[at] + more


@inlined
def see_others(g: Any, seat: int, starts: Any, out: Any) -> None:
    """Buildings of the others, in brief."""
    n = i64(g.num_players)
    for i in range(1, n):
        who = seat_after(seat, i, n)
        for slot in range(CITY):
            kind = np.uintp(g.city[who, slot])
            if kind == 0:
                continue
            row = CITY * (i - 1) + slot
            at = starts[F_OTHER_FLAGS] + f.CARD_FLAGS_NUM * row
            for j in range(f.CARD_FLAGS_NUM):
                out[np.uintp(at + j)] = f.CARD_FLAGS[kind, j]
            at = starts[F_OTHER_NUMBERS] + OTHER_NUMBERS * row
            for j in range(OTHER_NUMBERS):
                out[np.uintp(at + j)] = f.OTHER_NUMBERS[kind, j]


@inlined
def see_offers(g: Any, starts: Any, out: Any) -> None:
    """Buildings that can be bought, in brief."""
    for i in range(OFFERS):
        kind = np.uintp(offered(g, i))
        if kind == 0:
            continue
        at = starts[F_OFFER_FLAGS] + OFFER_FLAGS * i
        for j in range(OFFER_FLAGS):
            out[np.uintp(at + j)] = f.OFFER_FLAGS[kind, j]
        at = starts[F_OFFER_NUMBERS] + OFFER_NUMBERS * i
        for j in range(OFFER_NUMBERS):
            out[np.uintp(at + j)] = f.OFFER_NUMBERS[kind, j]


VIEWS = {
    "features": View(FEATURES, see_features, np.dtype(np.int8), scaled=True),
    "tokens": View(TOKENS, see_tokens, np.dtype(np.int16), scaled=False),
}
# The constants above count through the shared segments: this is where a slip would show.
assert [s.name for s in (*PUBLIC, *STATUS)][TARGET] == "target" and len(PUBLIC) == STATUS_AT
