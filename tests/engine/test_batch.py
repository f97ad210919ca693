"""The batch against the AEC environment, and what it promises of itself."""

import numpy as np
import pytest

import castle_envs
from castle_envs import chateau_combo_v0
from castle_envs.engine.batch import Batch
from castle_envs.engine.errors import IllegalActionError, OptionError, StateError
from castle_envs.games import by_name

GAME = by_name("chateau_combo")


def batch(num_envs=8, **keywords):
    return castle_envs.batch("chateau_combo", num_envs, **{"seed": 3, **keywords})


@pytest.mark.parametrize("observation", ["features", "tokens"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_rows_play_what_the_environment_plays(players, observation):
    """Same seed, same actions: masks, observations, rewards and scores agree, game after game."""
    rows = 6
    games = batch(rows, num_players=players, observation=observation, reward="placement")
    envs = [
        chateau_combo_v0.raw_env(num_players=players, observation=observation, reward="placement")
        for _ in range(rows)
    ]
    for i, env in enumerate(envs):
        env.reset(seed=3 + i)
    ended = 0
    for _ in range(160):
        for i, env in enumerate(envs):
            seen = env.observe(env.agent_selection)
            assert env.agent_selection == f"player_{games.current_player[i]}"
            assert (seen["action_mask"] == games.action_mask[i]).all()
            row = games.observation[i]
            same = games.layout.scaled(row) if observation == "features" else row
            assert (seen["observation"] == same).all()
        actions = games.sample_actions().copy()
        games.step(actions)
        for i, env in enumerate(envs):
            env.step(int(actions[i]))
            over = all(env.terminations.values())
            assert over == games.terminated[i]
            paid = [env.rewards[agent] for agent in env.possible_agents]
            assert np.allclose(paid, games.rewards[i, :players])
            assert not games.rewards[i, players:].any()
            if over:
                ended += 1
                assert list(env.scores().values()) == games.final_scores[i, :players].tolist()
                env.reset()
    assert ended >= rows


def test_float_observations_are_the_scaled_integers():
    whole, scaled = batch(), batch(dtype=np.float32)
    for _ in range(30):
        assert scaled.observation.dtype == np.float32
        assert (whole.layout.scaled(whole.observation) == scaled.observation).all()
        whole.step_random()
        scaled.step(whole.actions)


def test_mixed_player_counts():
    mixed = batch(8, num_players=[2, 3, 4, 5])
    assert mixed.layout.seats == 5
    assert mixed.states["num_players"].tolist() == [2, 3, 4, 5] * 2
    for _ in range(150):
        mixed.step_random()
        assert (mixed.states["num_players"] == mixed.num_players).all()
        assert np.abs(mixed.rewards.sum(1)).max() < 1e-6
        present = [mixed.layout.decode(row)["present"].sum() for row in mixed.observation]
        assert present == mixed.num_players.tolist()
    assert (mixed.final_length >= 9 * mixed.num_players).all()


def test_final_arrays_keep_the_ended_episode():
    games = batch(4)
    lengths = np.zeros(4, int)
    for _ in range(60):
        games.step_random()
        lengths += 1
        for i in np.flatnonzero(games.terminated):
            assert games.final_length[i] == lengths[i] and games.episode_length[i] == 0
            assert (games.final_rewards[i] == games.rewards[i]).all()
            assert games.final_states["over"][i] == 1
            seen = games.layout.decode(games.final_observation[i])
            assert not seen["phase"].any() and (seen["filled"] == 1).all()
            lengths[i] = 0


def test_sampling_is_legal_and_uniform():
    """Every legal action of one position is drawn about equally often (chi-square)."""
    games = batch(2000)
    games.set_rows(np.arange(2000), np.repeat(games.get_rows([0]), 2000))
    drawn = np.bincount(games.sample_actions(), minlength=GAME.num_actions)
    for _ in range(9):
        drawn += np.bincount(games.sample_actions(), minlength=GAME.num_actions)
    legal = games.action_mask[0] == 1
    assert not drawn[~legal].any()
    expected = drawn.sum() / legal.sum()
    chi_square = ((drawn[legal] - expected) ** 2 / expected).sum()
    assert chi_square < 3 * legal.sum(), "far beyond any luck"


def test_the_samplers_support_is_the_mask():
    """The game's own sampler and its mask allow exactly the same actions, in every phase."""
    games = batch(64, num_players=[2, 3, 4, 5], observation=None)
    bits = np.random.default_rng(0).integers(0, 2**64, 1500, np.uint64)
    for step in range(60):
        i = step % 64
        drawn = {int(GAME.sample(games.states[i], b)) for b in bits}
        assert drawn == set(np.flatnonzero(games.action_mask[i]).tolist())
        games.step_random()


@pytest.mark.parametrize("wrong", [np.zeros(3, int), np.zeros(8), [0.0] * 8, np.full(8, 102)])
def test_illegal_actions_change_nothing(wrong):
    games = batch()
    before = games.get_state()
    with pytest.raises(IllegalActionError):
        games.step(wrong)
    assert all((before[k] == v).all() for k, v in games.get_state().items())


def test_state_round_trip():
    games = batch()
    for _ in range(25):
        games.step_random()
    saved = games.get_state()
    for _ in range(5):
        games.step_random()
    expected = games.observation.copy()
    other = batch(seed=99)
    other.set_state(saved)
    for _ in range(5):
        other.step_random()
    assert (other.observation == expected).all()
    with pytest.raises(StateError, match="states"):
        batch(5).set_state(saved)


def test_rows_are_cloned_and_loaded():
    games = batch()
    for _ in range(7):
        games.step_random()
    games.clone_row(0, 5)
    assert (games.observation[0] == games.observation[5]).all()
    games.step(games.action_mask.argmax(1))
    assert (games.observation[0] == games.observation[5]).all(), "equal streams, equal draws"
    env = chateau_combo_v0.raw_env()
    env.reset(seed=77)
    games.set_rows([2], env._states)
    layout = games.layout
    seen = env.observe(env.agent_selection)["observation"]
    assert (layout.scaled(games.observation[2]) == seen).all()
    finished = games.get_rows([0])
    finished["over"] = 1
    with pytest.raises(StateError, match="finished"):
        games.set_rows([0], finished)


def test_torch_sees_the_same_memory():
    torch = pytest.importorskip("torch")
    games = batch()
    view = torch.from_numpy(games.observation)
    games.step_random()
    assert (view.numpy() == games.observation).all()


def test_playouts():
    games = batch(1, observation=None)
    state = games.get_rows([0])
    kept = state.copy()
    points, payoffs = castle_envs.random_playouts("chateau_combo", state, 500, seed=1)
    assert (state == kept).all()
    assert np.abs(payoffs.sum(1)).max() < 1e-6 and points[:, 2:].max() == 0
    assert 30 < points[:, :2].mean() < 42, "random play makes about 36 points"
    again, _ = castle_envs.random_playouts("chateau_combo", state, 500, seed=1)
    other, _ = castle_envs.random_playouts("chateau_combo", state, 500, seed=2)
    assert (points == again).all() and (points != other).any()


def test_playouts_redeal_what_a_seat_cannot_see():
    """With a seat every playout meets decks of its own, without one always the same."""
    state = batch(1, observation=None).get_rows([0])
    kept = castle_envs.random_playouts("chateau_combo", state, 300, 1)[0]
    redealt = castle_envs.random_playouts("chateau_combo", state, 300, 1, seat=0)[0]
    assert (kept != redealt).any()
    assert abs(kept[:, :2].mean() - redealt[:, :2].mean()) < 4


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.5}, "num_envs"),
        ({"threads": 0}, "threads"),
        ({"num_players": 6}, "num_players"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"num_players": []}, "num_players"),
        ({"observation": "pixels"}, "observation"),
        ({"reward": "money"}, "reward"),
        ({"seats": 1}, "seats"),
        ({"extras": ["magic"]}, "extras"),
        ({"colour": "red"}, "colour"),
        ({"dtype": np.int8, "observation": "tokens"}, "dtype"),
    ],
)
def test_bad_keywords(keywords, words):
    with pytest.raises(OptionError, match=words):
        Batch(GAME, **{"num_envs": 2, **keywords})


def test_many_games_agree_with_the_environment():
    """First games of many rows end with the scores of `raw_env` on the same moves."""
    for players in (2, 5):
        games = batch(40, num_players=players, observation=None)
        played = {i: [] for i in range(40)}
        for _ in range(2 * 9 * players):
            games.sample_actions()
            for i in range(40):
                played[i].append(int(games.actions[i]))
            games.step(games.actions)
            for i in np.flatnonzero(games.terminated):
                env = chateau_combo_v0.raw_env(num_players=players)
                if games.final_length[i] == len(played[i]):
                    env.reset(seed=3 + int(i))
                    for action in played[i]:
                        env.step(action)
                    assert list(env.scores().values()) == (games.final_scores[i, :players].tolist())
