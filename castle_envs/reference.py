"""Reference tables, generated from the games' declarations, and the pages that hold them.

A page marks a table by a pair of comments, `<!-- castle-envs docs: NAME -->` and
`<!-- end of NAME -->`; `filled` puts the current tables between them.
"""

import re
from itertools import groupby
from pathlib import Path

from castle_envs.engine.game import Game
from castle_envs.games import NAMES, by_name

SHOWN_SEATS = 2
BLOCK = re.compile(
    r"(<!-- castle-envs docs: (?P<name>[\w ]+) -->\n).*?(<!-- end of (?P=name) -->)", re.DOTALL
)


def spec(game: Game) -> str:
    """What a user must know before making the environment."""
    low, high = game.options.min_players, game.options.max_players
    face = f"castle_envs.{game.name}_v{game.version}"
    rows = {
        "Import": f"`from castle_envs import {game.name}_v{game.version}`",
        "PettingZoo name": f'`pettingzoo.make("aec", "castle_envs/{game.name}-v{game.version}")`',
        "Module": f"`{face}`: `env()`, `raw_env()`",
        "Agents": f"`player_0` … `player_{high - 1}`, {low} to {high} of them (`num_players`)",
        "Actions": f"`Discrete({game.num_actions})`, one space for all",
        "Action mask": f"`int8 ({game.num_actions},)`, zeros for agents not to act",
        "Observation": "`Dict(observation, action_mask)`, sizes below",
        "Parallel API": "no: players take turns",
        "Game state": f"one record of {game.state.itemsize} bytes",
        "Saved form": f"JSON, schema {game.schema}",
    }
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    return "\n".join(lines)


def sizes(game: Game) -> str:
    """Length of the observation vector by view, optional groups and seats."""
    counts = range(game.options.min_players, game.options.max_players + 1)
    rows = [
        "| view | `extras` | " + " | ".join(f"{n} seats" for n in counts) + " |",
        "|---|---|" + "---:|" * len(counts),
    ]
    for view in sorted(game.views):
        for extras in extras_shown(game):
            found = [f"{game.layout(view, n, extras).size:,}" for n in counts]
            default = " (default)" if extras == game.default_extras else ""
            named = f"`{extras!r}`{default}"
            rows.append(f"| `{view}` | {named} | {' | '.join(found)} |")
    return "\n".join(rows)


def extras_shown(game: Game) -> list[tuple[str, ...]]:
    """None of the optional groups, the default ones, all of them."""
    shown = [(), game.default_extras, tuple(game.extras)]
    return [extras for i, extras in enumerate(shown) if extras not in shown[:i]]


def layout(game: Game, view: str) -> str:
    """The layout of a view with all optional groups, for two seats."""
    return game.layout(view, SHOWN_SEATS, game.extras).table()


def actions(game: Game) -> str:
    """The action ids by kind of move, each with its first and last action."""
    rows = ["| ids | move | first | last |", "|---|---|---|---|"]
    kinds = groupby(range(game.num_actions), key=lambda a: type(game.decode(a)).__name__)
    for kind, members in kinds:
        ids = list(members)
        first, last = game.action_names[ids[0]], game.action_names[ids[-1]]
        where = f"{ids[0]}–{ids[-1]}" if len(ids) > 1 else f"{ids[0]}"
        rows.append(f"| {where} | `{kind}` | {first} | {last} |")
    return "\n".join(rows)


def environments() -> str:
    """All environments on a line each."""
    rows = [
        "| environment | players | actions | `features` | `tokens` |",
        "|---|---|---:|---:|---:|",
    ]
    for game in map(by_name, NAMES):
        low, high = game.options.min_players, game.options.max_players
        sizes = []
        for view in ("features", "tokens"):
            fewest, most = (game.layout(view, seats).size for seats in (low, high))
            sizes.append(f"{fewest:,} to {most:,}")
        rows.append(
            f"| `castle_envs.{game.name}_v{game.version}` ({game.title}) | {low} to {high} "
            f"| {game.num_actions} | {' | '.join(sizes)} |"
        )
    return "\n".join(rows)


def table(game: Game, name: str) -> str:
    """A table of a game by the name that pages mark it with; raises KeyError on another name."""
    makers = {"spec": spec, "sizes": sizes, "actions": actions}
    if name in game.views:
        return layout(game, name)
    return makers[name](game)


def names(game: Game) -> list[str]:
    """Names of all tables of a game."""
    return ["spec", "actions", "sizes", *sorted(game.views)]


def filled(page: Path) -> str:
    """A page with the current tables between its marks; `<game>.md` holds tables of that game."""

    def renewed(mark: re.Match[str]) -> str:
        name = mark["name"]
        text = environments() if name == "environments" else table(by_name(page.stem), name)
        return f"{mark[1]}\n{text}\n\n{mark[3]}"

    return BLOCK.sub(renewed, page.read_text("utf-8"))
