"""Château Combo for 2 to 5 players.

| | |
|---|---|
| Import | `from castle_envs import chateau_combo_v0` |
| Actions | Discrete (103) |
| Parallel API | No |
| Manual control | No |
| Agents | `["player_0", "player_1"]`, up to `player_4` |
| Observation | `Dict(observation, action_mask)` |
| Observation values | "features": float32 in [0, 1]; "tokens": int16 |

Every player builds a three by three tableau of cards taken from two rows, pays for them with gold
or takes them face-down, and scores each card by its position and its surroundings. Only the order
of the decks is hidden.

### Arguments

``env(num_players=2, render_mode=None, observation="features", reward="outcome", seats=None,
extras=None)``, ``raw_env`` likewise. See `castle_envs.engine.aec.GameEnv` for what they mean.

### Observation space

A dict of the vector and an int8 mask of 103 entries. The vector's segments, own seat first, are
listed in the docs page and by ``castle-envs docs``; ``decode_observation`` gives them by name.

### Legal actions mask

Ones for the legal actions of the agent to act, zeros for everybody else. ``raw_env`` raises on an
illegal action; ``env`` ends the game with -1 for the offender.

### Action space

| Action ids | Move |
|---|---|
| 0, 1 | spend a key: move the Messenger, refresh its row |
| 2 to 97 | recruit: slot (3) x face-up or face-down (2) x row (-1 to 2) x column (-1 to 2) |
| 98, 99 | first or second option of the card just placed |
| 100 to 102 | discard the card of a slot of the other row |

### Rewards

Zero until the end, then zero-sum: "outcome" (winner +1, loser -1, shared 0), "placement" or
"score".

### Version history

* v0: first version (0.1.0)
"""

from castle_envs.engine.aec import CheckedEnv, GameEnv
from castle_envs.games.chateau_combo import GAME


class raw_env(GameEnv):  # noqa: N801 - PettingZoo's name for it
    """The bare environment: an illegal action raises."""

    game = GAME


class env(CheckedEnv):  # noqa: N801 - PettingZoo's name for it
    """The environment with PettingZoo's standard guards."""

    game = GAME
