"""What cards count, cost, score and give, in plain Python dicts and loops.

Written from the words of the card file and the rulebook; it shares nothing with the package. A
player is `{"gold", "keys", "tableau": [{"card", "row", "column", "face_down", "gold"}]}` as in
`to_dict`, with rows and columns counted from the corner of the box around the tableau.
"""

import json
from pathlib import Path

DATA = json.loads((Path(__file__).parents[1] / "data/chateau_combo_cards.json").read_text("utf-8"))
CARDS = {card["id"]: card for card in DATA["cards"]}
IDS = list(CARDS)
SHIELDS = DATA["conventions"]["shield_order"]
PLACES = ("castle", "village")


def face_up(tableau):
    return [CARDS[entry["card"]] for entry in tableau if not entry["face_down"]]


def shields_of(cards):
    return [shield for card in cards for shield in card["shields"]]


def capacity(entry):
    """Gold a lying card can store; 0 for all but face-up purses."""
    per = CARDS[entry["card"]]["scoring"]["per"]
    purse = per["count"] == "gold_on_this_card" and not entry["face_down"]
    return per["capacity"] if purse else 0


def has(card, kind):
    return any(effect["kind"] == kind for effect in card["abilities"])


def box(tableau):
    """Height and width of the box around a tableau."""
    rows, columns = {e["row"] for e in tableau}, {e["column"] for e in tableau}
    return (max(rows) - min(rows) + 1, max(columns) - min(columns) + 1) if tableau else (0, 0)


def neighbors(players, seat):
    return {(seat - 1) % len(players), (seat + 1) % len(players)} - {seat}


def in_scope(tableau, entry, scope):
    if scope == "row":
        return [e for e in tableau if e["row"] == entry["row"]]
    if scope == "column":
        return [e for e in tableau if e["column"] == entry["column"]]
    if scope == "cross":
        return [e for e in tableau if e["row"] == entry["row"] or e["column"] == entry["column"]]
    assert scope == "tableau"
    return tableau


def count(per, players, seat, entry=None):
    """The value of a counter of the card that lies as `entry` in the tableau of `seat`."""
    if per is None:
        return 1
    scope = per.get("scope", "tableau")
    if scope == "neighbor":
        inner = {**per, "scope": "tableau"}
        return max(count(inner, players, other) for other in neighbors(players, seat))
    player = players[seat]
    tableau = player["tableau"]
    cards = face_up(in_scope(tableau, entry, scope))
    shields = shields_of(cards)
    match per["count"]:
        case "shields":
            return shields.count(per["shield"])
        case "shield_types":
            return len(set(shields))
        case "missing_shield_types":
            return 6 - len(set(shields))
        case "shield_absent":
            return int(per["shield"] not in shields)
        case "shield_sets":
            return min(shields.count(shield) for shield in per["shields"])
        case "identical_shield_sets":
            return sum(shields.count(shield) // per["size"] for shield in SHIELDS)
        case "banners":
            return sum(card["place"] == per["place"] for card in cards)
        case "banner_sets":
            return min(
                sum(card["place"] == place for card in cards) // per[place]
                for place in PLACES
                if per[place]
            )
        case "cards_by_shield_number":
            return sum(len(card["shields"]) == per["n"] for card in cards)
        case "cards_by_cost":
            return sum(per["min"] <= card["cost"] <= per["max"] for card in cards)
        case "discount_cards":
            return sum(has(card, "discount") for card in cards)
        case "purse_cards":
            return sum(capacity(e) > 0 for e in tableau)
        case "cells":
            return len(tableau) if per["state"] == "filled" else 9 - len(tableau)
        case "keys":
            return player["keys"]
        case "gold_on_this_card":
            return entry["gold"]
        case "gold_on_purses":
            return sum(e["gold"] for e in tableau)
        case "face_down_present":
            return int(any(e["face_down"] for e in tableau))
        case "position":
            return int(on_position(per["cells"], box(tableau), entry))
    raise KeyError(per["count"])


def on_position(cells, size, entry):
    """Whether a card stands on one of the cells; undecided axes count for nothing."""
    rows = {cell // 3 for cell in cells}
    columns = {cell % 3 for cell in cells}
    whole_rows = set(cells) == {3 * r + c for r in rows for c in range(3)}
    whole_columns = set(cells) == {3 * r + c for r in range(3) for c in columns}
    height, width = size
    if (height < 3 and not whole_columns) or (width < 3 and not whole_rows):
        return False
    return 3 * entry["row"] + entry["column"] in cells


def filled(player):
    """A player after purses took leftover gold, in reading order."""
    gold, tableau = player["gold"], []
    for entry in sorted(player["tableau"], key=lambda e: (e["row"], e["column"])):
        added = min(gold, capacity(entry) - entry["gold"])
        gold -= added
        tableau.append({**entry, "gold": entry["gold"] + added})
    return {**player, "gold": gold, "tableau": tableau}


def breakdown(player):
    """Points by cell, for keys and in total, gold left and gold on cells, as if the game ended."""
    player = filled(player)
    points, stored = [0] * 9, [0] * 9
    for entry in player["tableau"]:
        cell = 3 * entry["row"] + entry["column"]
        stored[cell] = entry["gold"]
        if not entry["face_down"]:
            scoring = CARDS[entry["card"]]["scoring"]
            points[cell] = scoring["points"] * count(scoring["per"], [player], 0, entry)
    return {
        "cell_points": points,
        "key_points": player["keys"],
        "total": sum(points) + player["keys"],
        "gold_left": player["gold"],
        "purse_gold": stored,
    }


def placements(players):
    """1 for the winners, then by how many stand better."""
    found = [breakdown(player) for player in players]
    ranked = [(one["total"], one["gold_left"]) for one in found]
    return [1 + sum(other > mine for other in ranked) for mine in ranked]


def discount(tableau, place):
    effects = [effect for card in face_up(tableau) for effect in card["abilities"]]
    return sum(effect[place] for effect in effects if effect["kind"] == "discount")


def price(tableau, card):
    return max(0, CARDS[card]["cost"] - discount(tableau, CARDS[card]["place"]))


def legal_cells(tableau):
    """(row, column) from the corner of the box: edge to edge, never more than 3 x 3."""
    taken = {(e["row"], e["column"]) for e in tableau}
    if not taken:
        return {(0, 0)}
    near = {
        cell for r, c in taken for cell in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
    } - taken
    return {
        (row, column)
        for row, column in near
        if all(
            max(axis) - min(axis) <= 2
            for axis in ([r for r, _ in taken] + [row], [c for _, c in taken] + [column])
        )
    }


def perform(effect, players, seat, entry):
    """An effect that leaves no choice, on the card just placed as `entry`; changes `players`."""
    mine = players[seat]
    match effect["kind"]:
        case "discount":
            pass
        case "gain":
            amount = effect["amount"] * count(effect["per"], players, seat, entry)
            others = [other for other in range(len(players)) if other != seat]
            to = {"self": [seat], "opponents": others, "everyone": [seat, *others]}
            for taker in to[effect["to"]]:
                players[taker][effect["resource"]] += amount
        case "gold_on_each_purse":
            for e in mine["tableau"]:
                e["gold"] += min(effect["amount"], capacity(e) - e["gold"])
        case "fill_purses":
            by_room = sorted(mine["tableau"], key=lambda e: e["gold"] - capacity(e))
            for e in by_room[: effect["cards"]]:
                e["gold"] = capacity(e)
        case other:
            raise KeyError(other)
