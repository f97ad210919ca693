"""Bad input: a typed error that names what was wrong and what is allowed, and nothing changed."""

import copy
import json

import numpy as np
import pytest

import castle_envs
from castle_envs import chateau_combo_v0
from castle_envs.engine.errors import (
    CastleEnvsError,
    IllegalActionError,
    LayoutError,
    OptionError,
    StateError,
    UnknownOptionError,
)
from castle_envs.games import by_name
from tests.chateau_combo.walk import drain_castle, kinds_of_states, new_env, visited

FACES = (chateau_combo_v0.env, chateau_combo_v0.raw_env)
KINDS = kinds_of_states(2)


def refused(error, call, *words):
    """`call` raises `error`, whose message holds the words."""
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, CastleEnvsError)
    for word in words:
        assert word in str(caught.value), str(caught.value)


# Constructor -----------------------------------------------------------------------------------


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"num_players": 2.5}, ["num_players", "2.5", "whole"]),
        ({"num_players": 6}, ["num_players", "6", "2 to 5"]),
        ({"num_players": 1}, ["num_players", "1", "2 to 5"]),
        ({"num_players": True}, ["num_players", "True"]),
        ({"num_players": "3"}, ["num_players", "'3'"]),
        ({"num_players": None}, ["num_players", "None"]),
        ({"render_mode": "rgb"}, ["render_mode", "rgb", "ansi"]),
        ({"observation": "pixels"}, ["observation", "pixels", "features", "tokens"]),
        ({"observation": None}, ["observation", "None"]),
        ({"reward": "money"}, ["reward", "money", "outcome", "placement", "score"]),
        ({"seats": 1}, ["seats", "1"]),
        ({"seats": 6}, ["seats", "6", "2", "5"]),
        ({"seats": 2, "num_players": 3}, ["seats", "2", "3"]),
        ({"seats": 2.0}, ["seats", "2.0"]),
        ({"seats": True}, ["seats", "True"]),
        ({"extras": ["magic"]}, ["extras", "magic", "scores", "gains"]),
        ({"extras": "scores"}, ["extras", "scores"]),
        ({"extras": True}, ["extras", "True"]),
        ({"extras": [["scores"]]}, ["extras", "scores"]),
        ({"observation": ["tokens"]}, ["observation", "tokens"]),
        ({"reward": ["score"]}, ["reward", "score"]),
        ({"render_mode": []}, ["render_mode", "[]"]),
    ],
)
def test_constructor_values(face, keywords, words):
    refused(OptionError, lambda: face(**keywords), *words)
    with pytest.raises(ValueError):
        face(**keywords)


@pytest.mark.parametrize("face", FACES)
def test_unknown_keyword(face):
    refused(UnknownOptionError, lambda: face(players=3), "players", "num_players")
    with pytest.raises(TypeError):
        face(expansion=True)


def test_unknown_game():
    refused(OptionError, lambda: by_name("chess"), "chess", "chateau_combo")
    refused(OptionError, lambda: castle_envs.batch("chess", 1), "chess")


@pytest.mark.parametrize("players", [3, np.int64(3), np.uint8(3)])
def test_any_whole_number_of_players(players):
    env = chateau_combo_v0.env(num_players=players)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


# Actions ---------------------------------------------------------------------------------------

NO_ACTIONS = [
    103,
    -1,
    10**30,
    2**63,
    1.5,
    1.0,
    None,
    True,
    False,
    np.float64(7),
    np.bool_(True),
    "7",
    [7],
]
NO_ACTIONS += [np.array([7]), np.array(7.0)]


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_no_actions_of_raw_env(action):
    env = new_env(2, 1)
    before = env.get_state()
    refused(IllegalActionError, lambda: env.step(action), env.agent_selection, "phase", "0 to 102")
    with pytest.raises(AssertionError):
        env.step(action)
    assert env.get_state() == before


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_no_actions_of_env(action):
    env = chateau_combo_v0.env()
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(AssertionError):
        env.step(action)
    assert env.get_state() == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int64, np.uint64, np.array])
@pytest.mark.parametrize("face", FACES)
def test_any_integer_type_is_an_action(face, kind):
    env = face()
    env.reset(seed=1)
    env.step(kind(1))
    assert env.infos["player_0"]["action_text"] == "key: refresh the row"


def test_actions_on_a_finished_game():
    env = KINDS["over"].clone()
    before = env.get_state()
    for action in (0, 5, 103, 1.5):
        with pytest.raises(ValueError, match="None"):
            env.step(action)
        assert env.get_state() == before
    env = KINDS["nobody left"].clone()
    before = env.get_state()
    for action in (0, None):
        refused(IllegalActionError, lambda a=action: env.step(a), "over")
        assert env.get_state() == before


def test_unknown_agent():
    env = new_env(2, 1)
    for call in (env.observe, env.observation_space, env.action_space, env.breakdown):
        with pytest.raises(KeyError, match="player_7"):
            call("player_7")


def test_observation_of_another_layout():
    env, other = new_env(2, 1), new_env(2, 1, seats=5)
    vector = other.observe("player_0")["observation"]
    refused(LayoutError, lambda: env.decode_observation(vector), str(len(vector)), "2 seats")
    refused(LayoutError, lambda: env.decode_observation(np.zeros((2, 2))), "(2, 2)")


# Deals -----------------------------------------------------------------------------------------


def whole_decks():
    state = new_env(2, 3).to_dict()
    return {place: state["rows"][place] + state["decks"][place] for place in state["rows"]}


def changed_deck(change):
    decks = whole_decks()
    change(decks)
    return {"decks": decks}


DEALS = {
    "doubled": (lambda d: d["castle"].__setitem__(0, d["castle"][1]), ["castle", "twice"]),
    "missing": (lambda d: d["castle"].pop(), ["castle", "lacks"]),
    "unknown": (lambda d: d["village"].__setitem__(0, "dragon"), ["village", "dragon"]),
    "number": (lambda d: d["village"].__setitem__(0, 7), ["village", "7"]),
    "none": (lambda d: d["village"].__setitem__(0, None), ["village", "None"]),
    "foreign": (lambda d: d["village"].append("baron"), ["baron", "village"]),
    "extra": (lambda d: d["castle"].append("baron"), ["baron", "twice"]),
    "place": (lambda d: d.__setitem__("forest", []), ["castle", "village"]),
    "text": (lambda d: d.__setitem__("castle", "baron"), ["castle", "list"]),
    "nothing": (lambda d: d.__setitem__("castle", None), ["castle", "list"]),
    "empty": (lambda d: d.__setitem__("castle", []), ["castle", "lacks"]),
}


@pytest.mark.parametrize("name", DEALS)
@pytest.mark.parametrize("face", FACES)
def test_bad_decks(face, name):
    change, words = DEALS[name]
    env = face()
    env.reset(seed=1)
    before = env.get_state()
    refused(OptionError, lambda: env.reset(seed=2, options=changed_deck(change)), *words)
    assert env.get_state() == before


@pytest.mark.parametrize("first", [3, -1, 1.0, True, "0"])
def test_bad_first_player(first):
    env = new_env(3, 1)
    before = env.get_state()
    refused(
        OptionError,
        lambda: env.reset(options={"first_player": first}),
        "first_player",
        repr(first).strip("'"),
    )
    assert env.get_state() == before


@pytest.mark.parametrize("decks", [[], "castle", 7])
def test_decks_must_be_a_dict(decks):
    env = new_env(2, 1)
    refused(OptionError, lambda: env.reset(options={"decks": decks}), "decks", "dict")


@pytest.mark.parametrize("seed", [1.5, "7", True])
def test_bad_seed(seed):
    env = new_env(2, 1)
    before = env.get_state()
    refused(OptionError, lambda: env.reset(seed=seed), "seed")
    assert env.get_state() == before


def test_unknown_reset_options_are_ignored():
    env, other = new_env(2, 1), new_env(2, 1)
    env.reset(seed=5, options={"options": 1, "magic": None})
    other.reset(seed=5)
    assert env.get_state() == other.get_state()


# Saved games -----------------------------------------------------------------------------------


def put(*path_and_value):
    """A change of a dict: the last argument goes where the others lead."""
    *path, key, value = path_and_value

    def change(saved):
        for step in path:
            saved = saved[step]
        saved[key] = value

    return change


def drop(*path):
    def change(saved):
        for step in path[:-1]:
            saved = saved[step]
        del saved[path[-1]]

    return change


def doubled(saved):
    card = saved["players"][0]["tableau"][0]["card"]
    saved["players"][1]["tableau"][0] |= {"card": card, "gold": 0}


def short_row(saved):
    saved["decks"]["castle"].append(saved["rows"]["castle"][1])
    saved["rows"]["castle"][1] = None


def lost(saved):
    saved["decks"]["castle"].pop()


def torn(saved):
    saved["players"][0]["tableau"][0] |= {"row": 2, "column": 2}
    saved["players"][0]["tableau"][1] |= {"row": 0, "column": 0}
    del saved["players"][0]["tableau"][2:]


def ahead(saved):
    saved["current_player"] = (saved["current_player"] + 1) % 2


SAVED = {
    "other game": (put("game", "castle_up"), ["game", "castle_up", "chateau_combo"]),
    "no game": (drop("game"), ["game"]),
    "newer schema": (put("schema", 2), ["schema", "2"]),
    "no schema": (drop("schema"), ["schema"]),
    "no players": (drop("players"), ["players"]),
    "one player": (put("players", [{}]), ["players", "2 to 5"]),
    "six players": (put("players", [{}] * 6), ["players", "6"]),
    "players as text": (put("players", "two"), ["players", "list"]),
    "player as text": (put("players", 0, "you"), ["players[0]", "you"]),
    "no gold": (drop("players", 1, "gold"), ["players[1]", "gold"]),
    "negative gold": (put("players", 1, "gold", -1), ["players[1]", "gold", "-1"]),
    "half a key": (put("players", 0, "keys", 0.5), ["players[0]", "keys", "0.5"]),
    "keys true": (put("players", 0, "keys", True), ["players[0]", "keys", "True"]),
    "huge gold": (put("players", 0, "gold", 10**9), ["players[0]", "gold"]),
    "no rows": (drop("rows"), ["rows"]),
    "no castle row": (drop("rows", "castle"), ["rows", "castle"]),
    "row of four": (put("rows", "castle", ["baron"] * 4), ["rows.castle"]),
    "short row": (short_row, ["rows.castle", "3"]),
    "foreign row": (put("rows", "castle", 1, "vicar"), ["rows.castle", "vicar"]),
    "unknown card": (put("rows", "castle", 1, "dragon"), ["rows.castle", "dragon"]),
    "no messenger": (drop("messenger"), ["messenger"]),
    "lost messenger": (put("messenger", "forest"), ["messenger", "forest", "village"]),
    "no decks": (drop("decks"), ["decks"]),
    "no discards": (drop("discards"), ["discards"]),
    "no village deck": (drop("decks", "village"), ["decks", "village"]),
    "deck as dict": (put("decks", "village", {}), ["decks", "village"]),
    "card lost": (lost, ["missing"]),
    "card doubled": (doubled, ["two"]),
    "cell outside": (put("players", 0, "tableau", 0, "row", 7), ["players[0].tableau"]),
    "no card id": (drop("players", 0, "tableau", 0, "card"), ["players[0].tableau", "card"]),
    "no row": (drop("players", 0, "tableau", 0, "row"), ["players[0].tableau", "row"]),
    "face-down 1": (put("players", 0, "tableau", 0, "face_down", 1), ["face_down", "1"]),
    "gold on no purse": (put("players", 0, "tableau", 0, "gold", 99), ["gold", "99"]),
    "tableau torn": (torn, []),
    "no seat": (drop("current_player"), ["current_player"]),
    "no such seat": (put("current_player", 2), ["current_player", "2"]),
    "not its turn": (ahead, ["turn"]),
    "no phase": (drop("phase"), ["phase"]),
    "wrong phase": (put("phase", "sleep"), ["phase", "sleep", "turn"]),
    "over": (put("over", True), ["over"]),
    "no rng": (drop("rng"), ["rng"]),
    "rng a number": (put("rng", 5), ["rng", "5"]),
    "rng no number": (put("rng", "five"), ["rng", "five"]),
    "rng too large": (put("rng", "0x" + "f" * 17), ["rng"]),
    "env a list": (put("env", [1]), ["env"]),
    "no env": (drop("env"), ["env"]),
    "no stream": (drop("env", "stream"), ["env", "stream"]),
    "env of nobody": (put("env", "selected", "you"), ["env"]),
    "env rewards": (put("env", "rewards", [1]), ["env"]),
    "env infos": (put("env", "infos", {}), ["env"]),
    "env ended": (put("env", "terminated", True), ["env"]),
}


def midgame():
    env = new_env(2, 9)
    for i, _ in enumerate(visited(env, seed=9)):
        state = env.to_dict()
        odd = sum(len(player["tableau"]) for player in state["players"]) % 2
        if i > 12 and odd and state["phase"] == "turn":
            return env
    raise AssertionError("no such state")


@pytest.mark.parametrize("name", SAVED)
def test_damaged_saves(name):
    change, words = SAVED[name]
    saved = midgame().to_dict()
    change(saved)
    untouched = copy.deepcopy(saved)
    refused(StateError, lambda: chateau_combo_v0.raw_env.from_dict(saved), *words)
    assert saved == untouched


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("observation", "pixels", "pixels"),
        ("reward", "x", "reward"),
        ("seats", 9, "seats"),
        ("extras", ["x"], "extras"),
    ],
)
def test_saved_keywords(key, value, word):
    saved = midgame().to_dict()
    saved["env"][key] = value
    with pytest.raises(CastleEnvsError, match=word):
        chateau_combo_v0.raw_env.from_dict(saved)


def places_of(value, path=()):
    """The paths to everything in nested dicts and lists."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places_of(value[key], (*path, key))


WRONG = [None, True, -1, 1.5, 10**30, "x", "", [], {}, [None], {"a": 1}]


@pytest.mark.parametrize("check", ["full", "position"])
@pytest.mark.parametrize("kind", ["turn", "option", "discard", "over", "dead steps"])
def test_any_wrong_value_anywhere_is_a_typed_error_or_a_game(kind, check):
    """Every value of a saved game replaced: no other exception than ours gets out."""
    saved = KINDS[kind].to_dict()
    problems = {}
    for path in places_of(saved):
        for wrong in WRONG:
            damaged = copy.deepcopy(saved)
            put(*path, wrong)(damaged)
            try:
                env = chateau_combo_v0.raw_env.from_dict(damaged, check=check)
                if env.agents:
                    env.observe(env.agent_selection)
            except CastleEnvsError:
                continue
            except Exception as error:
                problems.setdefault(path, (wrong, repr(error)))
    assert not problems


@pytest.mark.parametrize("saved", [None, [], "text", 7])
def test_saves_are_dicts(saved):
    refused(StateError, lambda: chateau_combo_v0.raw_env.from_dict(saved), type(saved).__name__)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_keys_of_every_kind_of_state(kind):
    """Every top-level key of a saved game is needed, and its lack is named."""
    for key in KINDS[kind].to_dict():
        saved = KINDS[kind].to_dict()
        del saved[key]
        if key in ("over", "pending") and not saved.get("over", True):
            continue  # false and null are what their lack means
        if key == "pending" or (key == "over" and not KINDS[kind].to_dict()["over"]):
            continue
        refused(StateError, lambda s=saved: chateau_combo_v0.raw_env.from_dict(s), key)


def test_truncated_json():
    text = json.dumps(midgame().to_dict())
    for cut in range(0, len(text), 97):
        with pytest.raises(ValueError):
            chateau_combo_v0.raw_env.from_dict(json.loads(text[:cut]))


def test_bad_check_word():
    saved = midgame().to_dict()
    refused(
        OptionError,
        lambda: chateau_combo_v0.raw_env.from_dict(saved, check="no"),
        "check",
        "no",
        "full",
    )


def test_positions_are_checked_too():
    saved = {
        "rows": {"castle": ["baron"], "village": ["vicar"]},
        "messenger": "castle",
        "players": [],
    }
    refused(
        StateError, lambda: chateau_combo_v0.raw_env.from_dict(saved, check="position"), "players"
    )


def test_messenger_at_an_exhausted_place():
    env = new_env(5, 1)
    for _ in visited(env, drain_castle):
        if not env.to_dict()["rows"]["castle"]:
            break
    saved = env.to_dict()
    saved["messenger"] = "castle"
    refused(StateError, lambda: type(env).from_dict(saved), "Messenger", "castle")


# set_state -------------------------------------------------------------------------------------


def states_of_others():
    good = new_env(2, 1).get_state()
    return {
        "none": (None, []),
        "bytes": (good.record, ["chateau_combo"]),
        "tuple": (tuple(good), ["chateau_combo"]),
        "game": (good._replace(game="castle_up"), ["chateau_combo"]),
        "version": (good._replace(record=good.record[:-1]), ["version"]),
        "players": (new_env(3, 1).get_state(), ["3", "2"]),
        "rewards": (good._replace(rewards=(0.0,)), ["damaged"]),
        "infos": (good._replace(infos="{"), ["damaged"]),
    }


@pytest.mark.parametrize("name", states_of_others())
def test_states_of_others(name):
    state, words = states_of_others()[name]
    env = new_env(2, 5)
    before = env.get_state()
    refused(StateError, lambda: env.set_state(state), *words)
    assert env.get_state() == before
