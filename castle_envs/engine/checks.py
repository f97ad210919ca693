"""What counts as a whole number; and small readers for saved games.

Each reader returns a checked value or raises a StateError that names it. A `default` other than
None makes the key optional.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from castle_envs.engine.errors import OptionError, StateError


def is_whole(value: Any) -> TypeGuard[int | np.integer]:
    """Whether a value is an integer of any type; bools are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_whole(name: str, value: Any, low: int | None = None, high: int | None = None) -> None:
    """Raise an OptionError unless a value is a whole number within the bounds that are given."""
    fits = is_whole(value) and (low is None or value >= low) and (high is None or value <= high)
    if not fits:
        bounds = "" if low is None else f" from {low}" + (" on" if high is None else f" to {high}")
        raise OptionError(f"{name} must be a whole number{bounds}, got {value!r}")


def entries(values: Mapping[str, Any], key: str, where: str = "", default: Any = None) -> Any:
    """The value of a key."""
    if key in values:
        return values[key]
    if default is None:
        raise StateError(f"{where}{key!r} is missing")
    return default


def mapping(values: Mapping[str, Any], key: str, default: Any = None) -> Mapping[str, Any]:
    """A dict."""
    found = entries(values, key, "", default)
    if not isinstance(found, Mapping):
        raise StateError(f"{key!r} must be a dict, got {found!r}")
    return found


def sequence(
    values: Mapping[str, Any], key: str, where: str = "", default: Any = None
) -> Sequence[Any]:
    """A list."""
    found = entries(values, key, where, default)
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise StateError(f"{where}{key!r} must be a list, got {found!r}")
    return found


def choice(
    values: Mapping[str, Any], key: str, allowed: Sequence[str], default: str | None = None
) -> str:
    """One of some words."""
    found = entries(values, key, "", default)
    if found not in allowed:
        raise StateError(f"{key!r} must be one of {', '.join(allowed)}, got {found!r}")
    return str(found)


def whole(
    values: Mapping[str, Any],
    key: str,
    low: int,
    high: int,
    where: str = "",
    default: int | None = None,
) -> int:
    """A whole number within bounds."""
    found = entries(values, key, where, default)
    if not is_whole(found):
        raise StateError(f"{where}{key!r} must be a whole number, got {found!r}")
    if not low <= found <= high:
        raise StateError(f"{where}{key!r} must be {low} to {high}, got {found}")
    return int(found)


def flag(values: Mapping[str, Any], key: str) -> bool:
    """True or False; False where the key is missing."""
    found = values.get(key, False)
    if not isinstance(found, bool):
        raise StateError(f"{key!r} must be true or false, got {found!r}")
    return found


def stream_to_text(rng: Any) -> str:
    """A random stream as text: JSON numbers do not carry 64 bits everywhere."""
    return f"{int(rng):#018x}"


def stream_from_text(text: Any, key: str) -> np.uint64:
    """The inverse of `stream_to_text`."""
    try:
        return np.uint64(int(text, 16))
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{key!r} must be a hexadecimal number as text, got {text!r}") from None
