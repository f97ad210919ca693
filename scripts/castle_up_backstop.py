"""Plays many random games of Castle Up and checks that each ends without help of the backstop.

A turn of more than 400 decisions, or a defense of more than 60, would be cut short by the rules.
That must never happen in earnest: turns end because tokens and actions run out. The games are
spread evenly over 2, 3 and 4 players and every combination of the options.

    python scripts/castle_up_backstop.py --games 100000

The exit status is 1 if a limit was reached or a game did not end.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from castle_envs.engine.kernel import kernel
from castle_envs.engine.random import GAMMA, mix, scaled
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.state import MAIN, NUM_ACTIONS, TURN_LIMIT, WINDOW_LIMIT

ROLES = ("initiative", "mercantile", "defensive", "military")
MOST_DECISIONS = 100_000  # a game that takes more counts as one that does not end
# What is noted of each game: decisions, the longest turn and defense, stops of the backstop, ended.
DECISIONS, TURN, WINDOW, STOPS, ENDED = range(5)
legal, apply = GAME.legal, GAME.apply


@kernel
def play_out(g: Any, stream: Any, most: int, eager: bool, mask: Any, out: Any) -> None:
    """Random legal moves to the end; an eager player ends a turn only when nothing else is left."""
    while not g.over and out[DECISIONS] < most:
        legal(g, mask)
        if eager and g.phase == MAIN:
            for action in range(1, NUM_ACTIONS):
                if mask[action]:
                    mask[0] = 0
        count = 0
        for action in range(NUM_ACTIONS):
            count += mask[action]
        stream[0] = stream[0] + GAMMA
        left, chosen = scaled(mix(stream[0]), count), 0
        for action in range(NUM_ACTIONS):
            left -= mask[action]
            if left < 0:
                chosen = action
                break
        apply(g, chosen)
        out[DECISIONS] += 1
        out[TURN] = max(out[TURN], g.turn_decisions)
        out[WINDOW] = max(out[WINDOW], g.window_decisions)
    out[STOPS], out[ENDED] = g.stops, g.over


def measure(
    states: np.ndarray, seed: int, most: int = MOST_DECISIONS, eager: bool = False
) -> np.ndarray:
    """Play games to their end in place; int64 (games, 5) of what is noted."""
    noted = np.zeros((len(states), 5), np.int64)
    stream, mask = np.array([seed], np.uint64), np.zeros(NUM_ACTIONS, np.int8)
    for g, out in zip(states, noted, strict=True):
        play_out(g, stream, most, eager, mask, out)
    return noted


def combinations(players: int) -> Iterator[dict[str, Any]]:
    """Every combination of the options."""
    ways: dict[str, Sequence[Any]] = {
        "castles": ("none", "random"),
        "reverse": ((), ROLES),
        "expansion": (False, True),
        "removal": (False, True),
        "free_target": (False, True),
    }
    for chosen in itertools.product(*ways.values()):
        yield {"num_players": players, **dict(zip(ways, chosen, strict=True))}


def dealt(keywords: dict[str, Any], number: int, seed: int) -> np.ndarray:
    """Fresh games, seeded one by one from `seed` on."""
    states = GAME.empty(number)
    packed = GAME.pack(GAME.options.from_keywords(**keywords))
    for i in range(number):
        GAME.new(states[i], packed[0], np.uint64(seed + i))
    return states


def troubles(noted: np.ndarray, turn: int, window: int) -> int:
    """Games that did not end, or in which a limit was reached."""
    reached = (noted[:, TURN] >= turn) | (noted[:, WINDOW] >= window) | (noted[:, STOPS] > 0)
    return int((reached | (noted[:, ENDED] == 0)).sum())


def row(title: str, noted: np.ndarray, turn: int, window: int) -> str:
    """A line of the table."""
    decisions = noted[:, DECISIONS]
    return (
        f"| {title} | {len(noted):,} | {decisions.sum():,} | {decisions.max():,} "
        f"| {noted[:, TURN].max()} of {turn} | {noted[:, WINDOW].max()} of {window} "
        f"| {troubles(noted, turn, window):,} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--games", type=int, default=100_000, help="in all (default 100,000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eager", action="store_true", help="end turns only when nothing is left")
    parser.add_argument("--turn-limit", type=int, default=TURN_LIMIT, help="what counts as reached")
    parser.add_argument("--window-limit", type=int, default=WINDOW_LIMIT, help="likewise, defense")
    given = parser.parse_args(arguments)
    kinds = [keywords for players in (2, 3, 4) for keywords in combinations(players)]
    if given.games < len(kinds):
        parser.error(f"--games must be at least {len(kinds)}, one a combination")
    noted: dict[int, list[np.ndarray]] = {2: [], 3: [], 4: []}
    with tqdm(total=given.games, unit="game") as bar:
        for i, keywords in enumerate(kinds):
            number = given.games // len(kinds) + (i < given.games % len(kinds))
            seed = given.seed + 1_000_000 * i
            found = measure(dealt(keywords, number, seed), seed, eager=given.eager)
            noted[keywords["num_players"]].append(found)
            bar.update(number)

    limits = given.turn_limit, given.window_limit
    by_players = {players: np.concatenate(found) for players, found in noted.items()}
    everything = np.concatenate(list(by_players.values()))
    print(
        "| players | games | decisions | longest game | longest turn | longest defense | stopped |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for players, found in by_players.items():
        print(row(str(players), found, *limits))
    print(row("all", everything, *limits))
    return int(troubles(everything, *limits) > 0)


if __name__ == "__main__":
    sys.exit(main())
