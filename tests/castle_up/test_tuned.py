"""Card files that hold only changes, and the tuned list that comes with the package."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

import castle_envs
from castle_envs import agents, castle_up_v0
from castle_envs.agents.networks import NetworkSpec, PolicyNetwork
from castle_envs.agents.policy import save_policy
from castle_envs.cli import main
from castle_envs.engine.errors import CheckpointError, OptionError
from castle_envs.games import with_cards
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.cards import DATA, SHIPPED, TUNED, read, resolved
from castle_envs.games.castle_up.schema import CardFileError
from training.config import TrainConfig
from training.ppo import PPO

TUNING = json.loads(SHIPPED[TUNED].read_text("utf-8"))
SIDES = [role[side] for role in DATA["action_cards"] for side in ("front", "back")]
CARDS = {card["id"]: card for card in (*DATA["buildings"], *DATA["castles"], *SIDES)}


def written(tmp_path, changes, **more):
    path = tmp_path / "changes.json"
    path.write_text(json.dumps({"changes": changes, **more}), "utf-8")
    return path


def leaves(path, change):
    """Every change below a path: the whole path, and the new value."""
    if not isinstance(change, dict):
        return [(path, change)]
    return [found for key, value in change.items() for found in leaves((*path, key), value)]


CHANGED = [
    (card, *leaf) for card, change in TUNING["changes"].items() for leaf in leaves((), change)
]


def at(card, path):
    for key in path:
        card = card[int(key)] if isinstance(card, list) else card[key]
    return card


def source_of(card, path):
    """Where a field of the default list comes from; an action says it for itself."""
    if path[0] == "actions":
        return card["actions"][int(path[1])]["provenance"]
    return card["provenance"][path[0]]


@pytest.mark.parametrize(("card", "path", "value"), CHANGED)
def test_tuning_changes_reconstructed_numbers_only(card, path, value):
    assert source_of(CARDS[card], path) == "reconstructed"
    tuned = read(SHIPPED[TUNED])
    groups = (*tuned["buildings"], *tuned["castles"])
    sides = [role[side] for role in tuned["action_cards"] for side in ("front", "back")]
    found = next(c for c in (*groups, *sides) if c["id"] == card)
    assert at(found, path) == value != at(CARDS[card], path)


def test_all_else_is_the_default_list():
    tuned, changed = read(SHIPPED[TUNED]), set(TUNING["changes"])
    for group in ("buildings", "castles"):
        for old, new in zip(DATA[group], tuned[group], strict=True):
            assert (old == new) == (old["id"] not in changed)
    assert tuned["token_supply"] == DATA["token_supply"] and tuned["version"] == 3


def test_changes_go_by_field_and_position(tmp_path):
    changes = {
        "farm": {"actions": {"0": {"effects": {"0": {"resources": {"food": 5}}}}}},
        "loot_the_peasants": {"loot": {"attack_required": 4}},
        "castle_red": {"suit": "blue"},
    }
    found = read(written(tmp_path, changes, title="Mine"))
    farm = next(c for c in found["buildings"] if c["id"] == "farm")
    assert farm["actions"][0]["effects"] == [{"type": "gain", "resources": {"food": 5}}]
    assert farm["cost"] == CARDS["farm"]["cost"] and found["title"] == "Mine"
    loot = found["action_cards"][3]["front"]["loot"]
    assert loot == {**CARDS["loot_the_peasants"]["loot"], "attack_required": 4}
    assert next(c for c in found["castles"] if c["id"] == "castle_red")["suit"] == "blue"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"farn": {}}, "farn"),
        ([], "object of card ids"),
        ({"farm": {"costs": {}}}, "farm.*'costs'"),
        ({"farm": {"cost": {"wood": 1}}}, "farm, cost.*'wood'"),
        ({"farm": {"actions": {"1": {}}}}, "farm, actions.*'1'"),
        ({"farm": {"actions": {"x": {}}}}, "farm, actions.*'x'"),
        ({"farm": {"endurance": 0}}, "farm: endurance"),
        ({"farm": {"cost": 3}}, "farm"),
        ({"farm": 3}, "farm: must be an object"),
    ],
)
def test_bad_changes(tmp_path, changes, message):
    with pytest.raises(CardFileError, match=message):
        castle_up_v0.raw_env(card_file=written(tmp_path, changes))


def test_the_tuned_list_by_its_name():
    """It is played by name, says so in its states, and comes back from them."""
    env = castle_up_v0.raw_env(card_file="tuned")
    env.reset(seed=3)
    values = env.to_dict()
    assert values["options"]["card_file"] == "tuned"
    again = castle_up_v0.raw_env.from_dict(values)
    assert again.to_dict() == values and again.game is env.game is with_cards("castle_up", "tuned")
    assert env.game is not GAME
    batch = castle_envs.batch("castle_up", 8, card_file="tuned", seed=1, observation=None)
    for _ in range(300):
        batch.step_random()
    assert (batch.final_length > 0).all()


def test_files_of_changes_hold_nothing_else(tmp_path):
    with pytest.raises(CardFileError, match="'token_supply'"):
        read(written(tmp_path, {}, token_supply={}))
    path = tmp_path / "twice.json"
    path.write_text('{"changes": {"farm": {"endurance": 1}, "farm": {"endurance": 3}}}', "utf-8")
    with pytest.raises(CardFileError, match="'farm' stands twice"):
        read(path)


def test_games_and_agents_keep_their_list():
    """Pickled or copied, what plays the tuned list goes on playing it."""
    tuned = with_cards("castle_up", "tuned")
    agent = agents.resolve("greedy", tuned)
    for twin in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert twin.game is tuned
    assert pickle.loads(pickle.dumps(GAME)) is GAME is copy.deepcopy(GAME)
    assert tuned.cards != GAME.cards


def test_paths_are_no_names(tmp_path, monkeypatch):
    """A file of that name is meant by a Path, and a relative one holds wherever one goes."""
    monkeypatch.chdir(tmp_path)
    cheaper = {"farm": {"cost": {"supplies": 1}}}
    written(tmp_path, cheaper).rename("tuned")
    assert resolved("tuned") == SHIPPED[TUNED] and resolved(Path("tuned")) == tmp_path / "tuned"
    env = castle_up_v0.raw_env(card_file=Path("tuned"))
    env.reset(seed=1)
    monkeypatch.chdir("/")
    env.reset(seed=1, options={"first_player": 0})
    assert env.to_dict()["options"]["card_file"] == str(tmp_path / "tuned")


def test_the_listing_of_a_list(capsys):
    """A change shows in the cards that the command prints."""
    main(["cards", "--game", "castle_up"])
    default = capsys.readouterr().out
    main(["cards", "--game", "castle_up", "--card-file", "tuned"])
    assert capsys.readouterr().out != default


def test_training_and_policies_on_another_list(tmp_path):
    """A learner plays the list of its options; its policy knows and plays no other."""
    sizes = {"num_envs": 16, "rollout": 8, "minibatch": 64, "trunk": (16,), "total_samples": 256}
    config = {"game": "castle_up", "options": {"card_file": "tuned"}, "extras": ("scores",)}
    learner = PPO(TrainConfig(**config, **sizes))
    learner.iterate()
    tuned = with_cards("castle_up", "tuned")
    assert learner.game is tuned
    save_policy(tmp_path, learner.game, learner.layout, learner.network, {})
    agent = agents.load(tmp_path)
    assert agent.game is tuned
    assert agents.resolve(str(tmp_path), tuned).game is tuned
    with pytest.raises(OptionError, match="card list tuned"):
        agents.resolve(str(tmp_path), "castle_up")
    described = json.loads((tmp_path / "policy.json").read_text())
    (tmp_path / "policy.json").write_text(json.dumps(described | {"cards": "0" * 16}))
    with pytest.raises(CheckpointError, match="other cards than tuned"):
        agents.load(tmp_path)
    described["card_file"] = str(tmp_path / "gone.json")
    (tmp_path / "policy.json").write_text(json.dumps(described))
    with pytest.raises(CheckpointError, match="gone"):
        agents.load(tmp_path)


def test_default_policies_name_no_list(tmp_path):
    layout = GAME.layout("tokens", 2)
    torch.manual_seed(0)
    network = PolicyNetwork(GAME, layout, NetworkSpec((8,)))
    save_policy(tmp_path, GAME, layout, network, {})
    described = json.loads((tmp_path / "policy.json").read_text())
    assert described["card_file"] is None and described["cards"] == GAME.cards
    states = GAME.empty(1)
    GAME.new(states[0], GAME.pack(GAME.options())[0], np.uint64(5))
    seats = states["seat"].astype(np.int64)
    chosen = agents.load(tmp_path).act_batch(states, seats, np.random.default_rng(0))
    assert chosen.shape == (1,)
