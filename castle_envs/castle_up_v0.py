"""Castle Up for 2 to 4 players.

The publisher's card list is not public: the shipped one is a reconstruction that respects every
published fact. `castle_envs.games.castle_up.provenance.listing()` shows which is which.
"""

from castle_envs.engine.aec import CheckedEnv, GameEnv
from castle_envs.games.castle_up import GAME


class raw_env(GameEnv):  # noqa: N801 - PettingZoo's name for it
    """The bare environment: an illegal action raises."""

    game = GAME


class env(CheckedEnv):  # noqa: N801 - PettingZoo's name for it
    """The environment with PettingZoo's standard guards."""

    game = GAME
