"""Figures of an evaluation: win rates with intervals, and score distributions."""

from pathlib import Path

import numpy as np

from castle_envs.evaluation.tournament import Tournament


def plot_tournament(found: Tournament, path: Path) -> None:
    """Write a PNG: win-rate bars with 95 % intervals, and a score histogram a line of the table.

    Raises:
        ImportError: matplotlib is missing; the message says how to install it.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError("figures need matplotlib: pip install 'castle-envs[train]'") from missing
    results = found.results
    figure = Figure(figsize=(11, 1.6 + 0.5 * len(results)), layout="constrained")
    FigureCanvasAgg(figure)
    bars, spread = figure.subplots(1, 2, width_ratios=[3, 4])
    places = np.arange(len(results))[::-1]
    rates = np.array([r.win_rate for r in results])
    bounds = np.abs(np.array([r.interval for r in results]).T - rates)
    bars.barh(places, rates, xerr=bounds, color="#4c72b0", capsize=3)
    bars.axvline(1 / found.players, color="grey", linestyle=":")
    bars.set_yticks(
        places,
        [
            f"{Path(r.agent).parent.name or r.agent}/{Path(r.agent).name}"[-30:]
            + f"\nagainst {r.opponent[-24:]}"
            for r in results
        ],
        fontsize=8,
    )
    bars.set_xlim(0, 1)
    bars.set_xlabel("win rate (ties split), 95 % interval")
    spread.violinplot(
        [r.scores for r in results], places, orientation="horizontal", showmeans=True, widths=0.8
    )
    spread.set_yticks(places, [])
    spread.set_xlabel("final score")
    figure.suptitle(f"{found.game}, {found.players} players, {found.games} games a line")
    figure.savefig(path, dpi=120)
