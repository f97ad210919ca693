"""Games to visit: states of every kind, by random or greedy play, with any options."""

import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from castle_envs import castle_up_v0
from castle_envs.games.castle_up import GAME
from castle_envs.games.castle_up.state import PHASES

ROLES = ("initiative", "mercantile", "defensive", "military")
CASTLES = ("castle_red", "castle_green", "castle_blue", "castle_gold", "castle")


@st.composite
def options(draw: Any) -> dict[str, Any]:
    """Any combination of constructor options."""
    n = draw(st.integers(2, 4))
    given_castles = st.permutations(CASTLES).map(lambda found: found[:n])
    some_cards = st.lists(st.sampled_from(["farm", "goldmine", "cathedral", "dump"]), unique=True)
    return {
        "num_players": n,
        "castles": draw(st.one_of(st.just("none"), st.just("random"), given_castles)),
        "reverse": draw(st.lists(st.sampled_from(ROLES), unique=True)),
        "expansion": draw(st.booleans()),
        "removal": draw(st.one_of(st.booleans(), some_cards)),
        "free_target": draw(st.booleans()),
    }


def dealt(keywords: dict[str, Any], seed: int) -> Any:
    """A fresh game: state array (1,)."""
    states = GAME.empty()
    packed = GAME.pack(GAME.options.from_keywords(**keywords))
    GAME.new(states[0], packed[0], np.uint64(seed))
    return states


def mask_of(g: Any) -> np.ndarray:
    mask = np.full(GAME.num_actions, 7, np.int8)
    GAME.legal(g, mask)
    return mask


def random_choice(g: Any, rng: random.Random) -> int:
    return rng.choice(np.flatnonzero(mask_of(g)).tolist())


def greedy_choice(g: Any, rng: random.Random) -> int:
    return int(GAME.greedy(g))


def visited(states: Any, seed: int = 0, choose: Any = random_choice) -> Any:
    """Yields the state at every decision, then at the end."""
    rng = random.Random(seed)
    while not states[0].over:
        yield states
        GAME.apply(states[0], choose(states[0], rng))
    yield states


def state_after(keywords: dict[str, Any], seed: int, steps: int) -> Any:
    """The state after some random decisions, or at the end."""
    states = dealt(keywords, seed)
    for _, _ in zip(range(steps), visited(states, seed), strict=False):
        pass
    return states


def fighting_choice(g: Any, rng: random.Random) -> int:
    """Random play that prefers battles and what leads to rare decisions."""
    ids = np.flatnonzero(mask_of(g)).tolist()
    rare = [i for i in ids if 26 <= i < 34 or 38 <= i < 60 or i in (86, 87)]
    other = [i for i in ids if i != 0]
    if rare and rng.random() < 0.7:
        return int(rng.choice(rare))
    return int(rng.choice(other if other and rng.random() < 0.9 else ids))


def busy_choice(g: Any, rng: random.Random) -> int:
    """Greedy play with a third of random moves that do not end the turn: rich cities."""
    ids = np.flatnonzero(mask_of(g)).tolist()
    if rng.random() < 0.65:
        return int(GAME.greedy(g))
    return int(rng.choice([i for i in ids if i] or ids))


def both_ways() -> Any:
    """A rare decision made by hand: buy the top card, or promote into it (SPECIAL)."""
    city = [["town_hall", "ready"], ["palisade", "ready"]]
    rich = {"tokens": [5, 5, 5, 0], "city": city, "held": {}}
    poor = {"tokens": [0, 0, 0, 0], "city": [["castle", "ready"]], "held": {}}
    position = {"options": {"players": 2}, "seats": [rich, poor], "deck": ["stone_wall"]}
    states, _ = GAME.from_dict(position, "position")
    GAME.apply(states[0], 1)
    return states


def one_of_each_phase() -> dict[str, Any]:
    """A state at every kind of decision, by name."""
    found: dict[str, Any] = {"SPECIAL": both_ways()}
    for seed in range(400):
        keywords = {"num_players": 2 + seed % 3, "expansion": seed % 2 == 0}
        for states in visited(dealt(keywords, seed), seed, fighting_choice):
            name = "OVER" if states[0].over else PHASES[states[0].phase]
            found.setdefault(name, states.copy())
        if len(found) == len(PHASES) + 1:
            break
    return found


def env_of(states: Any) -> Any:
    """The public environment in a state."""
    return castle_up_v0.raw_env.from_dict(GAME.to_dict(states), check="position")
