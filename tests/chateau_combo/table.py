"""Legal moves and turns of Château Combo in plain Python, on the dicts of `to_dict`.

Chance is not drawn here: where a pile is shuffled, `play` is told the order that came out.
"""

from copy import deepcopy

from tests.chateau_combo.oracle import CARDS, IDS, PLACES, legal_cells, perform, price


def name(move):
    """A move of the package as a plain tuple: ("key", "move"), ("recruit", 0, False, 0, 1) ..."""
    return type(move).__name__.lower(), *move


def other(place):
    return PLACES[1 - PLACES.index(place)]


def chosen(state, kind):
    """The effect of the card just placed that asks for a choice of `kind`."""
    tableau = state["players"][state["current_player"]]["tableau"]
    entry = next(e for e in tableau if 3 * e["row"] + e["column"] == state["pending"])
    return entry, next(e for e in CARDS[entry["card"]]["abilities"] if e["kind"] == kind)


def legal(state):
    """The set of moves that the rules allow now."""
    if state["over"]:
        return set()
    if state["phase"] == "option":
        return {("option", 0), ("option", 1)}
    if state["phase"] == "discard":
        row = state["rows"][chosen(state, "discard_from_row")[1]["place"]]
        return {("discard", slot) for slot, card in enumerate(row) if card}
    player = state["players"][state["current_player"]]
    place = state["messenger"]
    moves = set()
    if state["phase"] == "turn" and player["keys"] > 0:
        moves.add(("key", "refresh"))
        if state["rows"][other(place)]:
            moves.add(("key", "move"))
    for slot, card in enumerate(state["rows"][place]):
        if card:
            affordable = price(player["tableau"], card) <= player["gold"]
            for row, column in legal_cells(player["tableau"]):
                moves.add(("recruit", slot, True, row, column))
                if affordable:
                    moves.add(("recruit", slot, False, row, column))
    return moves


def play(state, move, order):
    """The state after a move, up to the next decision.

    `order(place, pile)` tells in which order the shuffled pile of a place comes up.
    """
    state = deepcopy(state)
    seat = state["current_player"]
    player = state["players"][seat]
    match move:
        case ("key", "move"):
            player["keys"] -= 1
            state["messenger"] = other(state["messenger"])
            state["phase"] = "recruit"
        case ("key", "refresh"):
            player["keys"] -= 1
            place = state["messenger"]
            for slot in range(3):
                to_pile(state, place, slot)
            fill(state, place, order)
            state["phase"] = "recruit"
        case ("recruit", slot, face_down, row, column):
            recruit(state, seat, slot, face_down, row, column, order)
        case ("option", index):
            entry, effect = chosen(state, "choose_one")
            perform(effect["options"][index], state["players"], seat, entry)
            end_turn(state, entry, order)
        case ("discard", slot):
            entry, effect = chosen(state, "discard_from_row")
            card = to_pile(state, effect["place"], slot)
            player[effect["resource"]] += CARDS[card]["cost"]
            end_turn(state, entry, order)
    return state


def recruit(state, seat, slot, face_down, row, column, order):
    player, place = state["players"][seat], state["messenger"]
    tableau = player["tableau"]
    card = state["rows"][place][slot]
    state["rows"][place][slot] = None
    if face_down:
        player["gold"] += 6
        player["keys"] += 2
    else:
        player["gold"] -= price(tableau, card)
    for lying in tableau:
        lying["row"] -= min(row, 0)
        lying["column"] -= min(column, 0)
    row, column = max(row, 0), max(column, 0)
    entry = {"card": card, "row": row, "column": column, "face_down": face_down, "gold": 0}
    tableau.append(entry)
    tableau.sort(key=lambda e: (e["row"], e["column"]))
    for effect in [] if face_down else CARDS[card]["abilities"]:
        if effect["kind"] == "choose_one":
            state["phase"], state["pending"] = "option", 3 * row + column
        elif effect["kind"] == "discard_from_row":
            if any(state["rows"][effect["place"]]):
                state["phase"], state["pending"] = "discard", 3 * row + column
        else:
            perform(effect, state["players"], seat, entry)
    if state["phase"] not in ("option", "discard"):
        end_turn(state, entry, order)


def to_pile(state, place, slot):
    card = state["rows"][place][slot]
    if card:
        state["rows"][place][slot] = None
        state["discards"][place] = sorted([*state["discards"][place], card], key=IDS.index)
    return card


def fill(state, place, order):
    """Complete a row; a place that cannot be completed leaves the game."""
    row, decks, piles = state["rows"][place], state["decks"], state["discards"]
    if not row:
        return
    if row.count(None) > len(decks[place]) + len(piles[place]):
        state["rows"][place], decks[place], piles[place] = [], [], []
        state["messenger"] = other(place)
        return
    for slot in range(3):
        if row[slot] is None:
            if not decks[place]:
                decks[place] = order(place, piles[place])
                piles[place] = []
            row[slot] = decks[place].pop(0)


def end_turn(state, entry, order):
    icon = None if entry["face_down"] else CARDS[entry["card"]]["messenger"]
    if icon and state["rows"][icon]:
        state["messenger"] = icon
    for place in PLACES:
        fill(state, place, order)
    state["phase"], state["pending"] = "turn", None
    if all(len(player["tableau"]) == 9 for player in state["players"]):
        state["over"] = True
    else:
        state["current_player"] = (state["current_player"] + 1) % len(state["players"])


def order_seen(after):
    """The shuffle that a later state shows: new cards of the row by slot, then the deck."""

    def order(place, pile):
        seen = [card for card in after["rows"][place] + after["decks"][place] if card in pile]
        assert sorted(seen) == sorted(pile), f"{place}: the pile and the new deck differ"
        return seen

    return order


def public(state):
    """A state without what the oracle does not follow: random stream, bookkeeping."""
    return {k: v for k, v in state.items() if k not in ("rng", "env", "game", "schema")}
