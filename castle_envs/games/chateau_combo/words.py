"""Cards and tables in words: what an effect and a scroll say, and the readable table of a game."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from castle_envs.games.chateau_combo.cards import (
    CARDS,
    FACE_DOWN,
    NUM_CARDS,
    PLACE,
    PLACES,
    PRINTED,
)
from castle_envs.games.chateau_combo.rules import discounts, price
from castle_envs.games.chateau_combo.scoring import leftover, score
from castle_envs.games.chateau_combo.state import CELLS, DISCARD, OPTION, PHASES

SHORT = {
    "nobility": "Nob",
    "faith": "Fai",
    "scholarship": "Sch",
    "military": "Mil",
    "craftsmanship": "Cra",
    "peasantry": "Pea",
}
CELL_NAMES = {
    (0, 1, 2): "top row",
    (3, 4, 5): "middle row",
    (6, 7, 8): "bottom row",
    (0, 3, 6): "left column",
    (1, 4, 7): "middle column",
    (2, 5, 8): "right column",
    (0, 2, 6, 8): "a corner",
    (1, 3, 5, 7): "an edge middle",
}


def counter_in_words(per: Mapping[str, Any] | None) -> str:
    """What a counter counts, as "per ..." or "if ..."; empty without a counter."""
    if per is None:
        return ""
    kind = per["count"]
    where = {"neighbor": " at the better neighbour", "tableau": ""}.get(
        per.get("scope", "tableau"), f" in its {per.get('scope')}"
    )
    if kind == "shields":
        return f" per {per['shield']}{where}"
    if kind == "shield_types":
        return f" per shield type{where}"
    if kind == "banners":
        return f" per {per['place']} card{where}"
    if kind == "shield_absent":
        return f" if no {per['shield']}"
    if kind == "shield_sets":
        return f" per set of {' + '.join(per['shields'])}"
    if kind == "identical_shield_sets":
        return f" per {per['size']} equal shields"
    if kind == "banner_sets":
        needs = [f"{per[place]} {place}" for place in PLACES if per[place]]
        return f" per {' + '.join(needs)} cards"
    if kind == "cards_by_shield_number":
        return f" per card with {per['n']} shield{'s' if per['n'] > 1 else ''}"
    if kind == "cards_by_cost":
        low, high = per["min"], per["max"]
        bounds = f"{low}" if low == high else f"{low} or more" if high > 9 else f"{low} to {high}"
        return f" per card of cost {bounds}"
    if kind == "cells":
        return f" per {per['state']} cell"
    if kind == "position":
        return f" if in {CELL_NAMES[tuple(per['cells'])]}"
    if kind == "gold_on_this_card":
        return f" per gold here (purse of {per['capacity']})"
    plain = {
        "missing_shield_types": " per missing shield type",
        "discount_cards": " per discount card",
        "purse_cards": " per purse",
        "keys": " per key held",
        "gold_on_purses": " per gold on all purses",
        "face_down_present": " if a card lies face-down",
    }
    return plain[kind]


def effect_in_words(effect: Mapping[str, Any]) -> str:
    """An ability."""
    match effect["kind"]:
        case "discount":
            cheaper = [f"{place} -{effect[place]}" for place in PLACES if effect[place]]
            return f"discount {', '.join(cheaper)}"
        case "gain":
            who = {"self": "", "opponents": "opponents ", "everyone": "everyone "}[effect["to"]]
            return f"{who}+{effect['amount']} {effect['resource']}{counter_in_words(effect['per'])}"
        case "gold_on_each_purse":
            return f"+{effect['amount']} gold on each purse"
        case "fill_purses":
            return f"fill {effect['cards']} purses"
        case "discard_from_row":
            return f"discard a {effect['place']} row card: its cost in {effect['resource']}"
        case _:
            return " or ".join(effect_in_words(option) for option in effect["options"])


def scoring_in_words(card: Mapping[str, Any]) -> str:
    """A scroll."""
    return f"{card['scoring']['points']}{counter_in_words(card['scoring']['per'])}"


def shields_in_words(card: Mapping[str, Any]) -> str:
    """Short names of a card's shields."""
    return "+".join(SHORT[shield] for shield in card["shields"])


def card_in_words(token: int) -> str:
    """A face-up card on one line."""
    card = CARDS[token - 1]
    abilities = "; ".join(effect_in_words(effect) for effect in card["abilities"])
    icon = f" | Messenger to {card['messenger']}" if card["messenger"] else ""
    return (
        f"{card['name_en']} ({card['place']}, cost {card['cost']}, {shields_in_words(card)}) "
        f"| {abilities}{icon} | scores {scoring_in_words(card)}"
    )


def text(states: np.ndarray, last: str | None) -> str:
    """The whole public table, for `render`."""
    g = states[0]
    lines = []
    for place, name in enumerate(PLACES):
        mark = " <- Messenger" if place == g.messenger else ""
        piled = int(g.discarded[PLACE[1 : NUM_CARDS + 1] == place].sum())
        lines.append(
            f"{name.capitalize()} row{mark} (deck {g.deck_size[place]}, discarded {piled})"
        )
        if g.exhausted[place]:
            lines.append("  has left the game")
            continue
        for slot, token in enumerate(g.row[place]):
            lines.append(f"  {slot}: {offer_in_words(g, int(token))}")
    for seat in range(g.num_players):
        lines += ["", *tableau_in_words(g, seat)]
    lines.append("")
    if last is not None:
        lines.append(f"last move: {last}")
    if g.over:
        lines.append("the game is over")
    else:
        lines.append(f"to act: player_{g.seat} ({phase_name(g)})")
    return "\n".join(lines)


def offer_in_words(g: Any, token: int) -> str:
    """A card on offer, with its price for the seat to act where a discount changes it."""
    if token == 0:
        return "-"
    now = price(token, discounts(g, int(g.seat)))
    reduced = f" [price now {now}]" if now != CARDS[token - 1]["cost"] else ""
    return card_in_words(token) + reduced


def tableau_in_words(g: Any, seat: int) -> list[str]:
    """One seat: stock, points now, and a line for every card."""
    points = np.zeros(CELLS, np.int32)
    total = score(g, seat, points)
    lines = [
        f"player_{seat}: {g.gold[seat]} gold, {g.keys[seat]} keys, {total} points now "
        f"({leftover(g, seat)} gold left over)"
    ]
    for cell in range(CELLS):
        token = int(g.tableau[seat, cell])
        if token == 0:
            continue
        where = f"  [{cell // 3},{cell % 3}]"
        if token > FACE_DOWN:
            lines.append(f"{where} face-down ({CARDS[PRINTED[token] - 1]['name_en']})")
            continue
        stored = f" | {g.purse[seat, cell]} gold stored" if g.purse[seat, cell] else ""
        lines.append(f"{where} {card_in_words(token)}{stored} | {points[cell]} points now")
    return lines


def phase_name(g: Any) -> str:
    """The decision at hand."""
    if g.over:
        return "the game is over"
    if g.phase in (OPTION, DISCARD):
        card = CARDS[g.tableau[g.seat, g.pending] - 1]["name_en"]
        return f"{PHASES[g.phase]} of {card}"
    return {"turn": "key or recruit", "recruit": "recruit"}[PHASES[g.phase]]


def all_cards() -> list[str]:
    """Every card on a line of its own, by place and cost."""
    order = sorted(CARDS, key=lambda card: (card["place"], card["cost"], card["name_en"]))
    return [card_in_words(CARDS.index(card) + 1) for card in order]
