"""Castle Up for 2 to 4 players.

| | |
|---|---|
| Import | `from castle_envs import castle_up_v0` |
| Actions | Discrete (88) |
| Parallel API | No |
| Manual control | No |
| Agents | `["player_0", "player_1"]`, up to `player_3` |
| Observation | `Dict(observation, action_mask)` |
| Observation values | "features": float32 in [0, 1]; "tokens": int16 |

Every player builds a city of at most seven buildings, bought from an open row over three eras,
gathers tokens with them, attacks and defends, and scores undamaged buildings and the control of
suits. Only the order of the deck below its open top card is hidden.

**The card list is a reconstruction.** The publisher's is not public: every fact of the rulebook is
kept, all else was invented to fit. `castle_envs.games.castle_up.provenance.listing()` shows which
is which, card by card; `card_file=` plays with a list of your own, or with "tuned", whose invented
numbers trained play has balanced.

### Arguments

``env(num_players=2, render_mode=None, observation="features", reward="outcome", seats=None,
extras=None, castles="none", reverse=(), expansion=False, removal=False, free_target=False,
card_file=None)``, ``raw_env`` likewise. The first six: see `castle_envs.engine.aec.GameEnv`. The
others: see `castle_envs.games.castle_up.options.CastleUpOptions`.

### Observation space

A dict of the vector and an int8 mask of 88 entries. The vector's segments, own seat first, are
listed in the docs page; ``decode_observation`` gives them by name.

### Legal actions mask

Ones for the legal actions of the agent to act, zeros for everybody else. ``raw_env`` raises on an
illegal action; ``env`` ends the game with -1 for the offender. A defender acts in the attacker's
turn. A state with a single legal action is played at once, except the main state of a turn.

### Action space

| Action ids | Move |
|---|---|
| 0 | done: end the turn, a selection, the attackers or the defense |
| 1 to 21 | use action (3) of the building in an own slot (7) |
| 22 to 25 | use the held action card of a role (4) |
| 26 to 29, 30 to 33 | buy, or promote into, the building of a row slot |
| 34 to 37 | buy the action card of a role |
| 38 to 58 | attack a slot (7) of the opponent 1 to 3 seats on |
| 59 | attack for the own loot card |
| 60 to 66 | select an own slot |
| 67 to 73 | repair an own slot with gold |
| 74 to 76 | exchange three manpower, supplies or food for gold |
| 77 to 80 | name a token: manpower, supplies, food, gold |
| 81, 82 | yes, no |
| 83 to 85 | name a suit: red, green, blue |
| 86, 87 | buy, or promote into, the opened top card |

### Rewards

Zero until the end, then zero-sum: "outcome" (winner +1, loser -1, shared 0), "placement" or
"score".

### Version history

* v0: first version (0.1.0), card list 1
"""

from collections.abc import Mapping
from typing import Any, Self

from castle_envs.engine.aec import CheckedEnv, GameEnv
from castle_envs.engine.game import Game
from castle_envs.games import card_file_of
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.variant import game_for


class _WithCards(GameEnv):
    """`card_file=` makes the environment one of a class of its own, whose game has those cards."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        return super().__new__(_class_for(cls, game_for(options.get("card_file"))))

    def __reduce__(self) -> Any:
        shipped = next(c for c in type(self).__mro__ if c.__module__ == __name__)
        return _revive, (shipped, card_file_of(self.game)), self.__getstate__()

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], check: str = "full", **keywords: Any) -> Self:
        """As `GameEnv.from_dict`; the dict names its card file, if it has one."""
        options = values.get("options") if isinstance(values, Mapping) else None
        card_file = options.get("card_file") if isinstance(options, Mapping) else None
        return super(_WithCards, _class_for(cls, game_for(card_file))).from_dict(
            values, check, **keywords
        )


class raw_env(_WithCards):  # noqa: N801 - PettingZoo's name for it
    """The bare environment: an illegal action raises."""

    game = GAME


class env(_WithCards, CheckedEnv):  # noqa: N801 - PettingZoo's name for it
    """The environment with PettingZoo's standard guards."""

    game = GAME


_classes: dict[tuple[type, int], Any] = {}


def _class_for(cls: Any, game: Game) -> Any:
    """`cls`, or the subclass of it that plays `game`."""
    if cls.game is game:
        return cls
    name = (cls, id(game))  # games live as long as the process
    if name not in _classes:
        made = type(cls.__name__, (cls,), {"game": game, "__doc__": cls.__doc__})
        made.__module__ = f"{__name__}.with_cards"
        _classes[name] = made
    return _classes[name]


def _revive(cls: Any, card_file: str | None) -> Any:
    """An empty environment for pickle to fill."""
    return object.__new__(_class_for(cls, game_for(card_file)))
