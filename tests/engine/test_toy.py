"""A second game through the same classes: the engine knows no game."""

import ast
import copy
import json
import pickle
import random
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import castle_envs
from castle_envs.engine.batch import Batch, random_playouts
from castle_envs.engine.errors import IllegalActionError, OptionError, UnknownOptionError
from tests.engine import toy_game
from tests.engine.toy_game import GAME, Show, Take

with warnings.catch_warnings():  # upstream's tests import an example game the deprecated way
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test

PACKAGE = Path(castle_envs.__file__).parent
FACES = (toy_game.env, toy_game.raw_env)


def started(face=toy_game.raw_env, seed=1, **keywords):
    env = face(**keywords)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("view", ["features", "tokens"])
def test_upstream(face, players, view, capsys):
    api_test(face(num_players=players, observation=view), num_cycles=200)
    seed_test(lambda: face(num_players=players, observation=view), num_cycles=50)
    render_test(lambda **keywords: face(num_players=players, **keywords))


def test_a_game_by_hand():
    env = toy_game.env(stones=7, observation="tokens", extras=("left",))
    env.reset(seed=1, options={"cards": [2, 0]})
    first = env.agent_selection
    second = "player_1" if first == "player_0" else "player_0"
    env.step(env.encode_action(Show()))
    assert env.agent_selection == first, "showing does not end the turn"
    for taken in (3, 1, 2):
        env.step(env.encode_action(Take(taken)))
    assert env.last()[0]["action_mask"].tolist() == [1, 0, 0, 1]
    env.step(env.encode_action(Take(1)))
    cards = {"player_0": 2, "player_1": 0}
    totals = {first: 1 + 3 + 2 + cards[first], second: 1 + 1 + 5 + cards[second]}
    assert env.scores() == totals
    assert env.infos[first]["action_text"] == "take 1"
    assert sum(env.rewards.values()) == 0 and all(env.terminations.values())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hidden_cards_stay_hidden(players):
    """What `redeal` resamples is exactly what the seat does not see."""
    rng = random.Random(players)
    for seed in range(20):
        env = started(num_players=players, seed=seed, extras=("left",))
        for _ in range(rng.randrange(4)):
            env.step(rng.choice(np.flatnonzero(env._mask).tolist()))
        for seat in range(players):
            states, _ = GAME.from_dict(env.to_dict(), "full")
            before, cards = env.observe(f"player_{seat}")["observation"], set()
            for again in range(20):
                GAME.redeal(states[0], seat, np.uint64(again))
                twin = toy_game.raw_env.from_dict(
                    env.to_dict() | GAME.to_dict(states), extras=("left",)
                )
                assert np.array_equal(twin.observe(f"player_{seat}")["observation"], before)
                cards.add(tuple(states[0].card))
            hidden = [s for s in range(players) if s != seat and not states[0].shown[s]]
            assert (len(cards) > 1) == bool(hidden)


def test_layout_grows_with_seats():
    small, large = started(extras=()), started(seats=4, extras=("left",))
    assert small.layout.size == 1 + 2 + 2 and large.layout.size == 1 + 4 + 4 + 3
    assert small.layout.hash != large.layout.hash
    seen = large.decode_observation(large.observe("player_0")["observation"])
    assert seen["stones"].tolist() == [12] and seen["left"].tolist() == [1, 0, 0]
    assert "| 0–0 | `stones` | 1 | 0 … 60 | stones left |" in large.layout.table()


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle", "json", "state"])
def test_copies(way):
    env = started(num_players=3, seed=4)
    env.step(1)
    ways = {
        "clone": env.clone,
        "deepcopy": lambda: copy.deepcopy(env),
        "pickle": lambda: pickle.loads(pickle.dumps(env)),
        "json": lambda: toy_game.raw_env.from_dict(json.loads(json.dumps(env.to_dict()))),
    }
    if way == "state":
        twin = started(num_players=3)
        twin.set_state(env.get_state())
    else:
        twin = ways[way]()
    assert twin.get_state() == env.get_state()
    twin.step(0)
    assert twin.get_state() != env.get_state()


def test_errors():
    with pytest.raises(UnknownOptionError, match="cards"):
        toy_game.env(cards=1)
    with pytest.raises(OptionError, match="stones"):
        toy_game.env(stones=0)
    with pytest.raises(OptionError, match="2 to 4"):
        toy_game.env(num_players=5)
    env = started(stones=1)
    with pytest.raises(IllegalActionError, match=r"take 2.*take or show"):
        env.step(1)
    with pytest.raises(OptionError, match="cards"):
        env.reset(options={"cards": [1, 7]})


@pytest.mark.parametrize("players", [2, 4])
def test_batch_plays_the_same_games(players):
    """Row i of a batch is the environment that was reset with seed + i."""
    batch = Batch(GAME, 5, num_players=players, seed=11, observation="tokens")
    envs = [started(seed=11 + i, num_players=players, observation="tokens") for i in range(5)]
    for _ in range(60):
        actions = batch.sample_actions().copy()
        for i, env in enumerate(envs):
            seat = int(env.agent_selection[-1])
            assert batch.current_player[i] == seat
            seen = env.observe(env.agent_selection)
            assert np.array_equal(batch.observation[i], seen["observation"])
            assert np.array_equal(batch.action_mask[i], seen["action_mask"])
            env.step(int(actions[i]))
        batch.step(actions)
        for i, env in enumerate(envs):
            over = any(env.terminations.values())
            assert batch.terminated[i] == over
            if over:
                paid = [env.rewards[agent] for agent in env.possible_agents]
                assert batch.final_rewards[i, :players].tolist() == paid
                env.reset()


def test_playouts_and_greedy():
    env = started(num_players=3)
    states, _ = GAME.from_dict(env.to_dict(), "full")
    points, payoffs = random_playouts(GAME, states, 200, seed=1, seat=0)
    assert points.shape == (200, 4) and np.allclose(payoffs.sum(1), 0, atol=1e-5)
    assert len({tuple(row) for row in points}) > 50
    env.step(int(GAME.greedy(states[0])))
    assert env.infos["player_0"]["action_text"] == "show"


# The engine knows no game ----------------------------------------------------------------------


def sources(folder):
    files = sorted((PACKAGE / folder).rglob("*.py"))
    assert files
    return {file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8") for file in files}


def imports(name, text, inside_functions=True):
    """Full names of the modules a source imports; those in functions only where asked for."""
    tree = ast.parse(text)
    lazy = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    package = ["castle_envs", *name.split("/")[:-1]]
    for node in ast.walk(tree):
        if node in lazy and not inside_functions:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            yield ".".join([*above, *filter(None, [node.module])])


WORDS = re.compile(
    r"ch[âa]teau|castle.?up|castle_combo|\bvillage|messenger|tableau|banner|shield|\bpurse"
    r"|\bgold\b|market|dungeon|knight",
    re.IGNORECASE,
)


@pytest.mark.parametrize("name", sources("engine"))
def test_engine_speaks_of_no_game(name):
    text = sources("engine")[name]
    assert not WORDS.findall(text)
    above = ("games", "agents", "evaluation", "interop", "cli", "chateau_combo_v0", "castle_up_v0")
    allowed = {"castle_envs.games"} if "def _game_by_name" in text else set()
    for module in imports(name, text):
        if module.startswith("castle_envs."):
            assert module in allowed or module.split(".")[1] not in above, module
    for module in imports(name, text, inside_functions=False):
        assert not module.startswith("castle_envs.games"), f"{module} at import time"


@pytest.mark.parametrize("name", sources("games"))
def test_games_import_the_engine_numpy_and_numba_only(name):
    """And of the engine nothing that stands above the contract; one game knows no other."""
    allowed = ("castle_envs.engine", f"castle_envs.games.{name.split('/')[1].removesuffix('.py')}")
    for module in imports(name, sources("games")[name]):
        top, last = module.split(".")[0], module.split(".")[-1]
        if top == "castle_envs":
            assert module.startswith(allowed) or name.count("/") == 1, module
            assert last not in ("aec", "batch", "drivers"), "games do not know the faces"
        else:
            assert top in sys.stdlib_module_names or top in ("numpy", "numba"), module


def test_a_game_made_from_another_has_layouts_of_its_own():
    view = GAME.views["tokens"]
    GAME.layout("tokens", 2)
    segments = view.segments[:1]
    other = replace(GAME, views={"tokens": replace(view, segments=segments)})
    assert other.layout("tokens", 2).segments == segments
