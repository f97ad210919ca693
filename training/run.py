"""The run folder: config, log, TensorBoard, checkpoints and resume states.

    runs/NAME/config.yaml            what was asked for
    runs/NAME/log.jsonl              one line an evaluation
    runs/NAME/tensorboard/           curves
    runs/NAME/checkpoints/SAMPLES/   policy.safetensors, policy.json; the newest also resume.*
    runs/NAME/latest, best           links to checkpoints

A checkpoint is written to a sibling folder and renamed, links are replaced in one step, so that a
run killed at any moment leaves whole files only.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from castle_envs.agents.networks import PolicyNetwork
from castle_envs.agents.policy import load_policy
from castle_envs.engine.errors import CheckpointError, OptionError
from castle_envs.engine.game import Game
from castle_envs.engine.layout import Layout
from training.config import TrainConfig, read_config, write_config

RESUME_TENSORS, RESUME_FACTS = "resume.safetensors", "resume.json"


def start_from(folder: str, game: Game, layout: Layout, network: PolicyNetwork) -> None:
    """Give a network the weights of a checkpoint.

    Raises:
        CheckpointError: it does not exist, or is for another game, observation or network.
    """
    own_game, own_layout, own, _ = load_policy(Path(folder))
    if own_game is not game or own_layout.hash != layout.hash or own.spec != network.spec:
        raise CheckpointError(
            f"cannot start from {folder}: it plays {own_game.title} by {own_layout.view} with "
            f"extras {list(own_layout.extras)} and has the network {own.spec.to_dict()}"
        )
    network.load_state_dict(own.state_dict())


class Run:
    """One training run on disk."""

    def __init__(self, folder: Path, config: TrainConfig) -> None:
        self.folder, self.config = folder, config

    @classmethod
    def create(cls, config: TrainConfig, name: str) -> "Run":
        """A new run folder; raises OptionError if there is one with checkpoints already."""
        folder = Path(config.run or f"runs/{name}-seed{config.seed}")
        if (folder / "latest").exists():
            raise OptionError(
                f"{folder} holds a run already: go on with --resume {folder}, choose another "
                "folder with --run, or remove it"
            )
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        write_config(config, folder / "config.yaml")
        return cls(folder, config)

    @classmethod
    def open(cls, folder: Path) -> "Run":
        """An existing run, to be resumed.

        Raises:
            CheckpointError: no run there, or a file it needs is missing.
        """
        if not (folder / "config.yaml").is_file():
            raise CheckpointError(f"{folder} is no run folder: config.yaml is missing")
        if not (folder / "latest").is_dir():
            raise CheckpointError(f"{folder} has no checkpoint yet (latest is missing): start anew")
        return cls(folder, read_config(folder / "config.yaml"))

    # Log ---------------------------------------------------------------------------------------

    def log(self, line: Mapping[str, Any]) -> None:
        """Append a line to log.jsonl."""
        with (self.folder / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def read_log(self) -> list[dict[str, Any]]:
        """The lines of the log; a last one cut short by a kill is dropped."""
        path = self.folder / "log.jsonl"
        lines = []
        for text in path.read_text().splitlines() if path.exists() else []:
            try:
                lines.append(json.loads(text))
            except ValueError:
                continue
        return lines

    def truncate_log(self, samples: int) -> None:
        """Drop what was logged after the checkpoint that is resumed."""
        kept = [line for line in self.read_log() if line["samples"] <= samples]
        part = self.folder / "log.jsonl.part"
        part.write_text("".join(json.dumps(line) + "\n" for line in kept))
        part.replace(self.folder / "log.jsonl")

    # Checkpoints -------------------------------------------------------------------------------

    def save(
        self,
        samples: int,
        best: bool,
        save_policy: Callable[[Path], None],
        tensors: Mapping[str, Tensor],
        facts: Mapping[str, Any],
    ) -> Path:
        """Write a checkpoint with its resume state, and point `latest` (and `best`) at it."""
        folder = self.folder / "checkpoints" / f"{samples:012d}"
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        save_policy(part)
        save_file({k: v.contiguous() for k, v in tensors.items()}, part / RESUME_TENSORS)
        (part / RESUME_FACTS).write_text(json.dumps({"samples": samples, **facts}))
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
        self._point("latest", folder)
        if best or not (self.folder / "best").exists():
            self._point("best", folder)
        self._prune()
        return folder

    def _point(self, name: str, folder: Path) -> None:
        link = self.folder / f".{name}.part"
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(folder, self.folder), target_is_directory=True)
        link.replace(self.folder / name)

    def _prune(self) -> None:
        kept = {(self.folder / name).resolve() for name in ("latest", "best")}
        for folder in (self.folder / "checkpoints").iterdir():
            if folder.resolve() not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    def load(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Tensors and facts of the newest resume state.

        Raises:
            CheckpointError: a file is missing or damaged.
        """
        folder = self.folder / "latest"
        for name in (RESUME_TENSORS, RESUME_FACTS):
            if not (folder / name).is_file():
                raise CheckpointError(f"cannot resume {self.folder}: {folder / name} is missing")
        try:
            return load_file(folder / RESUME_TENSORS), json.loads(
                (folder / RESUME_FACTS).read_text()
            )
        except (SafetensorError, ValueError) as problem:
            raise CheckpointError(f"cannot resume {self.folder}: {problem}") from problem


def commit() -> str:
    """The commit of the checkout, with a mark where files differ from it; "unknown" outside git."""
    here = Path(__file__).parent
    try:
        name = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name.stdout.strip()


def part_of(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names start with `prefix`, without it."""
    return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}


def pack_arrays(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """Named arrays as tensors for a resume state; uint64 travels as int64, bool as uint8."""
    packed = {}
    for name, array in arrays.items():
        if array.dtype == np.uint64:
            array = array.view(np.int64)
        elif array.dtype == np.bool_:
            array = array.view(np.uint8)
        packed[f"{prefix}.{name}"] = torch.from_numpy(np.ascontiguousarray(array))
    return packed


def unpack_arrays(
    prefix: str, tensors: Mapping[str, Tensor], like: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The inverse of `pack_arrays`, in the dtypes of `like`."""
    return {
        name: tensors[f"{prefix}.{name}"].numpy().view(array.dtype) for name, array in like.items()
    }
