"""The policy network: card vectors, a shared trunk, action logits and a value.

One class for both views. On "tokens" every card position becomes a learnt vector; on "features"
the trunk is a plain MLP. Where the layout holds ratings of actions (the `gains` of greedy), they
are also added straight to the logits, with a learnt weight.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from castle_envs.engine.game import Game, Pointer
from castle_envs.engine.layout import Layout

NEVER = -1e9  # logit of an illegal action; its probability is exactly 0 in float32


@dataclass(frozen=True)
class NetworkSpec:
    """Shape of a policy network.

    Attributes:
        trunk: widths of the shared layers.
        card_size: size of a card's vector ("tokens" view).
        skips: add ratings of actions, where the observation holds them, to the logits.
    """

    trunk: tuple[int, ...] = (128, 128)
    card_size: int = 16
    skips: bool = True

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "trunk": list(self.trunk)}


def pieces(
    num_actions: int, pointers: Sequence[Pointer]
) -> tuple[tuple[int, int, int | None], ...]:
    """All actions as ranges (first, end, place of their pointer or None), in order."""
    found: list[tuple[int, int, int | None]] = []
    at = 0
    for i in sorted(range(len(pointers)), key=lambda i: pointers[i].first_action):
        first, (ways, cells) = pointers[i].first_action, pointers[i].ways
        if at < first:
            found.append((at, first, None))
        at = first + pointers[i].count * ways * cells
        found.append((first, at, i))
    return (*found, (at, num_actions, None)) if at < num_actions else tuple(found)


class PolicyNetwork(nn.Module):
    """Observation integers -> masked logits and a value.

    `forward(observation, action_mask)`: integers (B, layout.size) and 0/1 (B, actions) ->
    logits float32 (B, actions), NEVER where illegal, and values float32 (B,).
    """

    low: Tensor
    unit: Tensor
    plain_at: Tensor
    cards_at: Tensor
    card_features: Tensor

    def __init__(self, game: Game, layout: Layout, spec: NetworkSpec) -> None:
        super().__init__()
        self.layout, self.spec, hints = layout, spec, game.hints
        self.num_actions = game.num_actions
        tokens = hints is not None and layout.view == "tokens"
        cards = hints.card_segments if hints is not None and tokens else ()
        self.skips = [
            s for s in (hints.skips if hints and spec.skips else ()) if s.segment in layout.slices
        ]
        ratings = {s.segment for s in (hints.skips if hints else ())}
        index = np.arange(layout.size)
        at = {name: index[where] for name, where in layout.slices.items()}
        plain = [at[n] for n in at if n not in cards and n not in ratings]
        taken = np.concatenate(plain)
        low = layout.low[taken].astype(np.float32)
        self.register_buffer("plain_at", torch.from_numpy(taken), False)
        self.register_buffer("low", torch.from_numpy(low), False)
        self.register_buffer("unit", torch.from_numpy(layout.unit[taken]), False)
        width = len(taken)
        self.pointers = hints.pointers if hints is not None and tokens else ()
        if cards and hints is not None:
            placed = np.concatenate([at[name] for name in cards])
            self.register_buffer("cards_at", torch.from_numpy(placed), False)
            self.register_buffer("card_features", torch.from_numpy(hints.card_features), False)
            ids, printed = hints.card_features.shape
            self.printed = nn.Linear(printed, spec.card_size)
            self.free = nn.Parameter(torch.randn(ids, spec.card_size) * 0.1)
            width += len(placed) * spec.card_size
            self.starts = {
                p.segment: int(np.flatnonzero(placed == at[p.segment][0])[0]) for p in self.pointers
            }
        width += sum(self._groups(len(at[skip.segment])) for skip in self.skips)
        layers: list[nn.Module] = []
        for size in spec.trunk:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self.trunk = nn.Sequential(*layers)
        self.pieces = pieces(self.num_actions, self.pointers)
        sizes = [end - first for first, end, pointer in self.pieces if pointer is None]
        self.flat = nn.Linear(width, sum(sizes))  # the actions of no pointer
        self.flat_sizes = sizes
        self.value = nn.Linear(width, 1)
        self.queries, self.maps, self.slots = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for p in self.pointers:
            self.queries.append(nn.Linear(width, p.ways[1] * spec.card_size))
            self.maps.append(nn.Linear(spec.card_size, p.ways[0] * spec.card_size))
            self.slots.append(nn.Linear(width, p.ways[0] * p.ways[1] + p.count))
        if self.skips:
            self.skip_weights = nn.Linear(width, len(self.skips))
        self.skip_units = [float(layout.unit[at[s.segment][0]]) for s in self.skips]
        with torch.no_grad():
            for layer in (self.flat, *self.queries, *self.slots):
                layer.weight.mul_(0.1)
            if self.skips:
                self.skip_weights.weight.zero_()
                self.skip_weights.bias.copy_(torch.tensor([s.weight for s in self.skips]))

    @staticmethod
    def _groups(entries: int) -> int:
        """How many numbers of a rating the trunk sees: the best of every 16."""
        return entries if entries % 16 else entries // 16

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """See the class."""
        vectors = self._vectors(observation)
        ratings = [observation[:, self.rated_from(i)].float() for i in range(len(self.skips))]
        hidden = self.trunk(self._inputs(observation, vectors, ratings))
        logits = self._logits(hidden, vectors, ratings)
        return logits.masked_fill(action_mask == 0, NEVER), self.value(hidden).squeeze(1)

    def _vectors(self, observation: Tensor) -> Tensor | None:
        """Vectors of the cards at every card position, where the view has such positions."""
        if not hasattr(self, "printed"):
            return None
        table = self.printed(self.card_features) + self.free
        return nn.functional.embedding(observation[:, self.cards_at].long(), table)

    def _inputs(
        self, observation: Tensor, vectors: Tensor | None, ratings: Sequence[Tensor]
    ) -> Tensor:
        """What the trunk sees: plain entries, card vectors, the best of the ratings."""
        inputs = [(observation[:, self.plain_at].float() - self.low) / self.unit]
        if vectors is not None:
            inputs.append(vectors.flatten(1))
        for rating, unit in zip(ratings, self.skip_units, strict=True):
            groups = self._groups(rating.shape[1])
            inputs.append(rating.reshape(len(rating), groups, -1).amax(2) / unit)
        return torch.cat(inputs, 1)

    def _logits(self, hidden: Tensor, vectors: Tensor | None, ratings: Sequence[Tensor]) -> Tensor:
        """Logits of all actions, legal or not: from the trunk, by cards, by ratings."""
        flat = iter(self.flat(hidden).split(self.flat_sizes, 1))
        weights = self.skip_weights(hidden) if self.skips else hidden
        parts = []
        for first, end, i in self.pieces:
            if i is None:
                part = next(flat)
            else:
                assert vectors is not None
                part = self._point(i, hidden, vectors)
            for k, skip in enumerate(self.skips):
                if first <= skip.first_action < end:
                    rates = ratings[k] if skip.count > 1 else ratings[k].amax(1, keepdim=True)
                    before, after = skip.first_action - first, end - skip.first_action - skip.count
                    part = part + nn.functional.pad(weights[:, k : k + 1] * rates, (before, after))
            parts.append(part)
        return torch.cat(parts, 1)

    def rated_from(self, i: int) -> slice:
        """Where the entries of the i-th skip's segment lie."""
        return self.layout.slices[self.skips[i].segment]

    def _point(self, i: int, hidden: Tensor, vectors: Tensor) -> Tensor:
        """Logits of a pointer's actions: card vector times query, plus biases."""
        rows, size, pointer = hidden.shape[0], self.spec.card_size, self.pointers[i]
        ways, cells = pointer.ways
        start = self.starts[pointer.segment] + pointer.start
        cards = self.maps[i](vectors[:, start : start + pointer.count])
        cards = cards.view(rows, pointer.count * ways, size)
        queries = self.queries[i](hidden).view(rows, cells, size)
        dots = torch.bmm(cards, queries.transpose(1, 2)).view(rows, pointer.count, ways * cells)
        biases = self.slots[i](hidden)
        dots = dots + biases[:, None, : ways * cells] + biases[:, ways * cells :, None]
        return dots.flatten(1)
