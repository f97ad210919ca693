"""Replays the cases of `checks.json` through the public environment."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from castle_envs import castle_up_v0

CHECKS = json.loads((Path(__file__).parent / "checks.json").read_text("utf-8"))
LETTER = {"ready": "r", "exhausted": "e", "damaged": "d"}


def legal(env: Any) -> list[int]:
    """Legal ids of the agent to act; none at the end."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return np.flatnonzero(mask).tolist()


def digest(env: Any) -> dict[str, Any]:
    """A situation in the words of the checks."""
    now = env.to_dict()
    found = {
        "decider": None if now["state"] == "OVER" else now["current"],
        "deck": len(now["deck"]),
        "discard": len(now["discard"]),
        "discard_top": now["discard"][0] if now["discard"] else None,
    }
    for key in ("state", "active", "round", "era", "row", "initiative", "direction"):
        found[key] = now[key]
    for key in ("purchases", "battles"):
        found[key] = now[key]
    for i, seat in enumerate(now["seats"]):
        found[f"tokens{i}"] = seat["tokens"]
        found[f"city{i}"] = [c and [c[0], LETTER[c[1]]] for c in seat["city"]]
        found[f"held{i}"] = [
            [role, "r" if card["ready"] else "e"] for role, card in seat["held"].items()
        ]
    return found


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in after.items() if v != before[k]}


def final(env: Any) -> tuple[list[dict[str, int]], list[int]]:
    """Breakdown of every seat, and the winners."""
    parts = [env.breakdown(agent) for agent in env.possible_agents]
    placed = [env.infos[agent]["placement"] for agent in env.possible_agents]
    return parts, [seat for seat, place in enumerate(placed) if place == 1]


def replay_position(case: dict[str, Any]) -> Any:
    """Play the steps of a case, comparing everything on the way and at the end."""
    env = castle_up_v0.raw_env.from_dict(case["before"], check="position")
    now = digest(env)
    for step in case["steps"]:
        assert (now["decider"], now["state"]) == (step["decider"], step["state"])
        assert legal(env) == step["legal"]
        assert env.game.action_names[step["action"]] == step["text"]
        env.step(step["action"])
        before, now = now, digest(env)
        assert changed(before, now) == step["after"]
    end = case["end"]
    assert (now["decider"], now["state"]) == (end["decider"], end["state"])
    assert legal(env) == end["legal"]
    assert {key: now[key] for key in case["expect"]} == case["expect"]
    if "breakdown" in end:
        assert final(env) == (end["breakdown"], end["winners"])
    return env


def replay_game(game: dict[str, Any]) -> Any:
    """Play a whole game from its deal, comparing everything at every decision."""
    options = {k: v for k, v in game["options"].items() if k != "players"}
    env = castle_up_v0.raw_env(num_players=game["players"], **options)
    env.reset(options=game["deal"])
    now = digest(env)
    assert now == game["start"]
    for decider, ids, action, after in game["steps"]:
        assert now["decider"] == decider
        assert env.agent_selection == f"player_{decider}"
        assert legal(env) == ids
        env.step(action)
        before, now = now, digest(env)
        assert changed(before, now) == after
    assert now["state"] == "OVER" and legal(env) == []
    assert final(env) == (game["final"]["breakdown"], game["final"]["winners"])
    assert all(env.terminations.values()) and not any(env.truncations.values())
    return env
