"""Château Combo for 2 to 5 players."""

from castle_envs.engine.aec import CheckedEnv, GameEnv
from castle_envs.games.chateau_combo import GAME


class raw_env(GameEnv):  # noqa: N801 - PettingZoo's name for it
    """The bare environment: an illegal action raises."""

    game = GAME


class env(CheckedEnv):  # noqa: N801 - PettingZoo's name for it
    """The environment with PettingZoo's standard guards."""

    game = GAME
