"""Cards and tables in words: what an action says, and the readable table of a game."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import cards as c
from .schema import ROLES, SIDES, TOKENS
from .scoring import score
from .state import CITY, COMMIT, DEFENSE, PHASES, ROW, STATUSES

LETTERS = dict(zip(TOKENS, ("M", "S", "F", "any", "G"), strict=True))
SUIT_WORDS = {"red": "red", "green": "green", "blue": "blue", "gold": "golden", None: "no suit"}
ERAS = ("", "I", "II", "III")
DECISIONS = {
    "MAIN": "main",
    "SPECIAL": "buy or promote the top card",
    "REFURBISH": "choose buildings to refurbish",
    "CREDIT": "choose what a refurbished building covers",
    "DISCOUNT": "choose what the discount covers",
    "PAY": "pay",
    "GAIN": "gain a token",
    "PICK": "pick a building",
    "DIRECTION": "turn the attack direction?",
    "COMMIT": "choose attackers",
    "DEFENSE": "defend",
    "COMPENSATE": "take compensation",
    "WILD": "name a suit",
}


def amount_in_words(amount: Any) -> str:
    """A number, or an X."""
    if not isinstance(amount, Mapping):
        return str(amount)
    base = f"{amount['base']} + " if amount["base"] else ""
    times = f"{amount['mult']} x " if amount["mult"] != 1 else ""
    return f"({base}{times}{SUIT_WORDS[amount['suit']]} cards)"


def tokens_in_words(tokens: Mapping[str, Any]) -> str:
    """Tokens, as in "2 M + 1 any"; "nothing" for none."""
    parts = [f"{amount_in_words(n)} {LETTERS[kind]}" for kind, n in tokens.items() if n]
    return " + ".join(parts) or "nothing"


def effect_in_words(effect: Mapping[str, Any]) -> str:
    """One effect."""
    kind, count = effect["type"], effect.get("count", 1)
    match kind:
        case "gain":
            return f"gain {tokens_in_words(effect['resources'])}"
        case "attack" | "defense":
            return f"{kind} {amount_in_words(effect['points'])}"
        case "purchase_action":
            return f"+{count} purchase action"
        case "battle_phase":
            return f"+{count} battle phase"
        case "repair":
            return f"repair {count} for free"
        case "ready_other":
            return f"ready {count} other"
        case "purchase_from":
            pile = "discard pile" if effect["source"] == "discard_top" else "deck"
            less = f" for {effect['discount']} tokens less" if effect["discount"] else ""
            return f"buy the top of the {pile}{less}"
        case "take_initiative":
            return "take the initiative"
    return "may turn the attack direction"


def action_in_words(action: Mapping[str, Any]) -> str:
    """One action: kind, price, effects."""
    price = []
    if any(action["pay"].values()):
        price.append(f"pay {tokens_in_words(action['pay'])}")
    if action["self_damage"]:
        price.append("damage itself")
    if action["exhaust_other"]:
        other = action["exhaust_other"]
        suit = f"{SUIT_WORDS[other['suit']]} " if other["suit"] else ""
        price.append(f"exhaust {other['count']} other {suit}card")
    effects = ", ".join(effect_in_words(e) for e in action["effects"])
    passive = "passive: " if action["kind"] == "passive" else ""
    return f"{passive}{' and '.join(price) + ': ' if price else ''}{effects}"


def scoring_in_words(card: Mapping[str, Any]) -> list[str]:
    """Scoring rules of a card."""
    found = []
    for rule in card["scoring"]:
        match rule["type"]:
            case "wild_suit":
                found.append("counts as a suit of choice")
            case "bonus_points":
                found.append(f"+{rule['points']} points")
            case _:
                found.append(f"+{rule['points']} points per {SUIT_WORDS[rule['suit']]} card")
    return found


def card_in_words(kind: int) -> str:
    """A building or castle on one line."""
    card = c.CARDS[kind - 1]
    facts = [SUIT_WORDS[card["suit"]]]
    if kind < c.FIRST_CASTLE:
        facts = [f"era {ERAS[card['era']]}", *facts, f"cost {tokens_in_words(card['cost'])}"]
        facts += [f"endurance {card['endurance']}", f"repair {card['repair_cost']} G"]
        if card["promotes_from"]:
            source = c.CARDS[c.KIND_OF[card["promotes_from"]] - 1]
            facts.append(f"from {source['title']}")
    says = [action_in_words(action) for action in card["actions"]] + scoring_in_words(card)
    return f"{card['title']} ({', '.join(facts)}): {' | '.join(says) or 'nothing'}"


def role_card_in_words(role: int, side: int, era: int) -> str:
    """An action card as it lies, in an era."""
    card = c.ROLE_CARDS[role][side]
    key = str(era)
    says = [effect_in_words(e) for e in card["on_purchase_by_era"][key]]
    says += [f"held: {action_in_words(a)}" for a in card["held_actions_by_era"][key]]
    if card["loot"]:
        gains = ", ".join(effect_in_words(e) for e in card["loot"]["effects"])
        says.append(f"loot with attack {card['loot']['attack_required']}: {gains}")
    price = tokens_in_words(card["resource_cost_by_era"][key])
    return f"{card['title']} ({ROLES[role]}, {SIDES[side]}, price {price}): {' | '.join(says)}"


def text(states: np.ndarray, last: str | None) -> str:
    """The whole public table, for `render`."""
    g = states[0]
    n = int(g.num_players)
    direction = "clockwise" if g.direction > 0 else "counterclockwise"
    lines = [
        f"round {g.round_number}, era {ERAS[g.era]}; initiative: player_{g.initiative}; "
        f"attacks {direction if n > 2 else 'on the opponent'}",
        f"supply: {stock(g.supply)}; deck {g.deck_size}, discard pile {g.discard_size}",
        "trade row:",
    ]
    for slot in range(3 if n == 2 else ROW):
        lines.append(f"  {slot}: {card_in_words(g.row[slot]) if g.row[slot] else '-'}")
    for role in range(len(ROLES)):
        if g.holder[role] < 0:
            lines.append(f"  {role_card_in_words(role, int(g.sides[role]), int(g.era))}")
    for name in ("deck", "discard"):
        size = int(g[f"{name}_size"])
        top = card_in_words(g[name][size - 1]) if size else "-"
        lines.append(f"  top of the {'discard pile' if name == 'discard' else name}: {top}")
    for seat in range(n):
        lines += ["", *seat_in_words(g, seat)]
    lines.append("")
    if g.phase in (COMMIT, DEFENSE) or g.mode in (COMMIT, DEFENSE):
        lines.append(battle_in_words(g))
    if last is not None:
        lines.append(f"last move: {last}")
    lines.append("the game is over" if g.over else f"to act: player_{g.seat} ({phase_name(g)})")
    return "\n".join(lines)


def stock(tokens: Any) -> str:
    """Four tokens in words."""
    return ", ".join(f"{n} {letter}" for n, letter in zip(tokens, "MSFG", strict=True))


def seat_in_words(g: Any, seat: int) -> list[str]:
    """One seat: tokens, points now, held cards, and a line for every building."""
    turn = ""
    if seat == g.active and not g.over:
        turn = f" <- turn: {g.purchases} purchase actions, {g.battles} battle phases"
    lines = [f"player_{seat}: {stock(g.tokens[seat])}; {score(g, seat)} points now{turn}"]
    for slot in range(CITY):
        kind = int(g.city[seat, slot])
        if kind:
            used = ", used" if g.used[seat, slot] and g.status[seat, slot] != 1 else ""
            named = (
                f", named {c.SUIT_NAMES[g.named[seat, slot] - 1]}" if g.named[seat, slot] else ""
            )
            state = STATUSES[g.status[seat, slot]]
            lines.append(f"  {slot} [{state}{used}{named}] {card_in_words(kind)}")
    for role in range(len(ROLES)):
        if g.holder[role] == seat:
            state = "ready" if g.held_ready[role] else "exhausted"
            card = role_card_in_words(role, int(g.sides[role]), int(g.era))
            lines.append(f"  held [{state}] {card}")
    return lines


def battle_in_words(g: Any) -> str:
    """The battle being fought."""
    points = f"attack {g.attack}, defense {g.defense}"
    if g.looting:
        return f"looting: attack {g.attack}"
    title = c.CARDS[g.city[g.target_seat, g.target_slot] - 1]["title"]
    return f"battle for {title} of player_{g.target_seat}: {points}"


def phase_name(g: Any) -> str:
    """The decision at hand."""
    return "the game is over" if g.over else DECISIONS[PHASES[g.phase]]
