"""Compile everything of a game once, so that what comes after finds it in the cache."""

import numpy as np

from castle_envs.agents.base import FunctionAgent
from castle_envs.agents.baselines import GreedyAgent, RandomAgent
from castle_envs.engine.aec import CheckedEnv
from castle_envs.engine.batch import Batch, random_playouts
from castle_envs.engine.game import Game


def compile_all(game: Game) -> None:
    """Call every compiled entry of the faces, the batch and the agents once."""
    rng = np.random.default_rng(0)
    face = type("env", (CheckedEnv,), {"game": game})
    for view in game.views:
        env = face(observation=view)
        env.reset(seed=0)
        env.step(first_legal(**env.last()[0]))
        env.breakdown(env.agent_selection)
        batch = Batch(game, 2, observation=view, seed=0)
        batch.step(batch.sample_actions())
        batch.observe(batch.current_player)
        seats = batch.current_player.copy()
        function = FunctionAgent(game, first_legal, view)
        for agent in (RandomAgent(game), GreedyAgent(game), function):
            agent.act_batch(batch.states, seats, rng)
    states = batch.get_rows([0])
    for seat in (None, 0):
        random_playouts(game, states, 1, seed=0, seat=seat)


def first_legal(observation: np.ndarray, action_mask: np.ndarray) -> int:
    """The legal action with the smallest id."""
    return int(np.flatnonzero(action_mask)[0])
