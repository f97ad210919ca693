"""Self-play games of Castle Up, with what tells whether its numbers are in balance.

Everything is read from the decisions: a decision of the main state names a purchase by its id, and
the legal ids of the main state name every purchase that was possible. A *card* here is a kind of
building or castle (see `castle_up.cards`), or `NUM_KINDS` + role for an action card.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

import numpy as np

from castle_envs.agents import Agent
from castle_envs.engine.drivers import drivers_of
from castle_envs.engine.errors import IllegalActionError, OptionError
from castle_envs.engine.game import Game
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import make_ranks
from castle_envs.games import with_cards
from castle_envs.games.castle_up import actions
from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up.state import MAIN, MAX_PLAYERS, ROLES_IN_PLAY

CHUNK = 1000  # games played at once
CARDS = c.NUM_KINDS + ROLES_IN_PLAY
USE_IDS = actions.USE_HELD - actions.USE  # of slots
ROLES = np.arange(ROLES_IN_PLAY)
# The pile that an action opens for a purchase, 0 for none: such an action does nothing else.
OPENS = np.where(c.EFFECT[c.FIRST_EFFECT] == c.DO_BUY_FROM, c.SOURCE[c.FIRST_EFFECT], 0)


@dataclass(frozen=True)
class Record:
    """What happened in G games of n seats.

    Attributes (index [game, seat]; C = `CARDS`):
        share: float64, 1/k for each of k shared winners, else 0.
        score: int64, final points.
        castle: int64, kind of the castle dealt.
        tokens: int64 (G, n, 4), M, S, F and gold left at the end.
        city: int64 (G, n, 7), kinds of the cards in the city at the end, 0 for none.
        turns: int64, turns taken.
        attacks, loots: int64, turns with an attack on a building, and with a loot attack.
        seen: int64 (G, n, C), own turns in which the card lay in the trade row.
        offered: int64 (G, n, C), own turns with a decision at which its purchase was legal: from
            the row, by promotion, or by an action that opens the pile it tops. Legal includes
            purchases that would be paid by giving up own buildings.
        bought: int64 (G, n, C), purchases, promotions included.
        first: int64 (G,), seat that had the first turn.
        rounds, decisions: int64 (G,), length of the game.
    """

    share: np.ndarray
    score: np.ndarray
    castle: np.ndarray
    tokens: np.ndarray
    city: np.ndarray
    turns: np.ndarray
    attacks: np.ndarray
    loots: np.ndarray
    seen: np.ndarray
    offered: np.ndarray
    bought: np.ndarray
    first: np.ndarray
    rounds: np.ndarray
    decisions: np.ndarray


class Counter:
    """Counts turns, battles, offers and purchases of N games while they are played."""

    def __init__(self, games: int, players: int) -> None:
        self.turns, self.attacks, self.loots = np.zeros((3, games, players), np.int64)
        self.seen, self.offered, self.bought = np.zeros((3, games, players, CARDS), np.int64)
        # Of the turns being played:
        self._attacked, self._looted = np.zeros((2, games), np.bool_)
        self._seen, self._offered = np.zeros((2, games, CARDS), np.bool_)

    def note(
        self, rows: np.ndarray, states: np.ndarray, masks: np.ndarray, chosen: np.ndarray
    ) -> None:
        """Count one decision in each of some games, before it is played.

        Args:
            rows: places of the games, each once.
            states, masks, chosen: their states, legal ids int8 (R, 88), and the ids chosen.
        """
        main = states["phase"] == MAIN
        rows, states, masks, chosen = rows[main], states[main], masks[main], chosen[main]
        seats = states["active"].astype(np.int64)
        goods = for_sale(states, seats)
        legal = masks[:, : actions.ATTACK] > 0
        self._offered[rows[:, None], np.where(legal, goods, 0)] = True
        self._seen[rows[:, None], states["row"]] = True
        self._seen[rows, c.NUM_KINDS :] |= states["holder"] < 0
        sold = chosen < actions.ATTACK
        card = np.where(sold, goods[np.arange(len(rows)), np.where(sold, chosen, 0)], 0)
        self.bought[rows, seats, card] += card > 0
        self._attacked[rows] |= (chosen >= actions.ATTACK) & (chosen < actions.LOOT)
        self._looted[rows] |= chosen == actions.LOOT
        self._end_turns(rows[chosen == actions.DONE], seats[chosen == actions.DONE])

    def _end_turns(self, rows: np.ndarray, seats: np.ndarray) -> None:
        self.turns[rows, seats] += 1
        for total, turn in (
            (self.attacks, self._attacked),
            (self.loots, self._looted),
            (self.seen, self._seen),
            (self.offered, self._offered),
        ):
            total[rows, seats] += turn[rows]
            turn[rows] = False


def for_sale(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """The card that each id below ATTACK buys in the main state, int64 (R, 38); 0 for none."""
    n = np.arange(len(states))
    eras = states["era"].astype(np.int64)[:, None] - 1
    held = c.ROLE_ACTION[ROLES, states["sides"].astype(np.int64), eras]
    own = c.CARD_ACTIONS[states["city"][n, seats]].reshape(len(n), USE_IDS)
    opens = OPENS[np.concatenate([own, held], axis=1)]
    deck, pile = (
        np.where(
            states[f"{name}_size"] > 0,
            states[name][n, np.maximum(states[f"{name}_size"], 1) - 1],
            0,
        )[:, None]
        for name in ("deck", "discard")
    )
    opened = np.where(opens == c.FROM_DECK, deck, np.where(opens == c.FROM_DISCARD, pile, 0))
    done = np.zeros((len(n), 1), np.int64)
    roles = np.broadcast_to(c.NUM_KINDS + ROLES, (len(n), ROLES_IN_PLAY))
    return np.concatenate([done, opened, states["row"], states["row"], roles], axis=1)


def play_games(
    agent: Agent,
    games: int,
    players: int = 2,
    seed: int = 0,
    progress: Callable[[int], Any] | None = None,
    **options: Any,
) -> Record:
    """Play games in which `agent` has every seat, each of a deal of its own.

    Args:
        seed: of the deals and of agents that draw.
        progress: called with the number of games just finished.
        options: of the game.

    Raises:
        IllegalActionError: the agent chose an illegal action.
    """
    sizes = [min(CHUNK, games - start) for start in range(0, games, CHUNK)]
    streams = np.random.SeedSequence(seed).spawn(len(sizes))
    game = game_with_known_cards(options.get("card_file"))
    packed = game.pack(game.options.from_keywords(num_players=players, **options))
    parts = [
        _play_chunk(game, agent, size, players, packed, np.random.default_rng(stream), progress)
        for size, stream in zip(sizes, streams, strict=True)
    ]
    names = [f.name for f in fields(Record)]
    return Record(**{k: np.concatenate([getattr(p, k) for p in parts]) for k in names})


def game_with_known_cards(card_file: str | None) -> Game:
    """The game on another list of the same cards: figures go by their kinds, eras and suits."""
    game = with_cards("castle_up", card_file)
    own = import_module(f"{game.options.__module__.rpartition('.')[0]}.cards")
    for table in ("CARD_IDS", "SUIT", "ERA", "CARD_ACTIONS", "ROLE_ACTION", "EFFECT", "SOURCE"):
        if not np.array_equal(getattr(own, table), getattr(c, table)):
            raise OptionError(f"card_file {card_file}: its cards do other things, see {table}")
    return game


def _play_chunk(
    game: Game,
    agent: Agent,
    games: int,
    players: int,
    packed: np.ndarray,
    rng: np.random.Generator,
    progress: Callable[[int], Any] | None,
) -> Record:
    drivers = drivers_of(game)
    states = game.empty(games)
    for row in range(games):
        _, bits = next_seed(seed_stream(int(rng.integers(0, 2**63))))
        game.new(states[row], packed[0], np.uint64(bits))
    first = states["first"].astype(np.int64)
    counter, decisions = Counter(games, players), np.zeros(games, np.int64)
    rows = np.arange(games)
    while len(rows):
        now = states[rows]
        masks, seats = np.zeros((len(rows), game.num_actions), np.int8), np.zeros_like(rows)
        drivers.refresh(0, len(rows), now, masks, seats)
        chosen = np.asarray(agent.act_batch(now, seats, rng), np.int64)
        if drivers.first_illegal(masks, chosen) >= 0:
            raise IllegalActionError(f"agent {agent.name!r} chose an illegal action")
        counter.note(rows, now, masks, chosen)
        drivers.apply_rows(rows, states, chosen)
        decisions[rows] += 1
        left = rows[states["over"][rows] == 0]
        if progress is not None and len(left) < len(rows):
            progress(len(rows) - len(left))
        rows = left
    return _collect(game, states, players, first, decisions, counter)


def _collect(
    game: Game,
    states: np.ndarray,
    n: int,
    first: np.ndarray,
    decisions: np.ndarray,
    counter: Counter,
) -> Record:
    points, ranks = np.zeros((2, len(states), MAX_PLAYERS), np.int32)
    rank_seats = make_ranks(game)
    for row, state in enumerate(states):
        game.scores(state, points[row])
        rank_seats(state, points[row], ranks[row])
    wins = ranks[:, :n] == 0
    return Record(
        share=wins / wins.sum(axis=1, keepdims=True),
        score=points[:, :n].astype(np.int64),
        castle=states["castles"][:, :n].astype(np.int64),
        tokens=states["tokens"][:, :n].astype(np.int64),
        city=states["city"][:, :n].astype(np.int64),
        turns=counter.turns,
        attacks=counter.attacks,
        loots=counter.loots,
        seen=counter.seen,
        offered=counter.offered,
        bought=counter.bought,
        first=first,
        rounds=states["round_number"].astype(np.int64),
        decisions=decisions,
    )
