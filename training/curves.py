"""Draw the learning curves of runs: `python -m training.curves runs/a runs/b --out curves.png`.

Win rate and mean score against samples and against seconds of learning, one line a run; the
points also go into a JSON file of the same name.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from castle_envs.engine.errors import CastleEnvsError, CheckpointError
from training.run import Run


@dataclass(frozen=True)
class CurvesArguments:
    """Learning curves of some runs."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders."""
    out: Path = Path("runs/curves.png")
    """The figure; the points go beside it, as JSON."""
    title: str = ""
    """Above the figure."""


def points_of(folder: Path) -> dict[str, Any]:
    """A run's name, origin and evaluations; raises CheckpointError where there are none."""
    run = Run.open(folder)
    lines = run.read_log()
    if not lines:
        raise CheckpointError(f"{folder} has no evaluation in its log yet")
    about = json.loads((folder / "latest" / "policy.json").read_text())
    kept = ("samples", "seconds", "win_rate", "interval", "score", "games", "against", "players")
    return {
        "run": folder.name,
        "command": about.get("command"),
        "commit": about.get("commit"),
        "points": [{name: line[name] for name in kept} for line in lines],
    }


def draw(curves: list[dict[str, Any]], title: str, path: Path) -> None:
    """Two rows (win rate, score) by two columns (samples, minutes)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 6.5), sharex="col", sharey="row")
    for curve in curves:
        points = curve["points"]
        for column, (name, unit) in enumerate((("samples", 1e6), ("seconds", 60.0))):
            x = [point[name] / unit for point in points]
            for row, measure in enumerate(("win_rate", "score")):
                y = [point[measure] for point in points]
                axes[row][column].plot(x, y, marker=".", label=curve["run"])
    against = curves[0]["points"][0]["against"]
    axes[0][0].set_ylabel(f"win rate against {against}")
    axes[1][0].set_ylabel("mean score")
    axes[1][0].set_xlabel("million samples")
    axes[1][1].set_xlabel("minutes of learning")
    axes[0][0].legend()
    for axis in axes.flat:
        axis.grid(alpha=0.3)
    figure.suptitle(title or "Learning curves")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    given = tyro.cli(
        CurvesArguments, args=arguments, prog="python -m training.curves", description=__doc__
    )
    try:
        if not given.runs:
            raise CheckpointError("give at least one run folder")
        curves = [points_of(folder) for folder in given.runs]
    except CastleEnvsError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    given.out.parent.mkdir(parents=True, exist_ok=True)
    draw(curves, given.title, given.out)
    data = given.out.with_suffix(".json")
    data.write_text(json.dumps(curves, indent=1) + "\n")
    print(f"wrote {given.out} and {data}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
