"""An optimiser's moments as named tensors, for resume states."""

from collections.abc import Mapping

import torch
from torch import Tensor


def optimizer_state(prefix: str, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Every moment of every parameter as `prefix.PARAMETER.NAME`."""
    return {
        f"{prefix}.{i}.{name}": value.detach()
        for i, moments in optimizer.state_dict()["state"].items()
        for name, value in moments.items()
    }


def set_optimizer_state(tensors: Mapping[str, Tensor], optimizer: torch.optim.Optimizer) -> None:
    """The inverse, from names without the prefix."""
    moments: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        i, name = key.split(".")
        moments.setdefault(int(i), {})[name] = value
    saved = optimizer.state_dict()
    saved["state"] = moments
    optimizer.load_state_dict(saved)
