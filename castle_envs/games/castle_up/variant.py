"""The game with another card list.

Kernels freeze the tables of `cards.py`, which is what makes them fast, so another list is another
set of kernels. It is compiled from the same source: the modules of this folder are loaded a second
time as a package of their own, whose `cards` reads the other file. That is why they import one
another relatively.
"""

import hashlib
import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path

from castle_envs.engine.errors import OptionError
from castle_envs.engine.game import Game

from .cards import CARD_FILE, read, resolved

HERE = Path(__file__).parent


def game_for(card_file: str | Path | None) -> Game:
    """The game that plays with the card list of a file, or one that comes with the package.

    None is the default list. Compiling takes about as long as at the first run of that one, and
    happens once for every content of a file: the machine code is kept.

    Raises:
        CardFileError: the file cannot be read, is malformed or breaks a condition of the rules;
            the message names card and field.
    """
    if not isinstance(card_file, str | Path | None):
        raise OptionError(f"card_file must be a path, got {card_file!r}")
    path = resolved(card_file)
    if path == CARD_FILE:
        own: Game = importlib.import_module(__package__).GAME
        return own
    if path is None:
        shipped: Game = importlib.import_module("castle_envs.games.castle_up").GAME
        return shipped
    read(path)
    content = path.read_bytes()
    return _load(path, hashlib.sha256(str(path).encode() + b"\0" + content).hexdigest()[:16])


@cache
def _load(path: Path, digest: str) -> Game:
    """Load this folder once more as a package named by `digest`."""
    name = f"castle_envs.games.castle_up_{digest}"
    spec = importlib.util.spec_from_file_location(
        name, HERE / "__init__.py", submodule_search_locations=[str(HERE)]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    package.CARD_FILE = path  # type: ignore[attr-defined]
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
    except BaseException:
        for loaded in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
            del sys.modules[loaded]
        raise
    game: Game = package.GAME
    return game
