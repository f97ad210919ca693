"""What a seat should see of a state, by segment name, in plain lists; from `to_dict` alone."""

from copy import deepcopy

import numpy as np

from tests.chateau_combo import oracle, table
from tests.chateau_combo.oracle import CARDS, IDS, PLACES, SHIELDS

DECKS = {place: [card for card in IDS if CARDS[card]["place"] == place] for place in PLACES}


def counts(cards):
    """Shields by type, then Castle and Village banners, of face-up cards."""
    shields = oracle.shields_of(cards)
    banners = [sum(card["place"] == place for card in cards) for place in PLACES]
    return [shields.count(shield) for shield in SHIELDS] + banners


def cells_of(tableau):
    """The nine cells in reading order, None where nothing lies."""
    lying = {(one["row"], one["column"]): one for one in tableau}
    return [lying.get((cell // 3, cell % 3)) for cell in range(9)]


def one_hot(size, index):
    return [int(i == index) for i in range(size)]


def offer_of(state):
    """Six cards or None, the Messenger's row first."""
    here = state["messenger"]
    rows = [state["rows"][place] or [None] * 3 for place in (here, table.other(here))]
    return rows[0] + rows[1]


def pending_of(state):
    if state["phase"] not in ("option", "discard"):
        return None
    return cells_of(state["players"][state["current_player"]]["tableau"])[state["pending"]]


def public(state, seat):
    """Segments of both views, one entry a playing seat, own seat first."""
    n = len(state["players"])
    players = [state["players"][(seat + i) % n] for i in range(n)]
    phases = ("turn", "recruit", "option", "discard")
    sizes = [oracle.box(player["tableau"]) for player in players]
    offer = offer_of(state)
    own = players[0]["tableau"]
    return players, {
        "phase": [int(name == state["phase"] and not state["over"]) for name in phases],
        "messenger": [PLACES.index(state["messenger"])],
        "exhausted": [int(not state["rows"][place]) for place in PLACES],
        "deck_size": [len(state["decks"][place]) for place in PLACES],
        "discarded": [int(card in state["discards"][CARDS[card]["place"]]) for card in IDS],
        "present": [1] * n,
        "gold": [player["gold"] for player in players],
        "keys": [player["keys"] for player in players],
        "height": [height for height, _ in sizes],
        "width": [width for _, width in sizes],
        "purse": [[c["gold"] if c else 0 for c in cells_of(p["tableau"])] for p in players],
        "counts": [counts(oracle.face_up(p["tableau"])) for p in players],
        "discounts": [[oracle.discount(p["tableau"], place) for place in PLACES] for p in players],
        "prices": [oracle.price(own, card) if card else 0 for card in offer],
        "scores": [oracle.breakdown(player)["total"] for player in players],
    }


def tokens(state, seat):
    players, found = public(state, seat)
    pending = pending_of(state)

    def token(one):
        return IDS.index(one["card"]) + 1 + 78 * one["face_down"] if one else 0

    return found | {
        "tableau": [[token(one) for one in cells_of(p["tableau"])] for p in players],
        "offer": [IDS.index(card) + 1 if card else 0 for card in offer_of(state)],
        "pending": [token(pending)],
    }


def features(state, seat):
    players, found = public(state, seat)
    cells = [cells_of(player["tableau"]) for player in players]
    offer, own = offer_of(state), players[0]

    def lines(one, axis):
        return [
            counts(oracle.face_up([e for e in one["tableau"] if e[axis] == line]))
            for line in range(3)
        ]

    def placed(nine):
        where = {one["card"]: cell + 1 for cell, one in enumerate(nine) if one}
        return [where.get(card, 0) for card in IDS]

    def affordable(card):
        return int(card is not None and oracle.price(own["tableau"], card) <= own["gold"])

    return found | {
        "placed": [placed(nine) for nine in cells],
        "face_down": [[int(bool(one and one["face_down"])) for one in nine] for nine in cells],
        "filled": [[int(one is not None) for one in nine] for nine in cells],
        "row_counts": [lines(player, "row") for player in players],
        "column_counts": [lines(player, "column") for player in players],
        "purse_room": [
            sum(oracle.capacity(one) - one["gold"] for one in player["tableau"])
            for player in players
        ],
        "offer": [
            one_hot(39, DECKS[CARDS[card]["place"]].index(card) if card else -1) for card in offer
        ],
        "affordable": [affordable(card) for card in offer],
        "offer_counts": [counts([CARDS[card]] if card else []) for card in offer],
        "pending": one_hot(9, state["pending"] if pending_of(state) else -1),
    }


def worth(player):
    found = oracle.breakdown(player)
    return 100 * found["total"] + found["gold_left"]


def best_end(state, move):
    """The own player after a recruit, the best choice made (the first of equals)."""
    after = table.play(state, move, lambda place, pile: list(pile))
    if after["phase"] in ("option", "discard"):
        ends = [best_end(after, further) for further in table.legal(after)]
        return max(ends, key=worth)
    return after["players"][state["current_player"]]


def gain(state, move):
    """What a recruit adds now to the own points, to gold and to keys."""
    before = state["players"][state["current_player"]]
    after = best_end(state, move)
    points = (worth(after) - worth(before) + 50) // 100
    return points, after["gold"] - before["gold"], after["keys"] - before["keys"]


def gains(state, seat, ids):
    """The segments of the group "gains"; `ids` maps plain moves to action ids."""
    each, moved = np.zeros((3, 96), int), [0] * 6
    legal = [] if state["over"] or state["current_player"] != seat else table.legal(state)
    if pending_of(state):
        legal = []
    for move in legal:
        if move[0] == "recruit":
            each[:, ids[move] - 2] = gain(state, move)
    if ("key", "move") in legal:
        there = table.play(deepcopy(state), ("key", "move"), None)
        for slot in range(3):
            for down in (False, True):
                found = [
                    gain(there, move)[0] - 1
                    for move in table.legal(there)
                    if move[:3] == ("recruit", slot, down)
                ]
                moved[2 * slot + down] = max(found, default=0)
    names = ("gains", "gold_gains", "key_gains")
    return dict(zip(names, each.tolist(), strict=True)) | {"gains_moved": moved}
