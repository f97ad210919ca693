"""A game is a value: copied, saved, read back, compared; and the texts of its actions."""

import copy
import json
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from castle_envs import chateau_combo_v0
from castle_envs.engine.errors import OptionError
from castle_envs.games.chateau_combo import GAME, actions
from castle_envs.games.chateau_combo.actions import Discard, Key, Option, Recruit
from tests.chateau_combo.walk import kinds_of_states, legal_ids, new_env, random_choice

KINDS = kinds_of_states(3)


def json_trip(env):
    return type(env).from_dict(json.loads(json.dumps(env.to_dict())))


def state_trip(env):
    other = type(env)(num_players=len(env.possible_agents))
    other.reset(seed=99)
    other.set_state(env.get_state())
    return other


WAYS = {
    "clone": lambda env: env.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "json": json_trip,
    "state": state_trip,
}


def look(env):
    """Everything a user can see of an environment."""
    return (
        env.get_state(),
        env.to_dict(),
        env.agents,
        env.agent_selection,
        env.rewards,
        env._cumulative_rewards,
        env.terminations,
        env.truncations,
        env.infos,
        env.scores(),
        [env.breakdown(agent) for agent in env.possible_agents],
        [{k: v.tobytes() for k, v in env.observe(agent).items()} for agent in env.possible_agents],
    )


def play_on(env, seed):
    """Random play to the very end, then a further game."""
    rng, seen = random.Random(seed), []
    while env.agents:
        dead = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        env.step(None if dead else random_choice(env, rng))
        seen.append(look(env))
    env.reset()
    seen.append(look(env))
    return seen


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_copies_are_equal_and_independent(kind, way):
    env = KINDS[kind].clone()
    before = look(env)
    twin = WAYS[way](env)
    assert look(twin) == before
    first = play_on(twin, 1)
    assert look(env) == before, "playing the copy leaves the original alone"
    assert play_on(env, 1) == first, "both go on alike, chance and the next deal included"


@pytest.mark.parametrize("way", WAYS)
def test_copies_keep_constructor_keywords(way):
    env = chateau_combo_v0.raw_env(num_players=4)
    env.reset(seed=1)
    assert WAYS[way](env).possible_agents == env.possible_agents
    if way in ("state",):
        return
    keywords = {"observation": "tokens", "seats": 5, "reward": "score", "extras": ("gains",)}
    env = chateau_combo_v0.raw_env(num_players=4, **keywords)
    env.reset(seed=1)
    twin = WAYS[way](env)
    assert twin.layout.hash == env.layout.hash and twin.reward == env.reward


@pytest.mark.parametrize("way", ["clone", "copy", "deepcopy", "pickle"])
def test_copies_before_reset(way):
    env = chateau_combo_v0.env(num_players=3)
    twin = WAYS[way](env)
    for one in (env, twin):
        one.reset(seed=5)
    assert look(env) == look(twin)


def test_states_compare_and_hash():
    one, other = new_env(2, 1), new_env(2, 1)
    assert one.get_state() == other.get_state()
    assert len({one.get_state(), other.get_state()}) == 1
    one.step(legal_ids(one)[-1])
    assert one.get_state() != other.get_state()
    assert pickle.loads(pickle.dumps(one.get_state())) == one.get_state()


def test_saved_dicts_are_fresh():
    """Changing what `to_dict` or `observe` returned changes nothing in the game."""
    env = new_env(2, 1)
    before = look(env)
    saved = env.to_dict()
    saved["players"][0]["gold"] = 99
    saved["rows"]["castle"][0] = None
    saved["env"]["infos"]["player_0"]["x"] = 1
    observed = env.observe(env.agent_selection)
    observed["observation"][:] = 7
    observed["action_mask"][:] = 0
    assert look(env) == before


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2**32), st.integers(0, 80), st.booleans())
def test_json_round_trip_anywhere(players, seed, steps, checked):
    face = chateau_combo_v0.env if checked else chateau_combo_v0.raw_env
    env, rng = face(num_players=players), random.Random(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        if env.agents:
            dead = env.terminations[env.agent_selection]
            env.step(None if dead else random_choice(env, rng))
    twin = json_trip(env)
    assert look(twin) == look(env)
    assert play_on(twin, seed) == play_on(env, seed)


def test_json_after_an_illegal_move():
    env = chateau_combo_v0.env(num_players=3)
    env.reset(seed=2)
    env.step(102)
    for _ in range(3):
        twin = json_trip(env)
        assert look(twin) == look(env)
        env.step(None)


# Actions ---------------------------------------------------------------------------------------


def test_ids_moves_and_texts():
    texts = set()
    for action in range(103):
        move = actions.decode(action)
        assert actions.encode(move) == action
        text = GAME.action_names[action]
        assert GAME.string_to_action(text) == action
        texts.add(text)
    assert len(texts) == 103


@pytest.mark.parametrize(
    ("action", "move"),
    [
        (0, Key("move")),
        (1, Key("refresh")),
        (2, Recruit(0, False, -1, -1)),
        (7, Recruit(0, False, 0, 0)),
        (17, Recruit(0, False, 2, 2)),
        (18, Recruit(0, True, -1, -1)),
        (34, Recruit(1, False, -1, -1)),
        (97, Recruit(2, True, 2, 2)),
        (98, Option(0)),
        (99, Option(1)),
        (100, Discard(0)),
        (102, Discard(2)),
    ],
)
def test_ids_are_the_documented_ones(action, move):
    assert actions.decode(action) == move and type(actions.decode(action)) is type(move)
    assert actions.encode(move) == action


@pytest.mark.parametrize(
    "move",
    [
        Key("stay"),
        Recruit(3, False, 0, 0),
        Recruit(0, False, 3, 0),
        Option(2),
        Discard(3),
        5,
        None,
        (0,),
    ],
)
def test_no_such_move(move):
    with pytest.raises(OptionError, match="no move"):
        actions.encode(move)


@pytest.mark.parametrize("action", [-1, 103, 10**9])
def test_no_such_id(action):
    with pytest.raises(OptionError, match="0 to 102"):
        actions.decode(action)


def test_no_such_text():
    with pytest.raises(OptionError, match="no action"):
        GAME.string_to_action("fold")
