"""Gymnasium: N learners at once as a `VectorEnv`, natively batched."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Game
from castle_envs.games import game_of
from castle_envs.interop.opponents import seated
from castle_envs.interop.single_seat import SingleSeat


class SingleSeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N rows of the single environment; every array that leaves is the caller's to keep.

    Row i of `reset(seed=s)` plays what a single one plays from `reset(seed=s + i)`. Observations
    are (N, size), rewards float64 (N,), masks int8 (N, num_actions), from `action_masks()` and as
    `info["action_mask"]`; nothing is ever truncated. Infos are those Gymnasium makes of single
    environments: arrays over the rows, `_name` telling which rows have one.

    Args:
        game: the game, or its name.
        num_envs: N, rows.
        autoreset_mode: SAME_STEP: an ended row returns its new game's first observation, the last
            one is in `info["final_obs"]`, its info in `info["final_info"]`. NEXT_STEP: it returns
            the last observation with an all-ones mask, ignores its next action, and answers that
            with the new game and no reward.
        opponents, illegal_action, keywords: see `SingleSeatEnv`.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        opponents: Any = "random",
        illegal_action: str = "terminate",
        **keywords: Any,
    ) -> None:
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            mode = AutoresetMode.DISABLED
        if mode is AutoresetMode.DISABLED:
            raise OptionError(
                f"autoreset_mode must be SAME_STEP or NEXT_STEP, got {autoreset_mode!r}"
            )
        if render_mode is not None:
            raise OptionError(f"a batch draws nothing: render_mode must be None, got {render_mode}")
        self._next_step = mode is AutoresetMode.NEXT_STEP
        self.core = SingleSeat(
            game_of(game, keywords),
            num_envs,
            opponents=seated(opponents),
            illegal_action=illegal_action,
            auto_reset=not self._next_step,
            **keywords,
        )
        self.num_envs, self.render_mode = self.core.num_envs, None
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.single_observation_space = self.core.layout.space(self.core.scaled)
        self.single_action_space = spaces.Discrete(self.core.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal new games in all rows; a sequence of seeds gives each row its own."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        observation = self.core.reset(seed)
        return observation, self._info()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One decision of every learner (under NEXT_STEP a finished row's action is ignored)."""
        active = None
        if self._next_step and self.core.finished.any():
            active = ~self.core.finished
            self.core.deal(np.flatnonzero(self.core.finished))
        observation, rewards, ended = self.core.step(actions, active)
        info = self._info()
        if ended.any():
            if self._next_step:
                info |= self._scores(ended)
            else:
                info |= self._final(ended)
        never = np.zeros(self.num_envs, np.bool_)
        return observation, rewards.astype(np.float64), ended, never, info

    def action_masks(self) -> np.ndarray:
        """int8 (N, num_actions); all ones for a row that waits for its new game."""
        mask = self.core.action_mask.copy()
        if self._next_step:
            mask[self.core.finished] = 1
        return mask

    def set_opponents(self, opponents: Any) -> None:
        """Change the opponents between two steps; see `SingleSeatEnv` for what they may be."""
        self.core.set_opponents(seated(opponents))

    def _info(self) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.action_masks(),
            "_action_mask": every,
            "learner_seat": self.core.learners.copy(),
            "_learner_seat": every.copy(),
        }

    def _scores(self, ended: np.ndarray) -> dict[str, Any]:
        scores = self.core.final_scores[:, : self.core.options.num_players]
        return {"scores": np.where(ended[:, None], scores, 0), "_scores": ended.copy()}

    def _final(self, ended: np.ndarray) -> dict[str, Any]:
        """What Gymnasium's vector environments say of rows that ended and were dealt anew."""
        last = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(ended).tolist():
            last[row] = self.core.final_observation[row].copy()
        final = {
            "action_mask": np.zeros_like(self.core.action_mask),
            "_action_mask": ended.copy(),
            "learner_seat": np.where(ended, self.core.final_learners, 0),
            "_learner_seat": ended.copy(),
        }
        return {
            "final_obs": last,
            "_final_obs": ended.copy(),
            "final_info": final | self._scores(ended),
            "_final_info": ended.copy(),
        }
