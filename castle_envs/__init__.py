"""Reinforcement-learning environments for two medieval card games.

`chateau_combo_v0` and `castle_up_v0` are PettingZoo AEC environments; `batch` plays many games at
once; `agents` picks moves; `evaluation` measures them.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_LAZY = ("agents", "castle_up_v0", "chateau_combo_v0", "evaluation", "games", "interop")


def batch(game: str, num_envs: int, **keywords: Any) -> Any:
    """N games at once; see `castle_envs.engine.batch.Batch` for the keywords.

    Args:
        game: "chateau_combo" or "castle_up".
        num_envs: rows of the batch.
        keywords: also the game's options; `card_file` plays castle_up on a card list of your own.
    """
    from castle_envs.engine.batch import Batch
    from castle_envs.games import with_cards

    return Batch(with_cards(game, keywords.get("card_file")), num_envs, **keywords)


def random_playouts(
    game: str,
    state: Any,
    n: int,
    seed: int,
    seat: int | None = None,
    card_file: Any = None,
) -> Any:
    """Uniform random playouts of a state; see `castle_envs.engine.batch.random_playouts`.

    A state of castle_up on a card list of your own needs its `card_file` here too: the record
    does not name it.
    """
    from castle_envs.engine.batch import random_playouts as playouts
    from castle_envs.games import with_cards

    return playouts(with_cards(game, card_file), state, n, seed, seat)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return import_module(f"castle_envs.{name}")
    raise AttributeError(f"module 'castle_envs' has no attribute {name!r}")


def _register() -> None:
    """Make the environments known to Gymnasium, and to PettingZoo where it has a registry."""
    import gymnasium
    import pettingzoo

    for game, title in (("chateau_combo", "ChateauCombo"), ("castle_up", "CastleUp")):
        if f"castle_envs/{title}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"castle_envs/{title}-v0",
                entry_point=f"castle_envs.interop.gymnasium:{game}",
                vector_entry_point=f"castle_envs.interop.gymnasium:{game}_vector",
            )

    registry = getattr(pettingzoo, "aec_registry", None)
    for game in ("chateau_combo", "castle_up"):
        name = f"castle_envs/{game}-v0"
        if registry is not None and name not in registry:
            pettingzoo.register("aec", name, f"castle_envs.{game}_v0:env")


_register()
