"""Stable-Baselines3: N learners as a native `VecEnv`, for MaskablePPO and the like."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from castle_envs.engine.game import Game
from castle_envs.games import by_name
from castle_envs.interop.single_seat import SingleSeat


class SingleSeatVecEnv(VecEnv):
    """`SingleSeat` as an SB3 `VecEnv`; arrays that leave are fresh ones.

    Finished rows carry `terminal_observation` and `episode` in their info. Illegal actions raise.

    Args:
        game: the game, or its name.
        num_envs: rows.
        keywords: see `SingleSeat`.
    """

    def __init__(self, game: Game | str, num_envs: int, **keywords: Any) -> None:
        game = by_name(game) if isinstance(game, str) else game
        self.core = SingleSeat(game, num_envs, **keywords)
        self.render_mode = None
        self._return = np.zeros(num_envs)
        super().__init__(
            num_envs,
            self.core.layout.space(self.core.scaled),
            spaces.Discrete(game.num_actions),
        )

    def reset(self) -> np.ndarray:
        """Deal new games; takes the seed that `seed` left."""
        seed = self._seeds[0]
        self._reset_seeds()
        self._return[:] = 0
        return self.core.reset(seed)

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them."""
        observation, rewards, ended = self.core.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._return += rewards
        for row in np.flatnonzero(ended):
            infos[row] = {
                "terminal_observation": self.core.final_observation[row].copy(),
                "episode": {
                    "r": float(self._return[row]),
                    "l": int(self.core.final_length[row]),
                    "t": 0.0,
                },
            }
            self._return[row] = 0
        return observation, rewards, ended, infos

    def action_masks(self) -> np.ndarray:
        """int8 (N, actions), of the learners."""
        return self.core.action_mask.copy()

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` row by row, which is what MaskablePPO asks for."""
        found = getattr(self, method_name)(*method_args, **method_kwargs)
        return [found[i] for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the environments have it."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute once a row."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set it for all rows; single ones have no attributes of their own."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Nothing is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """No pictures."""
        return [None for _ in range(self.num_envs)]

    def close(self) -> None:
        """Nothing to release."""
