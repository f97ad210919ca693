"""The card list with its sources: what is a rulebook fact and what was reconstructed.

The publisher's card list is not public. The shipped list respects every published fact; all else
in it was invented to fit them. `listing()` shows every card, marked field by field.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from . import cards as c
from .schema import ERAS, SIDES
from .words import action_in_words, card_in_words, role_card_in_words

HEAD = """Castle Up: the card list in use.

{status}

Each line ends with what of it is published: "rulebook", or the address of a page. What is not
named there is reconstructed.
"""


def listing() -> str:
    """All cards as text, one a line, each with its published facts."""
    parts = [HEAD.format(status=c.DATA.get("status", "The file does not say where it comes from."))]
    for title, kinds in (
        ("Buildings", range(1, c.FIRST_CASTLE)),
        ("Castles", range(c.FIRST_CASTLE, c.NUM_KINDS)),
    ):
        parts.append(f"{title}\n")
        parts += [f"- {card_in_words(k)}\n  {facts(c.CARDS[k - 1])}" for k in kinds]
        parts.append("")
    parts.append("Action cards\n")
    for role, sides in enumerate(c.ROLE_CARDS):
        for side in range(len(SIDES)):
            by_era = dict.fromkeys(role_card_in_words(role, side, int(era)) for era in ERAS)
            parts += [f"- {line}" for line in by_era]
            parts.append(f"  {facts(sides[side])}")
    return "\n".join([*parts, "", *_table_facts()])


def facts(card: Mapping[str, Any]) -> str:
    """The published facts of a card, with their sources."""
    found = [f"{field} [{source}]" for field, source in _marks(card) if source != "reconstructed"]
    return f"published: {'; '.join(found)}" if found else "published: nothing, all reconstructed"


def _marks(card: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields of a card with their sources; actions one by one where they say so."""
    for field, source in card.get("provenance", {}).items():
        if isinstance(source, Mapping):
            yield from ((f"{field}, era {era}", mark) for era, mark in source.items())
        elif field != "actions":
            yield field, source
    whole = card.get("provenance", {}).get("actions", "reconstructed")
    for action in card.get("actions", []):
        yield f"action ({action_in_words(action)})", action.get("provenance", whole)


def _table_facts() -> Iterator[str]:
    """The sources of numbers that belong to no card."""
    for key in ("token_supply", "start", "card_points", "variants", "free_exchange"):
        yield f"{key}: {c.DATA[key].get('provenance', 'unknown')}"


def counts() -> dict[str, int]:
    """How many marked fields are facts, and how many are reconstructed."""
    sides = (side for role in c.ROLE_CARDS for side in role)
    marks = [mark for card in (*c.CARDS, *sides) for _, mark in _marks(card)]
    made_up = sum(mark == "reconstructed" for mark in marks)
    return {"facts": len(marks) - made_up, "reconstructed": made_up}
