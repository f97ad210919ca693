"""Positions in the checks file's words -> the environment's dicts, and moves by card name."""

from castle_envs import chateau_combo_v0
from castle_envs.games.chateau_combo.actions import Discard, Key, Option, Recruit


def tableau(cells):
    """Cells with x to the right and y downward, relative to any origin."""
    left = min((cell["x"] for cell in cells), default=0)
    top = min((cell["y"] for cell in cells), default=0)
    return [
        {
            "card": cell["card"],
            "row": cell["y"] - top,
            "column": cell["x"] - left,
            "face_down": cell.get("face_down", False),
            "gold": cell.get("gold", 0),
        }
        for cell in cells
    ]


def player(cells=(), gold=15, keys=2):
    return {"gold": gold, "keys": keys, "tableau": tableau(cells)}


def position(players, rows, messenger, current=0, **more):
    return {
        "rows": rows,
        "messenger": messenger,
        "players": players,
        "current_player": current,
        **more,
    }


def env_at(players, rows, messenger, current=0, **more):
    return chateau_combo_v0.raw_env.from_dict(
        position(players, rows, messenger, current, **more), check="position"
    )


def legal(env):
    mask = env.observe(env.agent_selection)["action_mask"]
    return {env.decode_action(int(a)) for a in mask.nonzero()[0]}


def row_of(env, place):
    return env.to_dict()["rows"][place]


def take(env, card, cell, face_down=False, corner=(0, 0)):
    """Recruit a card to [x, y]; `corner` is the [x, y] of the frame's top-left cell."""
    messenger = env.to_dict()["messenger"]
    slot = row_of(env, messenger).index(card)
    move = Recruit(slot, face_down, cell[1] - corner[1], cell[0] - corner[0])
    env.step(env.encode_action(move))


def play_turn(env, turn, corner):
    """A turn of the checks file: key, recruit, option, discard."""
    if turn.get("key", "none") != "none":
        env.step(env.encode_action(Key(turn["key"])))
    take(env, turn["card"], turn["cell"], turn.get("face_down", False), corner)
    if "option" in turn:
        env.step(env.encode_action(Option(turn["option"])))
    if "discard" in turn:
        rows = env.to_dict()["rows"]
        other = next(row for row in rows.values() if turn["discard"] in row)
        env.step(env.encode_action(Discard(other.index(turn["discard"]))))


def corner_of(cells):
    """The [x, y] of a tableau's top-left corner; a first card sets it to its own cell."""
    if not cells:
        return None
    return (min(c["x"] for c in cells), min(c["y"] for c in cells))
