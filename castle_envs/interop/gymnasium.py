"""Gymnasium: one seat against given opponents as an `Env`, registered as `castle_envs/...-v0`."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from castle_envs.engine.aec import as_integer
from castle_envs.engine.errors import FinishedGameError, IllegalActionError, OptionError
from castle_envs.engine.game import Game
from castle_envs.games import game_of
from castle_envs.interop.gymnasium_vector import SingleSeatVectorEnv
from castle_envs.interop.opponents import seated
from castle_envs.interop.single_seat import SingleSeat

RENDER_MODES = ("human", "ansi")
NO_ACTION = -1


class SingleSeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat of a game as a Gymnasium environment.

    The observation is the plain vector of the layout: float32 in [0, 1] for "features", int16 for
    "tokens". The mask, int8 (num_actions,), comes from `action_masks()` and as
    `info["action_mask"]`; zeros once the game is over. `info["learner_seat"]` says where the
    learner sits; the last info holds `scores`, int32 (num_players,), by seat. Rewards are zero
    until the game ends, which is always `terminated`, never `truncated`.

    Args:
        game: the game, or its name.
        opponents: a name, agent or callable `(observation, action_mask) -> action` for all other
            seats; a list or tuple of these, one for each other seat in turn order after the
            learner; or a list of pairs (such, weight), from which every game draws. A callable is
            shown the "features" view with its default extras, whatever the learner sees: wrap it
            in `castle_envs.agents.FunctionAgent` for another one.
        learner_seat: a seat, or "random" for another one every game.
        illegal_action: "terminate" (the game ends with reward -1) or "raise".
        render_mode: None, "ansi" (`render` returns text) or "human" (prints it at every step).
        keywords: num_players, observation, reward, seats, extras and the game's own options, as
            for the AEC environment.

    Raises:
        OptionError: a value that is not allowed, or a keyword that does not exist.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        game: Game | str,
        render_mode: str | None = None,
        illegal_action: str = "terminate",
        opponents: Any = "random",
        **keywords: Any,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode must be None or one of {RENDER_MODES}")
        self.render_mode = render_mode
        self.core = SingleSeat(
            game_of(game, keywords),
            1,
            opponents=seated(opponents),
            illegal_action=illegal_action,
            auto_reset=False,
            **keywords,
        )
        self.observation_space = self.core.layout.space(self.core.scaled)
        self.action_space = spaces.Discrete(self.core.game.num_actions)
        self._dealt = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a game; the opponents play until the learner's first decision.

        Args:
            seed: starts the environment's random streams anew; without it they go on.
            options: a given deal, by the keys `game.deal_keys`; other keys are ignored.
        """
        super().reset(seed=seed)
        keys = self.core.game.deal_keys
        deal = {k: v for k, v in (options or {}).items() if k in keys}
        observation = self.core.reset(seed, deal)[0]
        self._dealt = True
        self._shown()
        return observation, self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponents' answers.

        Raises:
            IllegalActionError: with `illegal_action="raise"`; nothing has changed. Whatever is no
                integer always raises it.
            FinishedGameError: the game is over.
        """
        if not self._dealt:
            raise ResetNeeded("call reset() before step()")
        if self.core.finished[0]:
            raise FinishedGameError("the game is over: call reset() before the next step()")
        whole = as_integer(action)
        if whole is None:
            raise IllegalActionError(f"an action is an integer, got {action!r}")
        if not 0 <= whole < self.core.game.num_actions and self.core.illegal_action != "raise":
            whole = NO_ACTION  # also what does not fit 64 bits
        observations, rewards, ended = self.core.step(np.array([whole]))
        self._shown()
        return observations[0], float(rewards[0]), bool(ended[0]), False, self._info()

    def action_masks(self) -> np.ndarray:
        """int8 (num_actions,) mask of the learner; zeros once the game is over."""
        return self.core.action_mask[0].copy()

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from the next game on; see the class for what they may be."""
        self.core.set_opponents(seated(opponents))

    def _info(self) -> dict[str, Any]:
        core = self.core
        info: dict[str, Any] = {
            "action_mask": self.action_masks(),
            "learner_seat": int(core.learners[0]),
        }
        if core.finished[0]:
            info["scores"] = core.final_scores[0, : core.options.num_players].copy()
        return info

    def _shown(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The table as text ("ansi"), or printed ("human")."""
        if self.render_mode is None:
            return None
        text = self.core.game.text(self.core.states, None)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None


def chateau_combo(**keywords: Any) -> SingleSeatEnv:
    """Entry point of `castle_envs/ChateauCombo-v0`."""
    return SingleSeatEnv("chateau_combo", **keywords)


def castle_up(**keywords: Any) -> SingleSeatEnv:
    """Entry point of `castle_envs/CastleUp-v0`."""
    return SingleSeatEnv("castle_up", **keywords)


def chateau_combo_vector(**keywords: Any) -> SingleSeatVectorEnv:
    """Vector entry point of `castle_envs/ChateauCombo-v0`."""
    return SingleSeatVectorEnv("chateau_combo", **keywords)


def castle_up_vector(**keywords: Any) -> SingleSeatVectorEnv:
    """Vector entry point of `castle_envs/CastleUp-v0`."""
    return SingleSeatVectorEnv("castle_up", **keywords)
