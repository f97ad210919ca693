"""Tableaus for the tests of single cards: shaped at random, filled to feed or starve a counter."""

from tests.chateau_combo import oracle
from tests.chateau_combo.oracle import CARDS, IDS


def entry(card, cell, face_down=False, gold=0):
    return {"card": card, "row": cell[0], "column": cell[1], "face_down": face_down, "gold": gold}


def shape(size, rng):
    """`size` connected cells within 3 x 3, counted from the corner of their box."""
    cells = []
    for _ in range(size):
        around = [{"row": row, "column": column} for row, column in cells]
        cells.append(rng.choice(sorted(oracle.legal_cells(around))))
        top, left = min(0, cells[-1][0]), min(0, cells[-1][1])
        cells = [(row - top, column - left) for row, column in cells]
    return cells


def random_tableau(cells, cards, rng, face_down=0.2):
    """Some of `cards` on the cells, some face-down, purses with some gold; uses them up."""
    lying = []
    for cell in cells:
        one = entry(cards.pop(), cell, rng.random() < face_down)
        one["gold"] = rng.randint(0, oracle.capacity(one))
        lying.append(one)
    return lying


def extreme_tableau(per, fixed, cells, cards, best):
    """Cards on the cells so that the counter of `fixed` gets as large or small as one can see."""
    lying = [fixed] if fixed else []
    for cell in cells:
        values = {}
        for card in cards[:40]:
            tried = {"gold": 0, "keys": 0, "tableau": [*lying, entry(card, cell)]}
            values[card] = oracle.count(per, [tried], 0, fixed)
        card = best(values, key=values.get)
        cards.remove(card)
        lying.append(entry(card, cell))
    return lying


def shuffled(rng, *without):
    cards = [card for card in IDS if card not in without]
    rng.shuffle(cards)
    return cards


def rows_with(card, cards, rng):
    """Rows and Messenger so that `card` is on offer; uses up five of `cards`."""
    rows = {}
    for place in oracle.PLACES:
        rows[place] = [c for c in cards if CARDS[c]["place"] == place][:3]
        for used in rows[place]:
            cards.remove(used)
    place = CARDS[card]["place"]
    slot = rng.randrange(3)
    cards.append(rows[place][slot])
    rows[place][slot] = card
    return rows, place, slot
