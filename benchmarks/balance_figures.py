"""From recorded games to figures: rates with intervals, and what is plainly out of balance.

A *rate* is `{"value", "low", "high", "count"}`: a mean, its 95 % interval over independent games
(None below 30 games) and how many seats or games it is of. Shares and rates run from 0 to 1.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.balance_record import Record
from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up.schema import ROLES, SUITS

FAIR = (0.42, 0.58)  # win rates of seats and castles, two players
BOUGHT = (0.02, 0.95)  # purchases by offer
FEW_GAMES, FEW_OFFERS = 30, 100


def rate(share: np.ndarray, chosen: np.ndarray) -> dict[str, Any]:
    """The mean share [game, seat] of the chosen seats; seats of one game count as dependent."""
    count = int(chosen.sum())
    if count == 0:
        return {"value": None, "low": None, "high": None, "count": 0}
    value = float(share[chosen].mean())
    if chosen.any(axis=1).sum() < FEW_GAMES:
        return {"value": value, "low": None, "high": None, "count": count}
    by_game = (chosen * (share - value)).sum(axis=1)
    half = 1.96 * float(np.sqrt((by_game**2).sum())) / count
    low, high = max(0.0, value - half), min(1.0, value + half)
    return {"value": value, "low": low, "high": high, "count": count}


def spread(values: np.ndarray) -> dict[str, float]:
    """Mean and percentiles of numbers, one a game."""
    low, middle, high = (float(p) for p in np.percentile(values, [5, 50, 95]))
    return {"mean": float(values.mean()), "p5": low, "median": middle, "p95": high}


def figures(r: Record, sides: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Everything measured, JSON-ready; see `play_games` for what is counted.

    Args:
        r: the games.
        sides: the lying side of each role's action card; the front where none is named.
    """
    n, turns = r.share.shape[1], int(r.turns.sum())
    return {
        "games": len(r.share),
        "rounds": spread(r.rounds),
        "decisions": spread(r.decisions),
        "decisions_per_turn": float(r.decisions.sum() / turns),
        "turns": turns,
        "purchases_per_turn": float(r.bought.sum() / turns),
        "attack_turns": float(r.attacks.sum() / turns),
        "loot_turns": float(r.loots.sum() / turns),
        "score": spread(r.score.ravel()),
        "seats": [seat(r, np.arange(n) == k, f"seat {k}", n) for k in range(n)],
        "places": [
            seat(r, (np.arange(n) - r.first[:, None]) % n == k, f"turn {k + 1} of round 1", n)
            for k in range(n)
        ],
        "castles": castles(r, n),
        "suits_bought": suits(r, r.bought[..., : c.NUM_KINDS] @ in_suit()),
        "suits_held": suits(r, in_suit()[r.city].sum(axis=2)),
        "cards": list(cards(r, sides or {})),
    }


def seat(r: Record, chosen: np.ndarray, name: str, n: int) -> dict[str, Any]:
    """Win rate, score and tokens left of a seat, or of a place in the turn order."""
    chosen = np.broadcast_to(chosen, r.share.shape)
    won = rate(r.share, chosen)
    left = r.tokens[chosen].mean(axis=0)
    return {
        "name": name,
        "win_rate": won,
        "score": float(r.score[chosen].mean()),
        "tokens_left": float(left.sum()),
        "tokens_by_kind": dict(zip(c.KINDS_OF_TOKENS, left.tolist(), strict=True)),
        "flag": unfair(won, n),
    }


def castles(r: Record, n: int) -> list[dict[str, Any]]:
    """Win rate of the seats that were dealt each castle."""
    found = []
    for kind in np.unique(r.castle).tolist():
        won = rate(r.share, r.castle == kind)
        card = c.CARDS[kind - 1]
        flag = "" if len(np.unique(r.castle)) == 1 else unfair(won, n)
        found.append(
            {"id": card["id"], "name": card["title"], "win_rate": won, "flag": flag, **known(card)}
        )
    return found


def in_suit() -> np.ndarray:
    """[kind, suit]: 1 for a building of the suit; castles and no card have none."""
    kinds = np.arange(c.NUM_KINDS)
    building = (kinds > 0) & (kinds < c.FIRST_CASTLE)
    return (building[:, None] & (c.SUIT[:, None] == np.arange(len(SUITS)))).astype(np.int64)


def suits(r: Record, counts: np.ndarray) -> list[dict[str, Any]]:
    """Win rate of seats by the one suit of which they have most; several such suits: "tied"."""
    most = counts == counts.max(axis=2, keepdims=True)
    single = most.sum(axis=2) == 1
    groups = [(s, single & most[..., i]) for i, s in enumerate(SUITS)] + [("tied", ~single)]
    return [
        {
            "name": name,
            "win_rate": rate(r.share, chosen),
            "share_of_seats": float(chosen.mean()),
            "cards_per_game": float(counts[..., i].mean()) if i < len(SUITS) else None,
        }
        for i, (name, chosen) in enumerate(groups)
    ]


def cards(r: Record, sides: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Offers and purchases of every building and action card that was ever on the row or bought.

    `offers` are turns in which the seat could legally buy the card, `rate` is purchases / offers,
    `seen` are turns in which the card lay in the row.
    """
    for k, facts, card in named(sides):
        seen, offers, bought = (int(x[..., k].sum()) for x in (r.seen, r.offered, r.bought))
        if seen + offers == 0:
            continue
        found = {
            **facts,
            "seen": seen,
            "offers": offers,
            "purchases": bought,
            "rate": bought / offers if offers else None,
            "buyers": rate(r.share, r.bought[..., k] > 0),
        }
        yield {**found, "flag": misjudged(found), **known(card)}


def named(sides: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any], Mapping[str, Any]]]:
    """Index, name and data of every card that can be bought."""
    for kind, card in enumerate(c.BUILDINGS, 1):
        facts = {"id": card["id"], "name": card["title"], "what": f"era {c.ERA[kind]}"}
        yield kind, {**facts, "suit": card["suit"]}, card
    for role, card_sides in enumerate(c.ROLE_CARDS):
        card = card_sides[sides.get(ROLES[role], "front") == "back"]
        facts = {
            "id": card["id"],
            "name": card["title"],
            "what": "action card",
            "suit": ROLES[role],
        }
        yield c.NUM_KINDS + role, facts, card


def known(card: Mapping[str, Any]) -> dict[str, list[str]]:
    """Which fields of a card are published facts, and which are reconstructed."""
    marks: list[tuple[str, str]] = []
    for field, source in card["provenance"].items():
        if isinstance(source, Mapping):
            marks += [(f"{field} (era {era})", mark) for era, mark in source.items()]
        elif field != "actions":
            marks.append((field, source))
    whole = card["provenance"].get("actions", "reconstructed")
    marks += [
        (f"action {i}", action.get("provenance", whole))
        for i, action in enumerate(card.get("actions", []), 1)
    ]
    made_up = [field for field, mark in marks if mark == "reconstructed"]
    return {
        "published": [field for field, _ in marks if field not in made_up],
        "reconstructed": made_up,
    }


def unfair(won: Mapping[str, Any], players: int) -> str:
    """What is wrong with the win rate of a seat or castle; judged with two players only."""
    if players != 2 or won["value"] is None:
        return ""
    value, (low, high) = won["value"], FAIR
    if low <= value <= high:
        return ""
    sure = won["low"] is not None and (won["low"] > high or won["high"] < low)
    return f"outside {100 * low:.0f} to {100 * high:.0f} %" + (
        "" if sure else ", but so few games prove nothing"
    )


def misjudged(card: Mapping[str, Any]) -> str:
    """What is wrong with how often a card is bought."""
    if card["offers"] < FEW_OFFERS:
        return f"fewer than {FEW_OFFERS} offers"
    if card["rate"] < BOUGHT[0]:
        return f"bought in under {100 * BOUGHT[0]:.0f} % of its offers"
    if card["rate"] > BOUGHT[1]:
        return f"bought in over {100 * BOUGHT[1]:.0f} % of its offers"
    return ""
