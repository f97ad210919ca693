"""Stable-Baselines3: N learners as a native `VecEnv`, for MaskablePPO and the like."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from castle_envs.engine.errors import StateError
from castle_envs.engine.game import Game
from castle_envs.games import game_of
from castle_envs.interop.single_seat import SingleSeat


class SingleSeatVecEnv(VecEnv):
    """`SingleSeat` as an SB3 `VecEnv`; every array that leaves is the caller's to keep.

    Rewards are float32 (N,), masks int8 (N, actions). The info of a finished row holds
    `terminal_observation` and `episode` (`r` return, `l` learner's decisions, `t` seconds since
    the environment was made), the others are empty. Games only end by their rules, so nothing is
    ever marked as truncated. An illegal action raises, unless `illegal_action="terminate"`.

    Args:
        game: the game, or its name.
        num_envs: N, rows.
        keywords: see `SingleSeat`: `opponents`, `weights`, `learner_seat`, `illegal_action`,
            `seed`, `scaled`, and those of the AEC environment.
    """

    def __init__(self, game: Game | str, num_envs: int, **keywords: Any) -> None:
        game = game_of(game, keywords)
        self.core = SingleSeat(game, num_envs, **keywords)
        self.render_mode = None
        self._return = np.zeros(num_envs)
        self._start = time.perf_counter()
        super().__init__(
            num_envs,
            self.core.layout.space(self.core.scaled),
            spaces.Discrete(game.num_actions),
        )

    # Playing -----------------------------------------------------------------------------------

    def reset(self) -> np.ndarray:
        """Deal new games; takes the seeds that `seed` left, row i seed + i."""
        seeds = None if self._seeds[0] is None else list(self._seeds)
        self._reset_seeds()
        self._reset_options()
        self._return[:] = 0
        return self.core.reset(seeds)

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions, integers (N,), for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them: observations (N, size), rewards (N,), ended bool (N,), infos."""
        observation, rewards, ended = self.core.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._return += rewards
        if ended.any():
            now = round(time.perf_counter() - self._start, 6)
            last, length = self.core.final_observation, self.core.final_length
            for row in np.flatnonzero(ended).tolist():
                episode = {"r": float(self._return[row]), "l": int(length[row]), "t": now}
                infos[row] = {"terminal_observation": last[row].copy(), "episode": episode}
            self._return[ended] = 0
        return observation, rewards, ended, infos

    def action_masks(self) -> np.ndarray:
        """int8 (N, actions), of the learners."""
        return self.core.action_mask.copy()

    def set_opponents(self, opponents: Any, weights: Sequence[float] | None = None) -> None:
        """Change the pool between two steps; see `SingleSeat.set_opponents`."""
        self.core.set_opponents(opponents, weights)

    def close(self) -> None:
        """Nothing to release."""

    # What SB3 asks of the environments behind it -----------------------------------------------

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of this environment once, the answer once a row.

        `action_masks` gives each row its own mask, which is what MaskablePPO asks for.
        """
        found = getattr(self, method_name)(*method_args, **method_kwargs)
        rows = list(self._get_indices(indices))
        return [found[i] for i in rows] if method_name == "action_masks" else [found for _ in rows]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the environments have it."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute once a row; raises AttributeError where there is none."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set it for all rows; single ones have no attributes of their own."""
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ValueError("the rows share their attributes: set_attr takes no indices")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Nothing is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """No pictures."""
        return [None for _ in range(self.num_envs)]

    # Saving ------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything the games to come depend on but the opponents, as plain arrays (copies)."""
        return self.core.get_state() | {"return": self._return.copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """The inverse, on an environment made with the same arguments and the same pool.

        Returns the observations (N, size). Raises StateError on an array that is missing or of
        another size.
        """
        if "return" not in state or state["return"].shape != self._return.shape:
            raise StateError("'return' is missing or of another size")
        observation = self.core.set_state(state)
        self._return[:] = state["return"]
        return observation
