"""The contract: everything a game hands to the faces, the batch, the agents and the tools.

A game is a value: one record of a numpy structured dtype that holds everything, its random stream
included. Compiled verbs act on such a record; plain-Python helpers translate it for people.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from castle_envs.engine.checks import is_whole
from castle_envs.engine.errors import OptionError, UnknownOptionError
from castle_envs.engine.layout import Layout, Segment

Kernel = Callable[..., Any]
Action = int

HEADER = {"rng": "u8", "num_players": "i1", "seat": "i1", "over": "i1"}
"""Fields that every state record must have: random stream, players, seat to act, 1 at the end.

At the end `seat` is the seat that acted last.
"""


def state_dtype(*own: Any) -> np.dtype:
    """The record dtype of a game: the common header, then the game's own fields.

    Its scalars are `np.record`, so that `g.field` also works where kernels run as plain Python.
    """
    return np.dtype((np.record, [*HEADER.items(), *own]))


@dataclass(frozen=True)
class Options:
    """Constructor options of a game; a game subclasses it with the options it has.

    Subclasses are frozen dataclasses that validate themselves in `__post_init__` (calling this
    one) and raise OptionError.
    """

    num_players: int = 2
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int]

    def __post_init__(self) -> None:
        value = self.num_players
        if not is_whole(value):
            raise OptionError(f"num_players must be a whole number, got {value!r}")
        if not self.min_players <= value <= self.max_players:
            raise OptionError(
                f"num_players must be {self.min_players} to {self.max_players}, got {value!r}"
            )
        object.__setattr__(self, "num_players", int(value))

    @classmethod
    def from_keywords(cls, **values: Any) -> Self:
        """Build the options; a keyword that does not exist raises UnknownOptionError."""
        known = [f.name for f in fields(cls)]
        if unknown := sorted(set(values) - set(known)):
            raise UnknownOptionError(f"unknown keyword {unknown[0]!r}; known: {', '.join(known)}")
        return cls(**values)


@dataclass(frozen=True)
class View:
    """One way to observe a game.

    Attributes:
        segments: the declared layout.
        observe: kernel `observe(g, seat, seats, starts, out)` that fills `out` (zeroed by it)
            with integers; `starts` is `Layout.starts`, an entry of -1 means "left out".
        dtype: integer type the batch uses by default.
        scaled: whether the AEC and Gymnasium faces scale entries to float32 in [0, 1].
    """

    segments: tuple[Segment, ...]
    observe: Kernel
    dtype: np.dtype
    scaled: bool


class Pointer(NamedTuple):
    """Actions that name a card in the observation: one group of `ways` actions an entry.

    Entries `start` to `start + count - 1` of `segment`; the actions of the k-th begin at
    `first_action + k * ways[0] * ways[1]`.
    """

    segment: str
    start: int
    count: int  # type: ignore[assignment]  # hides tuple.count
    first_action: int
    ways: tuple[int, int]


class Skip(NamedTuple):
    """A segment that rates actions: its entries, or their best, belong to `count` actions.

    `weight` is what an entry adds to its action's logit before anything is learnt.
    """

    segment: str
    first_action: int
    count: int  # type: ignore[assignment]  # hides tuple.count
    weight: float = 0.0


@dataclass(frozen=True, eq=False)
class Hints:
    """What a network may use of a game's structure; all of it public knowledge.

    Attributes:
        card_segments: segments of the "tokens" view whose entries are card ids.
        card_features: float32 (ids, k): what is printed on each card, by id.
        pointers, skips: see there.
    """

    card_segments: tuple[str, ...]
    card_features: np.ndarray
    pointers: tuple[Pointer, ...] = ()
    skips: tuple[Skip, ...] = ()


@dataclass(frozen=True, eq=False)
class Game:
    """A game, as the engine sees it. Kernels take `g`, a record of dtype `state`.

    Attributes:
        name: lower_snake name, also of its folder and of its checkpoints.
        title: name for people.
        version: environment version (the `_v0` of the face); a change of play bumps it.
        schema: version of the JSON form of a state.
        num_actions: size of the one action space.
        state: dtype of the record, made by `state_dtype`.
        options: class of the constructor options.
        pack: options -> structured array (1,) that `new` takes as `o[0]`.
        new: kernel `new(g, o, seed)`: deal a fresh game; `seed` is uint64.
        legal: kernel `legal(g, mask)`: fill the int8 0/1 mask of the seat to act; zeros at the
            end.
        apply: kernel `apply(g, action)`: play one legal action up to the next real decision.
        scores: kernel `scores(g, out)`: points per seat as if the game ended now, int32.
        tie_break: kernel `tie_break(g, seat)`: an integer; of seats with equal points, the larger
            stands better.
        redeal: kernel `redeal(g, seat, seed)`: resample what that seat cannot see.
        greedy: kernel `greedy(g)`: the action that adds most to the seat's score now.
        views: view name -> View.
        action_names: text of every action id.
        deal_keys: keys of `reset(options=...)` that describe a given deal.
        deal: `deal(states, options, seed, values)`: as `new`, with parts of the deal given.
        decode: action id -> NamedTuple move.  encode: the inverse.
        to_dict: state array (1,) -> JSON-ready dict.
        from_dict: dict, check -> (state array (1,), options).
        breakdown: state array (1,), seat -> dict of everything that makes up the seat's points.
        phase_name: record -> words for the decision at hand, for error messages.
        text: state array (1,), last action text -> a readable table.
        default_extras: optional observation groups that are present unless others are asked for.
        sample: kernel `sample(g, bits)`: a uniform legal action by 64 random bits, where a game
            has a faster way than its mask; None for the mask.
        hints: structure that networks may use; None for plain networks only.
        cards: digest of the card list that the rules are compiled with, where there are several.
    """

    name: str
    title: str
    version: int
    schema: int
    num_actions: int
    state: np.dtype
    options: type[Options]
    pack: Callable[[Any], np.ndarray]
    new: Kernel
    legal: Kernel
    apply: Kernel
    scores: Kernel
    tie_break: Kernel
    redeal: Kernel
    greedy: Kernel
    views: Mapping[str, View]
    action_names: Sequence[str]
    deal_keys: tuple[str, ...]
    deal: Callable[[np.ndarray, Any, int, Mapping[str, Any]], None]
    decode: Callable[[Action], NamedTuple]
    encode: Callable[[Any], Action]
    to_dict: Callable[[np.ndarray], dict[str, Any]]
    from_dict: Callable[[Mapping[str, Any], str], tuple[np.ndarray, Any]]
    breakdown: Callable[[np.ndarray, int], dict[str, Any]]
    phase_name: Callable[[Any], str]
    text: Callable[[np.ndarray, str | None], str]
    default_extras: tuple[str, ...] = ()
    sample: Kernel | None = None
    hints: Hints | None = None
    cards: str = ""
    _layouts: dict[Any, Layout] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> Any:
        """Pickled by name and card list: kernels and tables are code, not data."""
        from castle_envs.games import card_file_of

        return _game_by_name, (self.name, card_file_of(self))

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    @cached_property
    def extras(self) -> tuple[str, ...]:
        """Names of the optional observation groups."""
        named = (s.extra for view in self.views.values() for s in view.segments)
        return tuple(sorted({name for name in named if name is not None}))

    def layout(self, view: str, seats: int, extras: Sequence[str] | None = None) -> Layout:
        """The observation layout of `view` at `seats` seats; raises OptionError on bad values."""
        extras = self.default_extras if extras is None else extras
        if view not in tuple(self.views):
            raise OptionError(f"observation must be one of {sorted(self.views)}, got {view!r}")
        listed = isinstance(extras, Iterable) and not isinstance(extras, str)
        wrong = [name for name in extras if name not in self.extras] if listed else extras
        if not listed or wrong:
            raise OptionError(f"extras must be a list drawn from {self.extras}, got {wrong!r}")
        key = (view, seats, tuple(sorted(set(extras))))
        if key not in self._layouts:
            chosen = self.views[view]
            self._layouts[key] = Layout(
                self.name, view, seats, chosen.segments, key[2], np.dtype(chosen.dtype)
            )
        return self._layouts[key]

    def seats(self, seats: int | None, options: Options) -> int:
        """The seats a layout is made for: `num_players` by default, else a checked value."""
        if seats is None:
            return options.num_players
        if not is_whole(seats) or not options.num_players <= seats <= options.max_players:
            raise OptionError(
                f"seats must be {options.num_players} (the players) to {options.max_players}, "
                f"got {seats!r}"
            )
        return int(seats)

    def empty(self, rows: int = 1) -> np.ndarray:
        """`rows` zeroed records: a view on flat bytes, so that copies are cheap."""
        return self.view(np.zeros(rows * self.state.itemsize, np.uint8))

    def view(self, buffer: np.ndarray) -> np.ndarray:
        """Flat uint8 bytes as records (`buffer.view` would take twice as long)."""
        return np.ndarray(len(buffer) // self.state.itemsize, self.state, buffer)

    def string_to_action(self, text: str) -> Action:
        """The action a text from `action_names` stands for; raises OptionError otherwise."""
        try:
            return self._by_text[text]
        except KeyError:
            raise OptionError(f"{text!r} is no action of {self.title}") from None

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {text: action for action, text in enumerate(self.action_names)}


def _game_by_name(name: str, card_file: str | None) -> Game:
    from castle_envs.games import with_cards

    return with_cards(name, card_file)
