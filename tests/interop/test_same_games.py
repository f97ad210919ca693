"""Differential: every single-seat face plays the very same games, and they are the AEC ones."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from castle_envs import castle_up_v0, chateau_combo_v0
from castle_envs.agents import resolve
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.games import by_name
from castle_envs.interop.gymnasium import SingleSeatEnv
from castle_envs.interop.gymnasium_vector import SingleSeatVectorEnv
from castle_envs.interop.sb3 import SingleSeatVecEnv
from castle_envs.interop.streams import RowGenerator

ROWS, GAMES, SEED = 10, 4, 20
MODULES = {"chateau_combo": chateau_combo_v0, "castle_up": castle_up_v0}
TABLES = [("chateau_combo", n) for n in (2, 3, 4, 5)] + [("castle_up", n) for n in (2, 3, 4)]


def keywords_of(players):
    """Both views and a pool of two line-ups, one of them mixed."""
    mixed = ("random", "greedy", "random", "greedy")[: players - 1]
    return {
        "num_players": players,
        "observation": "tokens" if players % 2 else "features",
        "reward": "score",
        "opponents": [("random", 1.0), (mixed, 2.0)],
    }


def learners():
    return [np.random.default_rng(100 + i) for i in range(ROWS)]


def pick(rng, mask):
    return int(rng.choice(np.flatnonzero(mask)))


# Each row's trace: what the learner saw, then reward, end, and the last observation of ended games.


def single(game, keywords):
    rows = []
    for i, rng in enumerate(learners()):
        env = SingleSeatEnv(game, illegal_action="raise", **keywords)
        observation, _ = env.reset(seed=SEED + i)
        trace = []
        for _ in range(GAMES):
            over = False
            while not over:
                seen = observation
                observation, reward, over, truncated, _ = env.step(pick(rng, env.action_masks()))
                assert not truncated
                last = observation.tobytes() if over else None
                trace.append((seen.tobytes(), np.float32(reward), over, last))
            observation, _ = env.reset()
        rows.append(trace)
    return rows


def vector(game, keywords, mode):
    env = SingleSeatVectorEnv(game, ROWS, mode, illegal_action="raise", **keywords)
    observation, info = env.reset(seed=SEED)
    rngs, rows, waiting = learners(), [[] for _ in range(ROWS)], np.zeros(ROWS, bool)
    while min(games_in(rows)) < GAMES:
        masks = info["action_mask"]
        actions = [0 if waiting[i] else pick(rngs[i], masks[i]) for i in range(ROWS)]
        seen = observation
        observation, rewards, ended, truncated, info = env.step(np.array(actions))
        assert not truncated.any()
        for i in np.flatnonzero(~waiting):
            last = None
            if ended[i]:
                same_step = mode is AutoresetMode.SAME_STEP
                last = (info["final_obs"][i] if same_step else observation[i]).tobytes()
            rows[i].append((seen[i].tobytes(), np.float32(rewards[i]), bool(ended[i]), last))
        if mode is AutoresetMode.NEXT_STEP:
            waiting = ended
    return [cut(row) for row in rows]


def native(game, keywords):
    env = SingleSeatVecEnv(game, ROWS, **keywords)
    env.seed(SEED)
    observation = env.reset()
    rngs, rows = learners(), [[] for _ in range(ROWS)]
    while min(games_in(rows)) < GAMES:
        masks, seen = env.action_masks(), observation
        actions = np.array([pick(rng, mask) for rng, mask in zip(rngs, masks, strict=True)])
        observation, rewards, ended, infos = env.step(actions)
        for i in range(ROWS):
            last = infos[i]["terminal_observation"].tobytes() if ended[i] else None
            rows[i].append((seen[i].tobytes(), rewards[i], bool(ended[i]), last))
    return [cut(row) for row in rows]


def games_in(rows):
    return [sum(step[2] for step in row) for row in rows]


def cut(row):
    """Up to the end of the last game that every face plays."""
    ends = [t for t, step in enumerate(row) if step[2]]
    return row[: ends[GAMES - 1] + 1]


def aec(game, keywords):
    """The same from the turn-by-turn environment, with opponents asked one at a time."""
    players = keywords["num_players"]
    pool = [[who] * (players - 1) if who == "random" else who for who, _ in keywords["opponents"]]
    weights = np.array([weight for _, weight in keywords["opponents"]])
    made = {k: v for k, v in keywords.items() if k != "opponents"}
    rows = []
    for i, rng in enumerate(learners()):
        env = MODULES[game].raw_env(**made)
        choices = np.array([next_seed(seed_stream(~(SEED + i)))[1]], np.uint64)
        draws = RowGenerator(choices)
        draws.rows = np.array([0])
        trace = []
        for k in range(GAMES):
            env.reset(seed=SEED + i if k == 0 else None)
            stream, bits = next_seed(int(choices[0]))
            seat = (bits >> 32) * players >> 32
            stream, bits = next_seed(stream)
            choices[0] = stream
            share = (bits >> 11) * 2.0**-53
            lineup = pool[int(np.searchsorted(weights.cumsum() / weights.sum(), share, "right"))]
            trace += aec_game(env, game, seat, lineup, rng, draws)
        rows.append(trace)
    return rows


def aec_game(env, game, seat, lineup, rng, draws):
    """One game of the learner in `seat`; its reward is what it got up to its next turn."""
    learner, trace, seen = env.possible_agents[seat], [], None
    while env.agents:
        agent = env.agent_selection
        observation, reward, over, truncated, _ = env.last()
        assert not truncated
        if agent == learner:
            now = observation["observation"].tobytes()
            if seen is not None:
                trace.append((seen, np.float32(reward), over, now if over else None))
            seen = now
        if over:
            env.step(None)
        elif agent == learner:
            env.step(pick(rng, observation["action_mask"]))
        else:
            acting = env.possible_agents.index(agent)
            who = lineup[(acting - seat - 1) % len(env.possible_agents)]
            opponent = resolve(who, by_name(game))
            env.step(opponent.act_on_state(env.state_record(), acting, draws))
    return trace


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_all_faces_play_the_same_games(game, players):
    keywords = keywords_of(players)
    expected = aec(game, keywords)
    assert games_in(expected) == [GAMES] * ROWS
    assert any(step[1] for row in expected for step in row)
    assert single(game, keywords) == expected
    assert vector(game, keywords, AutoresetMode.SAME_STEP) == expected
    assert vector(game, keywords, AutoresetMode.NEXT_STEP) == expected
    assert native(game, keywords) == expected
