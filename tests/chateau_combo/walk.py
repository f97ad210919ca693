"""Games to visit: every policy yields the environment at each state, before its move is played."""

import random

import numpy as np

from castle_envs import chateau_combo_v0
from castle_envs.engine.drivers import drivers_of
from castle_envs.games.chateau_combo import GAME
from castle_envs.games.chateau_combo.actions import Key, Recruit


def legal_ids(env):
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


def random_choice(env, rng):
    return rng.choice(legal_ids(env))


def refresh_often(env, rng):
    """Random play that spends keys on refreshing, so that decks run out."""
    ids = legal_ids(env)
    refresh = env.encode_action(Key("refresh"))
    if refresh in ids:
        return refresh
    down = [a for a in ids if getattr(env.decode_action(a), "face_down", False)]
    return rng.choice(down or ids)


def drain_castle(env, rng):
    """Always face-down from the Castle, by a key where need be: the Castle runs dry with 5."""
    ids = legal_ids(env)
    moves = {a: env.decode_action(a) for a in ids}
    here = env.to_dict()["messenger"]
    if here == "village" and env.encode_action(Key("move")) in ids:
        return env.encode_action(Key("move"))
    wanted = here == "castle"
    down = [a for a, m in moves.items() if isinstance(m, Recruit) and m.face_down is wanted]
    return rng.choice(down or ids)


def greedy_choice(env, rng):
    states, _ = GAME.from_dict(env.to_dict(), "full")
    actions = np.zeros(1, np.int64)
    drivers_of(GAME).greedy(states, actions)
    return int(actions[0])


def new_env(num_players=2, seed=0, **keywords):
    env = chateau_combo_v0.raw_env(num_players=num_players, **keywords)
    env.reset(seed=seed)
    return env


def visited(env, choose=random_choice, seed=0):
    """Yields `env` at every running state, then once at the end."""
    rng = random.Random(seed)
    while not any(env.terminations.values()):
        yield env
        env.step(choose(env, rng))
    yield env


def kinds_of_states(num_players=2):
    """One environment of every kind of situation, by name."""
    found, wanted = {}, {"turn", "recruit", "option", "discard"}
    for seed in range(50):
        env = new_env(num_players, seed)
        for _ in visited(env, seed=seed):
            if not env.to_dict()["over"]:
                found.setdefault(env.to_dict()["phase"], env.clone())
        if wanted <= set(found):
            break
    assert wanted <= set(found), f"fifty games never came to {wanted - set(found)}"
    found["fresh"] = new_env(num_players, 3)
    found["over"] = env.clone()
    env.step(None)
    found["dead steps"] = env.clone()
    while env.agents:
        env.step(None)
    found["nobody left"] = env
    drained = new_env(5, 1)
    for _ in visited(drained, drain_castle):
        if not drained.to_dict()["rows"]["castle"]:
            found["exhausted"] = drained.clone()
            break
    return found
