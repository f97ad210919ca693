"""Other card lists: the same rules on the user's own file."""

import copy
import json
import pickle

import gymnasium
import numpy as np
import pytest

import castle_envs
from castle_envs import castle_up_v0
from castle_envs.engine.batch import Batch
from castle_envs.engine.batch import random_playouts as batch_playouts
from castle_envs.engine.errors import OptionError, StateError
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.cards import DATA
from castle_envs.games.castle_up.schema import CardFileError
from castle_envs.games.castle_up.variant import game_for
from castle_envs.interop.sb3 import SingleSeatVecEnv
from tests.castle_up.replay import CHECKS

FARM_FOOD = 5


def changed(data):
    """The shipped list with a better Farm, another Market and one card less."""
    cards = {card["id"]: card for card in data["buildings"]}
    cards["farm"]["actions"][0]["effects"][0]["resources"]["food"] = FARM_FOOD
    cards["market"]["cost"] = dict.fromkeys(cards["market"]["cost"], 0) | {"food": 1}
    per_red = {"base": 0, "suit": "red", "mult": 1}
    cards["market"]["actions"][0]["effects"][0]["resources"] = {"food": 1, "manpower": per_red}
    data["buildings"].remove(cards["university"])
    return data


@pytest.fixture(scope="module")
def card_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("cards") / "mine.json"
    path.write_text(json.dumps(changed(copy.deepcopy(dict(DATA)))), "utf-8")
    return path


def position(env_class, card_file):
    before = next(c for c in CHECKS["examples"] if c["id"] == "ex_market")["before"]
    values = copy.deepcopy(before)
    values["options"]["card_file"] = str(card_file)
    values["seats"][0]["city"] = [["castle", "exhausted"], ["farm", "ready"]]
    return env_class.from_dict(values, check="position")


def test_the_file_is_played_with(card_file):
    env = position(castle_up_v0.raw_env, card_file)
    env.step(env.game.string_to_action("use slot 1 action 0"))
    assert env.to_dict()["seats"][0]["tokens"][2] == FARM_FOOD
    assert env.to_dict()["options"]["card_file"] == str(card_file)


@pytest.mark.parametrize(("own_castle", "feeds"), [("castle", False), ("castle_red", True)])
def test_an_x_that_is_nothing_feeds_no_defense(card_file, own_castle, feeds):
    """R14: the Watchtower takes manpower, which the Market gains by the red cards there are."""
    before = next(c for c in CHECKS["examples"] if c["id"] == "ex_market")["before"]
    values = copy.deepcopy(before)
    values["options"]["card_file"] = str(card_file)
    values["seats"][0]["city"] = [["soldiers_barracks", "ready"]]
    city = [[own_castle, "exhausted"], ["market", "ready"], ["watchtower", "exhausted"]]
    values["seats"][1] |= {"city": city, "tokens": [1, 0, 0, 0]}
    env = castle_up_v0.raw_env.from_dict(values, check="position")
    env.step(env.game.string_to_action("attack 1 on, slot 1"))
    assert env.to_dict()["state"] == "DEFENSE"
    mask = env.observe("player_1")["action_mask"]
    assert mask[env.game.string_to_action("use slot 1 action 0")] == feeds


def test_the_shipped_list_stays_as_it_is(card_file):
    game_for(card_file)
    env = castle_up_v0.raw_env()
    assert env.game is GAME
    env.reset(seed=1)
    assert len(env.to_dict()["deck"]) + len(env.to_dict()["row"]) == 53


def test_games_without_the_missing_card(card_file):
    env = castle_up_v0.env(card_file=str(card_file), num_players=3, removal=True)
    env.reset(seed=2)
    assert isinstance(env, castle_up_v0.env)
    rng = np.random.default_rng(3)
    while not env.terminations["player_0"]:
        assert "university" not in env.to_dict()["deck"]
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        twin = pickle.loads(pickle.dumps(env))
        assert twin.to_dict() == env.to_dict() and isinstance(twin, castle_up_v0.env)
    again = castle_up_v0.env.from_dict(json.loads(json.dumps(env.to_dict())))
    assert again.get_state() == env.get_state() and again.game is env.game
    assert env.clone().game is env.game


def test_pickle_of_the_shipped_list():
    env = castle_up_v0.raw_env(num_players=4)
    env.reset(seed=1)
    twin = pickle.loads(pickle.dumps(env))
    assert type(twin) is castle_up_v0.raw_env and twin.get_state() == env.get_state()


def test_batch(card_file):
    batch = castle_envs.batch("castle_up", 4, seed=1, card_file=str(card_file), observation=None)
    assert batch.game is game_for(card_file)
    dealt = position(castle_up_v0.raw_env, card_file).to_dict()
    batch.set_rows([2], batch.game.from_dict(dealt, "position")[0])
    actions = batch.sample_actions()
    actions[2] = batch.game.string_to_action("use slot 1 action 0")
    batch.step(actions)
    assert batch.states[2].tokens[0, 2] == FARM_FOOD
    for _ in range(50):
        batch.step_random()
    state = batch.get_rows([2])
    own = castle_envs.random_playouts("castle_up", state, 40, 1, card_file=str(card_file))
    again = batch_playouts(game_for(card_file), state, 40, 1)
    assert (own[0] == again[0]).all() and own[0].any()
    with pytest.raises(StateError, match="one record"):
        castle_envs.random_playouts("castle_up", state, 40, 1)


def test_single_seat_faces(card_file):
    game = game_for(card_file)
    env = gymnasium.make("castle_envs/CastleUp-v0", card_file=str(card_file), opponents="greedy")
    observation, _ = env.reset(seed=1)
    assert env.unwrapped.core.game is game and observation.shape == env.observation_space.shape
    vector = SingleSeatVecEnv("castle_up", 2, card_file=str(card_file), observation="tokens")
    assert vector.core.game is game and vector.reset().shape[0] == 2


def test_batches_that_cannot_have_the_file(card_file, tmp_path):
    with pytest.raises(OptionError, match="card_file"):
        castle_envs.batch("chateau_combo", 1, card_file=str(card_file))
    with pytest.raises(CardFileError, match="nowhere"):
        castle_envs.batch("castle_up", 1, card_file=str(tmp_path / "nowhere.json"))
    with pytest.raises(OptionError, match="game_for"):
        Batch(GAME, 1, card_file=str(card_file))
    assert castle_envs.batch("castle_up", 1, card_file=None).game is GAME


def test_errors(tmp_path, card_file):
    with pytest.raises(CardFileError, match="nowhere"):
        castle_up_v0.env(card_file=tmp_path / "nowhere.json")
    broken = changed(copy.deepcopy(dict(DATA)))
    broken["buildings"][0]["endurance"] = 0
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken), "utf-8")
    with pytest.raises(CardFileError, match="militia_barracks: endurance"):
        castle_up_v0.env(card_file=path)
    with pytest.raises(OptionError, match="card_file"):
        castle_up_v0.env(card_file=5)
    with pytest.raises(OptionError, match="game_for"):
        GAME.pack(GAME.options.from_keywords(card_file=str(card_file)))
