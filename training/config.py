"""The one config of all training: typed, read from YAML, overridden on the command line."""

import sys
from dataclasses import asdict, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import tyro
import yaml
from pydantic.dataclasses import dataclass

from castle_envs.engine.errors import OptionError


def _yaml_dict(words: list[str]) -> dict[str, Any]:
    found = yaml.safe_load(words[0])
    if not isinstance(found, dict):
        raise ValueError(f"expected YAML like '{{castles: random}}', got {words[0]!r}")
    return found


GameOptions = Annotated[
    dict[str, Any],
    tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar="YAML",
        instance_from_str=_yaml_dict,
        is_instance=lambda value: isinstance(value, dict),
        str_from_instance=lambda value: [yaml.safe_dump(value, default_flow_style=True).strip()],
    ),
]


@dataclass(frozen=True, config=pydantic.ConfigDict(extra="forbid"))
class TrainConfig:
    """Train a policy. Every field can stand in the YAML file and on the command line."""

    game: Literal["chateau_combo", "castle_up"] = "chateau_combo"
    """Game to learn."""
    algorithm: Literal["ppo", "maskable_ppo"] = "ppo"
    """ppo: all seats learn from self-play; maskable_ppo: sb3-contrib against a pool."""
    players: tuple[int, ...] = (2,)
    """Player counts of the games; several are mixed in one batch."""
    options: GameOptions = field(default_factory=dict)
    """Further options of the game; on the command line as YAML: "{castles: random}"."""
    observation: Literal["tokens", "features"] = "tokens"
    """View the policy looks at."""
    extras: tuple[str, ...] = ("scores", "totals")
    """Optional observation groups; "gains" gives it what greedy knows."""
    reward: Literal["outcome", "placement", "score"] = "score"
    """What a game pays at its end."""
    rivalry: float = 0.0
    """ppo, reward score: how much the others' mean points count against the own ones at first.
    The environment's reward counts 1; below it, the others' luck disturbs learning less."""
    rivalry_end: float = 1.0
    """At the end."""
    rivalry_from: float = 0.3
    """Part of the training after which it begins to move, linearly, to rivalry_end."""
    rivalry_until: float = 0.6
    """Part of the training after which it stays there."""
    greedy_share: float = 0.0
    """ppo: share of the games in which greedy plays all seats but one. Nothing is learnt from its
    moves."""
    start: str = ""
    """Folder of a policy checkpoint (runs/NAME/best) whose weights the training starts from."""
    trunk: tuple[int, ...] = (128, 128)
    """Widths of the shared layers."""
    card_size: int = 16
    """Size of a card's vector."""

    total_samples: int = 2_000_000
    """Decisions of learning seats to train on."""
    num_envs: int = 512
    """Games at once."""
    rollout: int = 64
    """Steps of every game between two updates."""
    epochs: int = 2
    """Passes over each rollout."""
    minibatch: int = 1024
    """Samples a gradient step."""
    learning_rate: float = 1e-3
    """At the start; falls linearly to learning_rate_end."""
    learning_rate_end: float = 0.0
    """At the end."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start; falls linearly to entropy_end."""
    entropy_end: float = 0.002
    """At the end."""
    clip: float = 0.2
    """How far a probability ratio may go before its gradient stops."""
    discount: float = 1.0
    """Per own decision (gamma)."""
    gae_lambda: float = 0.95
    """Mix of advantage estimates."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    gradient_clip: float = 0.5
    """Largest gradient norm."""

    pool_size: int = 8
    """maskable_ppo: frozen past selves kept as opponents."""
    pool_every: int = 200_000
    """maskable_ppo: samples between two past selves."""
    pool_scripted: float = 0.5
    """maskable_ppo: share of games against the scripted agents."""
    scripted: tuple[str, ...] = ("random", "greedy")
    """maskable_ppo: scripted opponents."""

    evaluate_every: int = 200_000
    """Samples between two evaluations (and checkpoints)."""
    evaluate_games: int = 500
    """Games of each evaluation."""
    evaluate_against: str = "greedy"
    """Opponent that decides which checkpoint is best."""
    seed: int = 0
    """Of everything random."""
    threads: int = 0
    """Torch threads; 0 for one a core."""
    run: str = ""
    """Run folder; by default runs/<config name>-seed<seed>."""


def read_config(path: Path) -> TrainConfig:
    """A config from a YAML file.

    Raises:
        OptionError: a missing file, a field that does not exist or has the wrong type (named,
            with what is allowed).
    """
    try:
        values = yaml.safe_load(path.read_text())
    except (OSError, yaml.YAMLError) as problem:
        raise OptionError(f"cannot read the config {path}: {problem}") from problem
    return checked(values if values is not None else {}, str(path))


def checked(values: Any, where: str) -> TrainConfig:
    """A config from plain values."""
    if not isinstance(values, dict):
        raise OptionError(f"{where}: a config is a list of 'field: value' lines")
    try:
        return pydantic.TypeAdapter(TrainConfig).validate_python(values)
    except pydantic.ValidationError as problem:
        lines = []
        for error in problem.errors():
            name = ".".join(map(str, error["loc"]))
            lines.append(f"{name}: {error['msg']}, got {error['input']!r}")
            if error["type"] == "unexpected_keyword_argument":
                known = ", ".join(f.name for f in fields(TrainConfig))
                lines.append(f"  known fields: {known}")
        raise OptionError(f"{where}: " + "\n".join(lines)) from None


def write_config(config: TrainConfig, path: Path) -> None:
    """The config as YAML that `read_config` takes."""
    plain = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(config).items()}
    path.write_text(yaml.safe_dump(plain, sort_keys=False))


def config_from_command_line(arguments: list[str]) -> tuple[TrainConfig, Path | None]:
    """The config of `--config FILE` with the command line's overrides, and that file."""
    path, rest = None, list(arguments)
    for i, word in enumerate(rest):
        if word == "--config" or word.startswith("--config="):
            value = word.partition("=")[2] or (rest[i + 1] if i + 1 < len(rest) else "")
            del rest[i : i + (1 if "=" in word else 2)]
            path = Path(value)
            break
    default = read_config(path) if path is not None else TrainConfig()
    config = tyro.cli(
        TrainConfig,
        args=rest,
        default=default,
        prog="python -m training.train",
        description="Also: --config FILE (YAML) gives the fields to start from; --resume RUN goes "
        "on with an interrupted run.",
    )
    return checked(asdict(config), "command line"), path


def command() -> str:
    """The command this process was started with, for the record."""
    return "python -m training.train " + " ".join(sys.argv[1:])
