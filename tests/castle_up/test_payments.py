"""Masks of purchases and payments against exhaustive search.

The rules decide by eight sums whether a cost can be met. Here (`oracle.payable`) every way to take
printed tokens of damaged cards is tried, and tokens are matched to needs by augmenting paths.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up import cards as c
from tests.castle_up.oracle import payable


def cost(kind):
    return c.COST[kind].tolist()


BUILDING = st.integers(1, c.NUM_BUILDINGS)
CHEAP = st.sampled_from([k for k in range(1, c.FIRST_CASTLE) if c.SIZE[k] <= 7])
STATUS = st.sampled_from([0, 0, 1, 2, 2])
FULL_CITY = st.lists(st.tuples(CHEAP, STATUS), min_size=0, max_size=4)


def position(city, tokens, row=(), deck=(), opened=False):
    words = ("ready", "exhausted", "damaged")
    seat = {
        "tokens": tokens,
        "city": [[c.CARD_IDS[k], words[s]] for k, s in city],
        "held": {},
    }
    other = {"tokens": [0] * 4, "city": [["castle", "exhausted"]], "held": {}}
    values = {
        "options": {"players": 2},
        "seats": [seat, other],
        "row": [c.CARD_IDS[k] for k in row],
        "deck": [c.CARD_IDS[k] for k in deck],
        "supply": [40] * 4,
    }
    return GAME.from_dict(values, "position")[0]


def mask_of(g):
    mask = np.zeros(88, np.int8)
    GAME.legal(g, mask)
    return mask


def credits(city, slots):
    whole = [cost(city[i][0]) for i in slots if city[i][1] == 0]
    halves = [(cost(city[i][0]), sum(cost(city[i][0])) // 2) for i in slots if city[i][1] == 2]
    return whole, halves


TOKENS = st.lists(st.integers(0, 4), min_size=4, max_size=4)


@settings(max_examples=150, deadline=None)
@given(FULL_CITY, TOKENS, BUILDING)
def test_buy_is_legal_if_refurbishing_everything_pays(city, tokens, kind):
    g = position(city, tokens, [kind])[0]
    movable = [i for i, (_, status) in enumerate(city) if status != 1]
    expected = payable(cost(kind), tokens, *credits(city, movable))
    assert mask_of(g)[26] == expected


def pending(g):
    return GAME.to_dict(np.array([g]))["pending"]


def check_credit(g, mask, city):
    """CREDIT and DISCOUNT: which tokens are offered, by the words of the reference."""
    now = pending(g)
    tokens, need = g.tokens[0].tolist(), now["need"]
    later = [
        i
        for i in range(len(city))
        if now["taken"] >> i & 1 and city[i][1] == 2 and i > now["credit_slot"]
    ]
    _, halves = credits(city, later)
    wild, discount = now["wild"], now["discount"]
    for kind in range(4):
        left, printed, number = list(need), list(now["printed"]), now["credit_left"]
        wild_left, discount_left, useful = wild, discount, kind < 3 and need[kind] > 0
        if g.phase == 4:  # DISCOUNT
            discount_left -= 1
        elif now["credit_slot"] >= 7:
            wild_left -= 1
        else:
            column = kind if kind < 3 else 4
            if kind < 3 and printed[kind] == 0:
                column = 3
            if kind < 3:
                covered = kind if need[kind] else 3
                useful = printed[column] > 0 and need[covered] > 0
            else:
                covered = 4 if need[4] else None
                useful = printed[4] > 0 and sum(need) > 0
                wild_left += covered is None
            printed[column] -= 1
            number -= 1
            if useful and covered is not None:
                left[covered] -= 1
            useful = useful and payable(
                left, tokens, (), [*halves, (printed, number)], wild_left, discount
            )
            assert mask[77 + kind] == useful
            continue
        if useful:
            left[kind] -= 1
            useful = payable(left, tokens, (), halves, wild_left, discount_left)
        assert mask[77 + kind] == useful


def check_pay(g, mask):
    need, tokens = pending(g)["need"], g.tokens[g.seat].tolist()
    due = next(k for k in range(5) if need[k])
    rest = [n - (k == due) for k, n in enumerate(need)]
    for kind in range(4):
        fits = kind == 3 or kind == due or due == 3
        if fits and tokens[kind]:
            tokens[kind] -= 1
            fits = payable(rest, tokens)
            tokens[kind] += 1
        else:
            fits = False
        assert mask[77 + kind] == fits


def check_refurbish(g, mask, city, kind, discount):
    taken = pending(g)["taken"]
    chosen = [i for i in range(7) if taken >> i & 1]
    tokens = g.tokens[0].tolist()
    whole, halves = credits(city, chosen)
    assert mask[0] == payable(cost(kind), tokens, whole, halves, 0, discount)
    for slot in range(7):
        above = slot > max(chosen, default=-1) and slot < len(city) and city[slot][1] != 1
        if above:
            later = [i for i in range(slot, len(city)) if city[i][1] != 1]
            whole, halves = credits(city, [*chosen, *later])
            above = payable(cost(kind), tokens, whole, halves, 0, discount)
        assert mask[60 + slot] == above


def check_purchase(g, city, kind, data, discount=0):
    """Play a purchase by random legal ids, checking every mask on the way."""
    while g.phase != 0:
        mask = mask_of(g)
        assert mask.any()
        if g.phase == 2:
            check_refurbish(g, mask, city, kind, discount)
        elif g.phase in (3, 4):
            check_credit(g, mask, city)
        elif g.phase == 5:
            check_pay(g, mask)
        GAME.apply(g, data.draw(st.sampled_from(np.flatnonzero(mask).tolist())))


@settings(max_examples=120, deadline=None)
@given(FULL_CITY, TOKENS, BUILDING, st.data())
def test_every_mask_of_a_purchase(city, tokens, kind, data):
    g = position(city, tokens, [kind])[0]
    if mask_of(g)[26]:
        before = int(g.tokens[0].sum())
        GAME.apply(g, 26)
        check_purchase(g, city, kind, data)
        assert kind in g.city[0] and before - int(g.tokens[0].sum()) <= sum(cost(kind))


DEAR = st.sampled_from([k for k in range(1, c.FIRST_CASTLE) if c.SIZE[k] >= 8])
WITH_ANY_OR_GOLD = [k for k in range(1, c.FIRST_CASTLE) if c.COST[k, 3] or c.COST[k, 4]]
MIXED = st.one_of(st.sampled_from(WITH_ANY_OR_GOLD), BUILDING)
GIVEN_UP = st.lists(st.tuples(MIXED, st.sampled_from([0, 2, 2])), min_size=1, max_size=2)


@settings(max_examples=150, deadline=None)
@given(GIVEN_UP, st.lists(st.integers(2, 6), min_size=4, max_size=4), DEAR, st.data())
def test_every_choice_of_credits(city, tokens, kind, data):
    """As above, where refurbished buildings leave choices: all of them are given."""
    g = position(city, tokens, [kind])[0]
    if mask_of(g)[26]:
        GAME.apply(g, 26)
        for slot in range(len(city)):
            if g.phase == 2 and mask_of(g)[60 + slot]:
                GAME.apply(g, 60 + slot)
        check_purchase(g, city, kind, data)
        assert kind in g.city[0]


@settings(max_examples=120, deadline=None)
@given(FULL_CITY, TOKENS, BUILDING, st.data())
def test_every_mask_of_a_discounted_purchase(city, tokens, kind, data):
    """The City Council buys the top of the deck for three tokens less."""
    council = c.KIND_OF["city_council"]
    city = [(council, 0), *city]
    g = position(city, tokens, deck=[kind])[0]
    source = int(c.PROMOTES_FROM[kind])
    own = any(k == source and s == 0 for k, s in city[1:])
    movable = [i for i, (_, s) in enumerate(city) if s != 1 and i > 0]
    whole, halves = credits(city, movable)
    buys = payable(cost(kind), tokens, whole, halves, 0, 3)
    assert mask_of(g)[1] == (own or buys)
    if buys:
        GAME.apply(g, 1)
        if g.phase == 1:
            assert own
            GAME.apply(g, 86)
        city[0] = (council, 1)
        check_purchase(g, city, kind, data, 3)
        assert kind in g.city[0]


@pytest.mark.parametrize(
    ("need", "tokens", "expected"),
    [
        ([1, 0, 0, 0, 0], [0, 5, 5, 0], False),
        ([1, 0, 0, 0, 0], [0, 0, 0, 1], True),
        ([1, 0, 0, 2, 0], [1, 1, 1, 0], True),
        ([0, 0, 0, 0, 1], [9, 9, 9, 0], False),
        ([1, 1, 1, 1, 1], [1, 1, 1, 2], True),
        ([1, 1, 1, 1, 1], [2, 1, 1, 1], True),
        ([1, 1, 1, 2, 1], [2, 1, 1, 1], False),
    ],
)
def test_the_search_itself(need, tokens, expected):
    """Against the reference's formula for payments without credits."""
    m, s, f, gold = tokens
    short = max(0, need[0] - m) + max(0, need[1] - s) + max(0, need[2] - f)
    spare = max(0, m - need[0]) + max(0, s - need[1]) + max(0, f - need[2])
    assert (short + max(0, need[3] - spare) + need[4] <= gold) == expected
    assert payable(need, tokens) == expected
