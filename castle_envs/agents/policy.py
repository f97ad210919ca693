"""Trained policies as data: saving, loading and playing a checkpoint.

A checkpoint is a folder with `policy.safetensors` (weights) and `policy.json` (game, layout,
network shape, checksum, where it comes from). Nothing in it is code and nothing is unpickled.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from castle_envs.agents.base import BatchAgent, observe_batch, rng_from
from castle_envs.engine.errors import CheckpointError, LayoutError, OptionError
from castle_envs.engine.game import Game
from castle_envs.engine.layout import Layout
from castle_envs.games import card_file_of, with_cards

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load as load_tensors
    from safetensors.torch import save as save_tensors

    from castle_envs.agents.networks import NetworkSpec, PolicyNetwork
except ImportError as missing:
    raise ImportError(
        "trained policies need torch and safetensors: pip install 'castle-envs[train]'"
    ) from missing

WEIGHTS, DESCRIPTION = "policy.safetensors", "policy.json"
FORMAT = 1


class PolicyAgent(BatchAgent):
    """A trained network as an agent.

    Args:
        game, layout: what it plays and what it looks at.
        network: logits and value from an observation.
        deterministic: most probable action, else sample from the probabilities.
        name: shown in tables.
    """

    def __init__(
        self,
        game: Game,
        layout: Layout,
        network: PolicyNetwork,
        deterministic: bool = True,
        name: str = "policy",
        seed: int | None = None,
    ) -> None:
        self.game, self.layout, self.network = game, layout, network.eval()
        self.deterministic, self.name = deterministic, name
        self._rng = rng_from(seed)

    @torch.no_grad()
    def _choose(self, observed: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> Any:
        logits, _ = self.network(torch.from_numpy(observed), torch.from_numpy(mask))
        if self.deterministic:
            return logits.argmax(1).numpy()
        # Gumbel noise: the largest noisy logit is a sample from the softmax.
        noise = -np.log(rng.exponential(size=logits.shape)).astype(np.float32)
        return (logits + torch.from_numpy(noise)).argmax(1).numpy()

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The action for one observation of this policy's layout.

        Raises:
            LayoutError: an observation of another length.
        """
        if observation.shape != (self.layout.size,):
            raise LayoutError(
                f"{self.name} looks at {self.layout.size} entries ({self.layout.view}, "
                f"{self.layout.seats} seats, extras {list(self.layout.extras)}), got "
                f"{observation.shape}"
            )
        if observation.dtype.kind == "f":
            observation = self.layout.unscaled(observation)
        mask = np.asarray(action_mask)[None]
        return int(self._choose(observation[None], mask, self._rng)[0])

    def act_batch(
        self, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Actions int64 (N,) for N states; raises LayoutError for more seats than it knows."""
        if len(states) == 0:
            return np.zeros(0, np.int64)
        if int(states["num_players"].max()) > self.layout.seats:
            raise LayoutError(f"{self.name} was trained for at most {self.layout.seats} seats")
        observed, masks = observe_batch(self.game, self.layout, states, seats)
        return self._choose(observed, masks, rng)

    @classmethod
    def load(cls, folder: str | Path, deterministic: bool = True) -> Self:
        """See `castle_envs.agents.load`."""
        folder = Path(folder)
        game, layout, network, _ = load_policy(folder)
        return cls(game, layout, network, deterministic, str(folder))


def save_policy(
    folder: Path, game: Game, layout: Layout, network: PolicyNetwork, about: Mapping[str, Any]
) -> None:
    """Write a checkpoint into an existing folder.

    Args:
        about: JSON-ready facts to keep beside it: training command, commit, samples, rating.
    """
    weights = save_tensors({k: v.contiguous() for k, v in network.state_dict().items()})
    description = {
        "format": FORMAT,
        "game": game.name,
        "version": game.version,
        "view": layout.view,
        "seats": layout.seats,
        "extras": list(layout.extras),
        "layout_hash": layout.hash,
        "network": network.spec.to_dict(),
        "sha256": hashlib.sha256(weights).hexdigest(),
        "card_file": card_file_of(game),
        "cards": game.cards,
        **about,
    }
    (folder / WEIGHTS).write_bytes(weights)
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=1) + "\n")


def read_description(folder: Path) -> dict[str, Any]:
    """The checked content of `policy.json`."""
    try:
        text = (folder / DESCRIPTION).read_text()
    except OSError as problem:
        raise CheckpointError(f"{folder} is no policy checkpoint: {problem}") from problem
    try:
        found = json.loads(text)
    except ValueError as problem:
        raise CheckpointError(f"{folder / DESCRIPTION} is damaged: {problem}") from problem
    wanted = ("format", "game", "version", "view", "seats", "extras", "layout_hash", "network")
    for key in (*wanted, "sha256"):
        if not isinstance(found, dict) or key not in found:
            raise CheckpointError(f"{folder / DESCRIPTION} lacks {key!r}")
    if found["format"] != FORMAT:
        raise CheckpointError(f"{folder} has format {found['format']!r}, this is {FORMAT}")
    return found


def load_policy(folder: Path) -> tuple[Game, Layout, PolicyNetwork, dict[str, Any]]:
    """Game, layout, network and description of a checkpoint.

    Raises:
        CheckpointError: see `castle_envs.agents.load`.
    """
    about = read_description(folder)
    try:
        game = with_cards(about["game"], about.get("card_file"))
        layout = game.layout(about["view"], about["seats"], about["extras"])
    except (OptionError, TypeError) as problem:
        raise CheckpointError(f"{folder} fits no game here: {problem}") from problem
    if about.get("cards", game.cards) != game.cards:
        raise CheckpointError(
            f"{folder} was trained on other cards than {about.get('card_file') or 'the default'} "
            f"list holds now: digest {about['cards']}, found {game.cards}"
        )
    if about["version"] != game.version or about["layout_hash"] != layout.hash:
        raise CheckpointError(
            f"{folder} was made for {about['game']} v{about['version']} with observation layout "
            f"{about['layout_hash']}; installed: v{game.version}, {layout.hash}"
        )
    try:
        raw = (folder / WEIGHTS).read_bytes()
    except OSError as problem:
        raise CheckpointError(f"{folder} is no policy checkpoint: {problem}") from problem
    if hashlib.sha256(raw).hexdigest() != about["sha256"]:
        raise CheckpointError(f"{folder / WEIGHTS} is not the file that was saved (checksum)")
    known = {f.name for f in fields(NetworkSpec)}
    shape = about["network"]
    if not isinstance(shape, dict) or set(shape) != known:
        raise CheckpointError(f"{folder}: 'network' must have the keys {sorted(known)}")
    try:
        spec = NetworkSpec(tuple(shape["trunk"]), shape["card_size"], shape["skips"])
        network = PolicyNetwork(game, layout, spec)
        network.load_state_dict(load_tensors(raw))
    except (SafetensorError, RuntimeError, TypeError, ValueError) as problem:
        raise CheckpointError(f"{folder}: weights do not fit the network: {problem}") from problem
    return game, layout, network, about
