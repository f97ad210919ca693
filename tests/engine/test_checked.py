"""`env()` beside `raw_env()` under PettingZoo's three standard wrappers: alike in everything."""

import copy
import pickle
import random
from operator import attrgetter, methodcaller

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from castle_envs import chateau_combo_v0

KEYWORDS = {"render_mode": "ansi", "observation": "tokens", "reward": "score"}


def stock(**keywords):
    bare = chateau_combo_v0.raw_env(**keywords)
    inner = TerminateIllegalWrapper(bare, illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(inner))


def pair(players):
    return (
        chateau_combo_v0.env(num_players=players, **KEYWORDS),
        stock(num_players=players, **KEYWORDS),
    )


def plain(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def outcome(call, env):
    """What a call gives: its value, or its exception; and what was logged meanwhile."""
    EnvLogger.flush()
    try:
        found, error = plain(call(env)), None
    except Exception as raised:
        found, error = None, raised
    return found, error, [str(line) for line in EnvLogger.mqueue]


def same(envs, call, what):
    """Both give the same value or an exception of the same kind, and log the same."""
    ours, theirs = (outcome(call, env) for env in envs)
    assert ours[0] == theirs[0], what
    assert ours[2] == theirs[2], what
    if theirs[1] is None:
        assert ours[1] is None, (what, ours[1])
    else:
        assert isinstance(ours[1], type(theirs[1])), (what, ours[1], theirs[1])


ATTRIBUTES = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
    "possible_agents",
    "max_num_agents",
    "metadata",
    "render_mode",
)


def without_mask(env, observation):
    """Once somebody is out, no mask: after an illegal move the stock stack shows that of the game
    that did not go on, ours zeros.
    """
    if len(env.agents) == len(env.possible_agents) and not any(env.truncations.values()):
        return observation
    if isinstance(env, chateau_combo_v0.env):
        assert not observation["action_mask"].any()
    return observation["observation"]


def last(env):
    observation, *rest = env.last()
    return without_mask(env, observation), rest


CALLS = {
    "observe": lambda env: [without_mask(env, env.observe(a)) for a in env.possible_agents],
    "last": last,
    "last without": lambda env: env.last(observe=False),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: bool(env.agent_iter()),
    "text": str,
    "close": lambda env: env.close(),
    "spaces": lambda env: [
        (str(env.observation_space(a)), str(env.action_space(a))) for a in env.possible_agents
    ],
}


def check_all(envs, what):
    """Every attribute and method of both."""
    for name in ATTRIBUTES:
        if name == "_cumulative_rewards" and "agents" not in envs[0].__dict__:
            continue
        same(envs, attrgetter(name), (what, name))
        assert hasattr(envs[0], name) == hasattr(envs[1], name), (what, name)
    for name, call in CALLS.items():
        same(envs, call, (what, name))


def draw(env, kind, rng):
    """An action of a kind for the agent to act."""
    mask = env.observe(env.agent_selection)["action_mask"]
    legal, illegal = np.flatnonzero(mask).tolist(), np.flatnonzero(mask == 0).tolist()
    return {
        "legal": rng.choice(legal or [0]),
        "illegal": rng.choice(illegal),
        "numpy": np.int64(rng.choice(legal or [0])),
        "array": np.array(rng.choice(legal or [0])),
        "above": 103,
        "below": -1,
        "huge": 10**25,
        "float": 1.5,
        "text": "7",
        "none": None,
    }[kind]


KINDS = ("legal", "illegal", "numpy", "array", "above", "below", "huge", "float", "text", "none")


def step_both(envs, kind, rng):
    action = draw(envs[0], kind, rng) if envs[0].agents else 5
    same(envs, methodcaller("step", action), (kind, action))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_before_reset(players):
    envs = pair(players)
    check_all(envs, "before reset")
    for action in (0, None, 103, 1.5):
        same(envs, methodcaller("step", action), action)
    check_all(envs, "after a step before reset")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games(players):
    """Every step of a game, its dead steps, and steps after those."""
    envs, rng = pair(players), random.Random(players)
    for env in envs:
        env.reset(seed=players)
    check_all(envs, "after reset")
    while envs[0].agents:
        for kind in ("above", "float", "text"):
            step_both(envs, kind, rng)
        alive = not envs[0].terminations[envs[0].agent_selection]
        step_both(envs, "none" if alive else "legal", rng)
        step_both(envs, "legal" if alive else "none", rng)
        check_all(envs, "running" if alive else "dead steps")
    for kind in KINDS:
        step_both(envs, kind, rng)
        check_all(envs, "nobody left")
    same(envs, methodcaller("reset", seed=3), "reset")
    check_all(envs, "the next game")


@pytest.mark.parametrize("moves", [0, 1, 2, 7, 12, 13])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_illegal_moves(players, moves):
    """The offender gets -1, the others 0, all are terminated and truncated."""
    envs, rng = pair(players), random.Random(moves)
    for env in envs:
        env.reset(seed=moves)
    for _ in range(moves):
        step_both(envs, "legal", rng)
    offender = envs[0].agent_selection
    step_both(envs, "illegal", rng)
    check_all(envs, "after an illegal move")
    assert envs[0].rewards == {agent: -1.0 * (agent == offender) for agent in envs[0].agents}
    assert all(envs[0].terminations.values()) and all(envs[0].truncations.values())
    for kind in ("legal", "illegal", "above", *["none"] * (players + 2)):
        step_both(envs, kind, rng)
        check_all(envs, f"then {kind}")
    assert envs[0].agents == []


def visits(env, pattern):
    """What `agent_iter` yields or raises where some rounds do not step."""
    found = []
    rng = random.Random(0)
    try:
        for agent, steps in zip(env.agent_iter(), pattern, strict=False):
            found.append(agent)
            if steps:
                dead = env.terminations[agent] or env.truncations[agent]
                env.step(None if dead else draw(env, "legal", rng))
    except AssertionError as error:
        found.append(str(error))
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("pattern", [[1] * 400, [1, 1, 0, 1], [0, 0], [1] * 5 + [0] * 2, [0]])
def test_agent_iter(players, pattern):
    envs = pair(players)
    for env in envs:
        env.reset(seed=1)
    assert visits(envs[0], pattern) == visits(envs[1], pattern)
    assert visits(envs[0], pattern) == visits(envs[1], pattern), "once more, as things now are"
    for env in envs:
        env.reset()
    assert list(envs[0].agent_iter(0)) == list(envs[1].agent_iter(0)) == []


@pytest.mark.parametrize("kind", ["above", "illegal", "text"])
def test_a_failed_step_counts_as_one_between_two_agents(kind):
    envs, rng = pair(2), random.Random(0)
    for env in envs:
        env.reset(seed=0)
    same(envs, lambda env: next(iter(env.agent_iter())), "first")
    step_both(envs, kind, rng)
    same(envs, lambda env: next(iter(env.agent_iter())), "again")


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(0, 99),
    st.lists(st.sampled_from([*KINDS, *["legal"] * 12, "reset", "iterate", "look"]), max_size=60),
)
def test_any_sequence(players, seed, script):
    envs, rng = pair(players), random.Random(seed)
    for env in envs:
        env.reset(seed=seed)
    for kind in script:
        if kind == "reset":
            for env in envs:
                env.reset(seed=seed + 1)
        elif kind == "iterate":
            same(envs, lambda env: next(iter(env.agent_iter())), kind)
        elif kind == "look":
            check_all(envs, script)
        else:
            step_both(envs, kind, rng)
    check_all(envs, script)


@pytest.mark.parametrize("action", [True, np.bool_(True)])
def test_bools_are_no_actions(action):
    """Here we are stricter than the stock wrappers: Python counts True as the integer 1."""
    env = pair(2)[0]
    env.reset(seed=1)
    with pytest.raises(AssertionError):
        env.step(action)


def test_loops_start_anywhere():
    """A game read back, set or cloned within a loop can be looped over at once."""
    env = chateau_combo_v0.env()
    env.reset(seed=1)
    fresh = chateau_combo_v0.env()
    fresh.set_state(env.get_state())
    read = chateau_combo_v0.env.from_dict(env.to_dict())
    for agent in env.agent_iter():
        env.set_state(env.get_state())
        for twin in (fresh, read, env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            assert next(iter(twin.agent_iter())) == agent
        break
    assert next(iter(env.agent_iter())) == agent, "set_state counts as a reset"
