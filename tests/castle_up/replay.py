"""Replays the cases of `castle_up_checks.json`: what was expected against what happens."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up import reading, rules, scoring, serial
from castle_envs.games.castle_up.options import CastleUpOptions
from castle_envs.games.castle_up.schema import ROLES
from castle_envs.games.castle_up.state import PHASES, STATE

CHECKS = json.loads((Path(__file__).parent / "checks.json").read_text("utf-8"))


def digest(g: Any) -> dict[str, Any]:
    """A position in the words of the checks."""
    n = int(g.num_players)
    found = {
        "decider": None if g.over else int(g.seat),
        "state": "OVER" if g.over else PHASES[g.phase],
        "active": int(g.active),
        "round": int(g.round_number),
        "era": int(g.era),
        "row": serial.ids(g.row[: 3 if n == 2 else 4]),
        "deck": int(g.deck_size),
        "discard": int(g.discard_size),
        "discard_top": serial.card_id(g.discard[g.discard_size - 1]) if g.discard_size else None,
        "initiative": int(g.initiative),
        "direction": int(g.direction),
        "purchases": int(g.purchases),
        "battles": int(g.battles),
    }
    for seat in range(n):
        found[f"tokens{seat}"] = g.tokens[seat].tolist()
        found[f"city{seat}"] = [
            [c.CARD_IDS[k], "red"[s]] if k else None
            for k, s in zip(g.city[seat], g.status[seat], strict=True)
        ]
        found[f"held{seat}"] = [
            [role, "r" if g.held_ready[i] else "e"]
            for i, role in enumerate(ROLES)
            if g.holder[i] == seat
        ]
    return found


def legal(g: Any) -> list[int]:
    mask = np.zeros(88, np.int8)
    rules.legal(g, mask)
    return np.flatnonzero(mask).tolist()


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in after.items() if v != before[k]}


def breakdown(g: Any, seat: int) -> dict[str, int]:
    parts = {
        "cards": int(scoring.card_points(g, seat)),
        "control": int(scoring.control_points(g, seat)),
        "extra": int(scoring.extra_points(g, seat)),
    }
    return {
        **parts,
        "total": sum(parts.values()),
        "golden": int(scoring.golden_cards(g, seat)),
    }


def winners(g: Any) -> list[int]:
    out = np.zeros(4, np.int32)
    scoring.ranks(g, out)
    return [seat for seat in range(g.num_players) if out[seat] == 0]


def game_options(options: dict[str, Any]) -> CastleUpOptions:
    rest = {k: v for k, v in options.items() if k != "players"}
    return CastleUpOptions(num_players=options["players"], **rest)


def replay_position(case: dict[str, Any]) -> Any:
    """Play the steps of a case, comparing everything; returns the record at the end."""
    states, _ = reading.from_dict(case["before"], "position")
    g = states[0]
    now = digest(g)
    for i, step in enumerate(case["steps"]):
        where = (case["id"], i)
        assert (where, now["decider"], now["state"]) == (where, step["decider"], step["state"])
        assert (where, legal(g)) == (where, step["legal"])
        rules.apply(g, step["action"])
        before, now = now, digest(g)
        assert (where, changed(before, now)) == (where, step["after"])
    end = case["end"]
    assert (now["decider"], now["state"], legal(g)) == (end["decider"], end["state"], end["legal"])
    assert {k: now[k] for k in case["expect"]} == case["expect"]
    if "breakdown" in end:
        assert [breakdown(g, seat) for seat in range(g.num_players)] == end["breakdown"]
        assert winners(g) == end["winners"]
    return g


def replay_game(game: dict[str, Any]) -> Any:
    """Play a whole game from its deal, comparing everything."""
    states = np.zeros(1, STATE)
    serial.deal(states, game_options(game["options"]), 7, game["deal"])
    g = states[0]
    now = digest(g)
    assert now == game["start"]
    for i, (decider, ids, action, after) in enumerate(game["steps"]):
        where = (game["id"], i)
        assert (where, now["decider"], legal(g)) == (where, decider, ids)
        rules.apply(g, action)
        before, now = now, digest(g)
        assert (where, changed(before, now)) == (where, after)
    assert now["state"] == "OVER"
    final = game["final"]
    assert [breakdown(g, seat) for seat in range(g.num_players)] == final["breakdown"]
    assert winners(g) == final["winners"]
    assert legal(g) == []
    return g
