"""Anything that picks a move: one protocol, the baselines, and a resolver from names to agents."""

from castle_envs.agents.base import Agent, FunctionAgent, ObservingAgent, rng_from
from castle_envs.agents.baselines import GreedyAgent, RandomAgent
from castle_envs.agents.resolve import load, resolve

__all__ = [
    "Agent",
    "FunctionAgent",
    "GreedyAgent",
    "ObservingAgent",
    "RandomAgent",
    "load",
    "resolve",
    "rng_from",
]
