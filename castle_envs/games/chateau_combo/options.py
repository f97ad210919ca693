"""Constructor options of Château Combo: the number of players, and nothing else."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from castle_envs.engine.game import Options
from castle_envs.games.chateau_combo.state import MAX_PLAYERS, OPTIONS


@dataclass(frozen=True)
class ChateauComboOptions(Options):
    """Options of a game: `num_players` from 2 to 5."""

    max_players: ClassVar[int] = MAX_PLAYERS


def pack(options: ChateauComboOptions) -> np.ndarray:
    """The options as the record array (1,) that `new` takes."""
    packed = np.zeros(1, OPTIONS)
    packed["num_players"] = options.num_players
    return packed
