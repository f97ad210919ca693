"""Measuring agents: matches on common deals, statistics, tables and plots."""

from castle_envs.evaluation.match import Lineup, MatchResult, play_match
from castle_envs.evaluation.tournament import AgentResult, Tournament, run_tournament

__all__ = [
    "AgentResult",
    "Lineup",
    "MatchResult",
    "Tournament",
    "play_match",
    "run_tournament",
]
