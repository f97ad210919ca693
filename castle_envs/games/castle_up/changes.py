"""Card files that only say what differs from the shipped list."""

from collections.abc import Mapping
from typing import Any

from .schema import SIDES, CardFileError

HEAD = ("schema_version", "version", "title", "status")


def with_changes(shipped: Mapping[str, Any], file: Mapping[str, Any]) -> dict[str, Any]:
    """The shipped list with the `changes` of a file, which may also bring words of its own.

    Changes go by card id, then by field. An object changes the fields it names; in place of a
    list it does so by position ("0" is the first action); any other value, a whole list for one,
    replaces what was there.

    Raises:
        CardFileError: a card, field or position that the shipped list lacks, or other content.
    """
    changes = file["changes"]
    if not isinstance(changes, Mapping):
        raise CardFileError("changes: must be an object of card ids")
    if other := sorted(set(file) - {"changes", *HEAD}):
        raise CardFileError(
            f"a file of changes holds {', '.join(HEAD)} beside them, not {other[0]!r}"
        )
    for card, change in changes.items():
        if not isinstance(change, Mapping):
            raise CardFileError(f"{card}: must be an object of fields, got {change!r}")
    found = {**shipped, **{key: value for key, value in file.items() if key != "changes"}}
    known = set()
    for group in ("buildings", "castles"):
        cards = shipped[group]
        known |= {card["id"] for card in cards}
        found[group] = [_changed(card, changes.get(card["id"], {}), card["id"]) for card in cards]
    roles = []
    for role in shipped["action_cards"]:
        known |= {role[side]["id"] for side in SIDES}
        sides = {s: _changed(role[s], changes.get(role[s]["id"], {}), role[s]["id"]) for s in SIDES}
        roles.append({**role, **sides})
    found["action_cards"] = roles
    if unknown := sorted(set(changes) - known):
        raise CardFileError(f"changes: the shipped list has no card {unknown[0]!r}")
    return found


def _changed(old: Any, change: Any, where: str) -> Any:
    if isinstance(change, Mapping) and isinstance(old, Mapping):
        new = dict(old)
        for key, value in change.items():
            if key not in old:
                raise CardFileError(f"{where}: the shipped list has no field {key!r} there")
            new[key] = _changed(old[key], value, f"{where}, {key}")
        return new
    if isinstance(change, Mapping) and isinstance(old, list):
        items = list(old)
        for key, value in change.items():
            if not key.isdecimal() or int(key) >= len(old):
                raise CardFileError(f"{where}: the shipped list has no position {key!r} there")
            items[int(key)] = _changed(old[int(key)], value, f"{where} {key}")
        return items
    return change
