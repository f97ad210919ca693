"""Differential: batch, AEC and Gymnasium faces play identical games for the same seeds and moves.

Every move is a hash of what its seat sees, so that equal observations give equal games and the
first difference anywhere shows. Hundreds of games by default, thousands with `-m slow`.
"""

import zlib

import numpy as np
import pytest

from castle_envs import castle_up_v0, chateau_combo_v0
from castle_envs.agents import FunctionAgent
from castle_envs.engine.batch import Batch
from castle_envs.games import by_name
from castle_envs.interop.gymnasium_vector import SingleSeatVectorEnv

MODULES = {"chateau_combo": chateau_combo_v0, "castle_up": castle_up_v0}
TABLES = [("chateau_combo", n) for n in (2, 3, 4, 5)] + [("castle_up", n) for n in (2, 3, 4)]
FACE_DTYPES = {"features": np.float32, "tokens": np.int16}
PER_ROW, SEED = 4, 50


def by_hash(observation, action_mask):
    """A legal move drawn by the bytes of the observation."""
    legal = np.flatnonzero(action_mask)
    return int(legal[zlib.crc32(np.ascontiguousarray(observation)) % len(legal)])


def keywords_of(game, players, view):
    extras = by_name(game).extras
    return {"num_players": players, "observation": view, "reward": "placement", "extras": extras}


def check_turn(batch, envs, running):
    """Seats, masks and what every seat sees, row by row."""
    players = batch.num_players[0]
    seen = [batch.observe(np.full(batch.num_envs, seat)) for seat in range(players)]
    for i in running:
        env, current = envs[i], batch.current_player[i]
        assert env.agent_selection == env.possible_agents[current]
        for seat, agent in enumerate(env.possible_agents):
            found = env.observe(agent)
            assert found["observation"].dtype == seen[seat].dtype
            assert found["observation"].tobytes() == seen[seat][i].tobytes()
            mask = batch.action_mask[i] if seat == current else np.zeros(len(batch.action_mask[i]))
            assert np.array_equal(found["action_mask"], mask)
        assert batch.observation[i].tobytes() == seen[current][i].tobytes()


def check_end(batch, env, i, last):
    """Rewards, scores and the last observation of every seat of a game that ended."""
    players = batch.num_players[i]
    assert all(env.terminations.values()) and not any(env.truncations.values())
    paid = np.array([env.rewards[agent] for agent in env.possible_agents], np.float32)
    for found in (batch.rewards, batch.final_rewards):
        assert np.array_equal(found[i, :players], paid) and not found[i, players:].any()
    assert list(env.scores().values()) == batch.final_scores[i, :players].tolist()
    for seat, agent in enumerate(env.possible_agents):
        assert env.observe(agent)["observation"].tobytes() == last[seat][i].tobytes()
    mover = batch.final_states["seat"][i]
    assert batch.final_observation[i].tobytes() == last[mover][i].tobytes()


def play_batch_and_aec(game, players, view, rows):
    """Per row its games: turns (seat, observation, mask, move), payoffs and last views."""
    keywords = keywords_of(game, players, view)
    batch = Batch(by_name(game), rows, seed=SEED, dtype=FACE_DTYPES[view], **keywords)
    envs = [MODULES[game].raw_env(**keywords) for _ in range(rows)]
    for i, env in enumerate(envs):
        env.reset(seed=SEED + i)
    games, turns = [[] for _ in range(rows)], [[] for _ in range(rows)]
    while min(len(row) for row in games) < PER_ROW:
        running = [i for i in range(rows) if len(games[i]) < PER_ROW]
        check_turn(batch, envs, running)
        moves = np.array(list(map(by_hash, batch.observation, batch.action_mask)))
        for i in running:
            seen = batch.observation[i].tobytes(), batch.action_mask[i].tobytes()
            turns[i].append((int(batch.current_player[i]), *seen, int(moves[i])))
        batch.step(moves)
        ended, last = np.flatnonzero(batch.terminated), {}
        if len(ended):
            states = batch.final_states[ended]
            views = [batch.observe(np.full(len(ended), s), states) for s in range(players)]
            last = [dict(zip(ended.tolist(), view, strict=True)) for view in views]
        for i in running:
            envs[i].step(int(moves[i]))
            assert all(envs[i].terminations.values()) == batch.terminated[i]
            if batch.terminated[i]:
                check_end(batch, envs[i], i, last)
                assert batch.final_length[i] == len(turns[i])
                ends = [view[i].tobytes() for view in last]
                games[i].append((turns[i], batch.final_rewards[i].copy(), ends))
                turns[i] = []
                envs[i].reset()
            else:
                assert not batch.rewards[i].any() and not any(envs[i].rewards.values())
    return games


def check_gymnasium(game, players, view, games):
    """The learner's share of the same games, in a seat drawn anew for each."""
    keywords = keywords_of(game, players, view)
    opponent = FunctionAgent(by_name(game), by_hash, view, extras=keywords["extras"])
    env = SingleSeatVectorEnv(game, len(games), opponents=opponent, **keywords)
    observation, info = env.reset(seed=SEED)
    played, own, decisions = [0] * len(games), [[] for _ in games], 0
    while min(played) < PER_ROW:
        masks, seats = info["action_mask"], info["learner_seat"]
        moves = np.array(list(map(by_hash, observation, masks)))
        for i in range(len(games)):
            own[i].append((int(seats[i]), observation[i].tobytes(), masks[i].tobytes(), moves[i]))
        observation, rewards, ended, _, info = env.step(moves)
        assert not rewards[~ended].any()
        for i in np.flatnonzero(ended).tolist():
            if played[i] < PER_ROW:
                turns, payoffs, ends = games[i][played[i]]
                seat = int(seats[i])
                assert own[i] == [turn for turn in turns if turn[0] == seat]
                assert np.float32(rewards[i]) == payoffs[seat]
                assert info["final_obs"][i].tobytes() == ends[seat]
                decisions += len(own[i])
            played[i], own[i] = played[i] + 1, []
    return decisions


def compare(game, players, view, rows):
    games = play_batch_and_aec(game, players, view, rows)
    decisions = sum(len(turns) for row in games for turns, _, _ in row)
    assert check_gymnasium(game, players, view, games) > decisions / players / 2
    payoffs = np.array([payoffs[:players] for row in games for _, payoffs, _ in row])
    assert (payoffs != 0).any(0).all(), "every seat wins or loses some games"
    return len(payoffs), decisions


@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_hundreds_of_games(game, players, view):
    compare(game, players, view, 10)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["features", "tokens"])
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_thousands_of_games(game, players, view):
    games, decisions = compare(game, players, view, 250)
    print(f"{game}, {players} players, {view}: {games} games, {decisions} decisions")
