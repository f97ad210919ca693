"""Gymnasium faces: one seat against given opponents, alone or as a native vector environment."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from castle_envs.engine.errors import OptionError
from castle_envs.games import by_name
from castle_envs.interop.single_seat import SingleSeat

RENDER_MODES = ("human", "ansi")


class SingleSeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat of a game as a Gymnasium environment; registered as `castle_envs/...-v0`.

    The observation is the plain vector; the mask comes from `action_masks()` and as
    `info["action_mask"]`. An illegal action ends the game with reward -1, or raises with
    `illegal_action="raise"`. Keywords: see `SingleSeat`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        game: str,
        render_mode: str | None = None,
        illegal_action: str = "terminate",
        **keywords: Any,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode must be None or one of {RENDER_MODES}")
        self.render_mode = render_mode
        self.core = SingleSeat(by_name(game), 1, illegal_action=illegal_action, **keywords)
        self.observation_space = self.core.layout.space(self.core.scaled)
        self.action_space = spaces.Discrete(self.core.game.num_actions)
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a game; the opponents play until the learner's first decision."""
        super().reset(seed=seed)
        observation = self.core.reset(seed)[0]
        self._over = False
        self._shown()
        return observation, self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponents' answers; natural ends only terminate."""
        observations, rewards, ended = self.core.step(np.array([int(action)]))
        over = bool(ended[0])
        observation = self.core.final_observation[0].copy() if over else observations[0]
        self._over = over
        self._shown()
        return observation, float(rewards[0]), over, False, self._info()

    def action_masks(self) -> np.ndarray:
        """int8 (num_actions,) mask of the learner; zeros once the game is over."""
        mask = self.core.action_mask[0]
        return np.zeros_like(mask) if self._over else mask.copy()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if self._over:
            n = self.core.options.num_players
            info["scores"] = self.core.final_scores[0, :n].tolist()
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


class SingleSeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N learners at once, natively batched; arrays that leave are the caller's to keep.

    Args:
        game: name of the game.
        num_envs: rows.
        autoreset_mode: SAME_STEP (an ended row returns its new game's first observation, the last
            one in `info["final_obs"]`) or NEXT_STEP (it returns the last observation with an
            all-ones mask, and ignores its next action).
        keywords: see `SingleSeat`.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        **keywords: Any,
    ) -> None:
        self.core = SingleSeat(by_name(game), num_envs, **keywords)
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            raise OptionError("autoreset_mode must be SAME_STEP or NEXT_STEP")
        self.num_envs, self.render_mode = num_envs, render_mode
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self._next_step = mode is AutoresetMode.NEXT_STEP
        self.single_observation_space = self.core.layout.space(self.core.scaled)
        self.single_action_space = spaces.Discrete(self.core.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._parked = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal new games in all rows."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is not None and not isinstance(seed, int):
            raise OptionError("seed must be one number; row i is dealt from seed + i")
        self._parked[:] = False
        return self.core.reset(seed), {"action_mask": self.action_masks()}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One decision of every learner (under NEXT_STEP a finished row's action is ignored)."""
        never = np.zeros(self.num_envs, np.bool_)
        if self._next_step:
            observation, rewards, ended = self.core.step(actions, ~self._parked)
            observation = np.where(ended[:, None], self.core.final_observation, observation)
            self._parked = ended.copy()
            info = {"action_mask": self.action_masks()}
            return observation, rewards.astype(np.float64), ended, never, info
        observation, rewards, ended = self.core.step(actions)
        info = {"action_mask": self.action_masks()}
        if ended.any():
            info["final_obs"] = self.core.final_observation.copy()
            info["_final_obs"] = ended.copy()
        return observation, rewards.astype(np.float64), ended, never, info

    def action_masks(self) -> np.ndarray:
        """int8 (N, num_actions); all ones for a row that waits for its new game."""
        mask = self.core.action_mask.copy()
        mask[self._parked] = 1
        return mask


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
