"""Positions written by hand, and short ways to look at them."""

from typing import Any

from castle_envs import castle_up_v0
from castle_envs.games.castle_up import actions as a
from tests.castle_up.replay import legal

ROLES = ("initiative", "mercantile", "defensive", "military")


def seat(*city: Any, tokens: Any = (0, 0, 0, 0), held: Any = None) -> dict[str, Any]:
    """A seat: buildings as "id" (ready), "id e", "id d" (exhausted, damaged), "id d used"."""
    words = {"e": "exhausted", "d": "damaged", "r": "ready"}
    slots = []
    for entry in city:
        name, status, *used = entry.split() if " " in entry else (entry, "r")
        slots.append([name, words[status], *used])
    held = held or {}
    return {"tokens": list(tokens), "city": slots, "held": held}


def table(*seats: Any, **values: Any) -> Any:
    """An environment at a main decision of seat 0 (or `active`)."""
    options = {"players": max(2, len(seats)), **values.pop("options", {})}
    seats = seats if len(seats) > 1 else (*seats, seat("castle e"))
    sides = dict.fromkeys(ROLES, "front") | values.pop("sides", {})
    position = {"options": options, "seats": list(seats), "sides": sides, **values}
    return castle_up_v0.raw_env.from_dict(position, check="position")


def play(env: Any, *moves: Any) -> Any:
    """Play moves, as ids or as named moves; returns the environment."""
    for move in moves:
        env.step(move if isinstance(move, int) else a.encode(move))
    return env


def tokens(env: Any, who: int = 0) -> list[int]:
    return env.to_dict()["seats"][who]["tokens"]


def city(env: Any, who: int = 0) -> list[str | None]:
    """The city as "id r", "id e", "id d"."""
    found = env.to_dict()["seats"][who]["city"]
    return [c and f"{c[0]} {c[1][0]}" for c in found]


def can(env: Any, move: Any) -> bool:
    """Whether a move is legal."""
    return a.encode(move) in legal(env)


def moves(env: Any) -> list[Any]:
    """The legal moves."""
    return [a.decode(action) for action in legal(env)]
