"""What has broken in comparable environments, one test each (see the project's lessons)."""

import random
import subprocess
import sys

import numpy as np
import pytest

from castle_envs import chateau_combo_v0
from castle_envs.engine.errors import IllegalActionError
from tests.chateau_combo.walk import legal_ids, new_env, random_choice, visited

FACES = (chateau_combo_v0.env, chateau_combo_v0.raw_env)


def playthrough(env, rng):
    """Plays one game from where it stands; yields what each step shows."""
    while env.agents:
        agent = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        yield agent, observation["observation"].tobytes(), reward, terminated, truncated, str(info)
        env.step(None if terminated else rng.choice(legal_ids(env)))


@pytest.mark.parametrize("face", FACES)
def test_global_random_streams_are_left_alone(face):
    random.seed(7)
    np.random.seed(7)  # noqa: NPY002 - the global stream is what is watched
    before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
    env = face(num_players=3)
    env.reset(seed=1)
    list(playthrough(env, random.Random(1)))
    env.reset()
    env.clone().scores()
    assert (random.getstate(), str(np.random.get_state())) == before  # noqa: NPY002


def test_global_random_streams_do_not_matter():
    random.seed(1)
    first = [list(playthrough(new_env(2, 5), random.Random(2)))]
    random.seed(2)
    np.random.seed(3)  # noqa: NPY002
    assert [list(playthrough(new_env(2, 5), random.Random(2)))] == first


def test_interleaved_environments_do_not_disturb_each_other():
    alone = [
        list(playthrough(new_env(n, seed), random.Random(seed)))
        for n, seed in [(2, 1), (2, 1), (4, 9)]
    ]
    games = [
        playthrough(new_env(n, seed), random.Random(seed)) for n, seed in [(2, 1), (2, 1), (4, 9)]
    ]
    woven = [[] for _ in games]
    while any(games):
        for i, game in enumerate(games):
            step = next(game, None) if game else None
            if step is None:
                games[i] = None
            else:
                woven[i].append(step)
    assert woven == alone
    assert alone[0] == alone[1]


def deals(env, n):
    found = []
    for _ in range(n):
        env.reset()
        found.append(str(env.to_dict()["decks"]))
    return found


@pytest.mark.parametrize("face", FACES)
def test_seeds(face):
    """Same seed, same deals, also of the resets that follow; other seeds, other deals."""
    env, other = face(), face()
    env.reset(seed=3)
    other.reset(seed=3)
    assert env.get_state() == other.get_state()
    following = deals(env, 5)
    assert following == deals(other, 5)
    assert len(set(following)) == 5, "a reset without a seed goes on in the stream"
    starts = set()
    for seed in range(20):
        env.reset(seed=seed)
        starts.add(str(env.to_dict()["decks"]))
    assert len(starts) == 20
    for seed in (0, 2**63, 2**64 - 1, -1, np.int32(7), np.uint64(2**64 - 1)):
        env.reset(seed=seed)


def test_without_any_seed_games_differ():
    assert deals(chateau_combo_v0.env(), 1) != deals(chateau_combo_v0.env(), 1)


def test_seed_alone_decides_not_what_was_played_before():
    fresh, used = new_env(2, 4), new_env(2, 1)
    list(playthrough(used, random.Random(1)))
    used.reset(seed=4)
    assert used.get_state() == fresh.get_state()


@pytest.mark.parametrize("view", ["features", "tokens"])
def test_observe_is_pure_and_arrays_are_not_shared(view):
    """Three times, in any order, whoever is to act: equal, fresh arrays nobody writes to later."""
    env, rng = new_env(3, 6, observation=view), random.Random(6)
    for _ in range(25):
        before = env.get_state()
        kept = {agent: env.observe(agent) for agent in env.possible_agents}
        texts = {agent: {k: v.tobytes() for k, v in kept[agent].items()} for agent in kept}
        for agent in [*env.possible_agents, *env.possible_agents[::-1]] * 3:
            again = env.observe(agent)
            assert {k: v.tobytes() for k, v in again.items()} == texts[agent]
            for name, array in again.items():
                assert not np.shares_memory(array, kept[agent][name])
                array[:] = 1
        assert env.get_state() == before
        env.step(random_choice(env, rng))
        for agent, observation in kept.items():
            assert {k: v.tobytes() for k, v in observation.items()} == texts[agent]


@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize("players", [2, 5])
def test_dtypes_and_shapes_from_reset_to_the_end(view, players):
    env = new_env(players, 2, observation=view)
    for _ in visited(env, seed=2):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert list(seen) == ["observation", "action_mask"]
            assert seen["action_mask"].dtype == np.int8 and seen["action_mask"].shape == (103,)
            assert seen["observation"].dtype == (np.float32 if view == "features" else np.int16)
            assert seen["observation"].shape == (env.layout.size,)
            assert set(np.unique(seen["action_mask"])) <= {0, 1}


def test_spaces_are_the_same_objects_and_sample_masked():
    env = new_env(2, 1)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_spaces[agent] is env.observation_space(agent)
        assert env.action_spaces[agent] is env.action_space(agent)
    assert env.action_space("player_0") is not env.action_space("player_1")
    mask = env.observe(env.agent_selection)["action_mask"]
    for _ in range(50):
        assert mask[env.action_space(env.agent_selection).sample(mask)]
    twin = env.clone()
    assert twin.action_space("player_0") is not env.action_space("player_0")


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_end(face, players):
    """Each agent is visited once with None, then nobody is left; natural ends terminate only."""
    env = face(num_players=players)
    env.reset(seed=8)
    rng, dead = random.Random(8), []
    for agent in env.agent_iter():
        if env.terminations[agent]:
            assert not env.truncations[agent]
            books = (env.rewards, env.terminations, env.truncations, env.infos)
            assert all(set(book) == set(env.agents) for book in books)
            dead.append(agent)
            env.step(None)
        else:
            env.step(random_choice(env, rng))
    assert sorted(dead) == env.possible_agents and env.agents == []
    assert env.rewards == env.terminations == env.truncations == env.infos == {}


def test_info_names_the_last_move():
    env = new_env(3, 2)
    assert env.infos == {agent: {} for agent in env.agents}
    env.step(1)
    assert env.infos == {a: {"action_text": "key: refresh the row"} for a in env.agents}


def test_final_info_has_scores_and_places():
    env = new_env(4, 2)
    for _ in visited(env, seed=2):
        pass
    points = {agent: env.infos[agent]["score"] for agent in env.agents}
    assert points == env.scores()
    places = sorted(env.infos[agent]["placement"] for agent in env.agents)
    assert places[0] == 1 and places[-1] <= 4


def test_illegal_actions_name_action_agent_and_phase():
    env = new_env(2, 1)
    with pytest.raises(IllegalActionError) as caught:
        env.step(100)
    for words in ("100", "discard slot 0", env.agent_selection, "key or recruit", "0 to 102"):
        assert words in str(caught.value)


def test_metadata():
    for face in FACES:
        assert face.metadata["name"] == "chateau_combo_v0"
        assert face.metadata["is_parallelizable"] is False
        assert face.metadata["render_modes"]
        assert str(face()) == "chateau_combo_v0"
        assert face().possible_agents == ["player_0", "player_1"]


def test_render_shows_the_table(capsys):
    env = new_env(2, 1, render_mode="ansi")
    env.step(1)
    text = env.render()
    state = env.to_dict()
    names = [card for row in state["rows"].values() for card in row]
    for card in names:
        assert card.replace("_", " ").split(" ")[0].lower() in text.lower()
    for words in ("Messenger", "15 gold", "key: refresh the row", "to act: player_"):
        assert words in text
    assert capsys.readouterr().out == ""
    human = new_env(2, 1, render_mode="human")
    human.step(1)
    assert human.render() is None
    assert "key: refresh the row" in capsys.readouterr().out


def test_nothing_is_drawn_without_a_render_mode(caplog, capsys):
    assert new_env(2, 1).render() is None
    assert "render_mode" in capsys.readouterr().out + caplog.text


IMPORTS = """
import sys
from castle_envs import chateau_combo_v0
env = chateau_combo_v0.env()
env.reset(seed=1)
env.step(1)
heavy = {"pygame", "torch", "stable_baselines3", "matplotlib", "jax"} & set(sys.modules)
assert not heavy, heavy
"""


def test_playing_imports_no_heavy_library():
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
