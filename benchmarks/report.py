"""Figures as JSON, as Markdown and as a picture; and the short table that README quotes."""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

README_MARKS = re.compile(r"(<!-- benchmarks: speed -->\n).*?(<!-- end of speed -->)", re.DOTALL)

# What README shows, in order; each matches the names of figures.
HEADLINES = (
    r"^the loop alone$",
    r"^[^,]+, (raw_env|env), 2 players$",
    r"^PettingZoo connect_four_v3, ",
    r"^[^,]+, (tokens|features) .*, N = 1024, 1 thread$",
    r"^[^,]+, features \(scores.*, N = (4096|16384), [12] threads?$",
    r"^Pgx .*N = 4096, all cores$",
    r"^[^,]+, random playouts, 2 players$",
    r"^[^,]+, greedy, ",
    r"^OpenSpiel connect_four$",
    r"^RLCard leduc-holdem$",
    r"clone",
    r"^import castle_envs$",
    r", (compiling everything|first observation, from the cache)$",
)


def number(value: float) -> str:
    """A figure with about three digits that matter."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    if value >= 1e4:
        return f"{value / 1e3:,.0f} k" if value >= 1e5 else f"{value / 1e3:.1f} k"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def write(results: dict[str, Any], folder: Path) -> None:
    """speed.json, speed.md and, where matplotlib is installed, speed.png."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "speed.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (folder / "speed.md").write_text(markdown(results), "utf-8")
    try:
        draw(results, folder / "speed.png")
    except ImportError:
        print("matplotlib is not installed: no figure")


def markdown(results: dict[str, Any]) -> str:
    """The whole report."""
    lines = ["# Speed", "", *origin(results), ""]
    for group, members in groupby(results["figures"], key=lambda f: f["group"]):
        lines += [f"## {group.capitalize()}", ""]
        lines += ["| what | median | smallest | largest | unit | |", "|---|---:|---:|---:|---|---|"]
        for f in members:
            values = " | ".join(number(f[key]) for key in ("median", "low", "high"))
            lines.append(f"| {f['name']} | {values} | {f['unit']} | {f['note']} |")
        lines.append("")
    lines += ["## Ratios", "", "| what | ratio |", "|---|---:|"]
    lines += [f"| {what} | {ratio:.1f} |" for what, ratio in ratios(results)]
    for suite, problem in results["left_out"].items():
        lines += ["", f"Left out: {suite} ({problem})."]
    lines += [
        "",
        "Decisions are legal moves drawn at random; games go to their real end.",
        "",
    ]
    return "\n".join(lines)


def origin(results: dict[str, Any]) -> list[str]:
    """Command, commit and machine."""
    m, s = results["machine"], results["settings"]
    packages = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return [
        f"`{results['command']}`, commit {results['commit']}, {results['date']}.",
        f"{m['cpu']}, {m['cores']} cores, {m['system']}, Python {m['python']}, load before the "
        f"start {m['load_before']}. {packages}.",
        f"Medians of {s['repeats']} repeats of {s['seconds']} s, seed {s['seed']}.",
    ]


def ratios(results: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """How figures of one sitting compare, where both were measured."""
    by_name = {f["name"]: f["median"] for f in results["figures"]}
    pairs = []
    for kind in ("raw_env", "env"):
        peer = f"PettingZoo connect_four_v3, {kind}"
        pairs += [(n, peer) for n in by_name if n.endswith(f", {kind}, 2 players")]
    peers = [n for n in by_name if re.match(r"Pgx (backgammon|sparrow_mahjong).*all cores", n)]
    for cores, threads in (("1 core", "1 thread"), ("all cores", "2 threads")):
        same = [n.replace("all cores", cores) for n in peers]
        best = max((n for n in same if n in by_name), key=by_name.__getitem__, default=None)
        own = [n for n in by_name if re.search(rf", features .*N = (1024|4096), {threads}$", n)]
        pairs += [(n, best) for n in own if best]
    pairs += [(n, n.replace("2 threads", "1 thread")) for n in by_name if "2 threads" in n]
    for one, other in pairs:
        if by_name.get(other):
            yield f"{one} / {other}", by_name[one] / by_name[other]


def headlines(results: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures that README and the picture show."""
    figures = results["figures"]
    chosen: list[dict[str, Any]] = []
    for pattern in HEADLINES:
        chosen += [f for f in figures if re.search(pattern, f["name"]) and f not in chosen]
    return chosen


def readme_table(results: dict[str, Any]) -> str:
    """The short table, with where it comes from."""
    lines = ["| what | median | unit |", "|---|---:|---|"]
    lines += [f"| {f['name']} | {number(f['median'])} | {f['unit']} |" for f in headlines(results)]
    return "\n".join([*lines, "", *origin(results)])


def filled(readme: str, results: dict[str, Any]) -> str:
    """README's text with the current short table between its marks."""
    return README_MARKS.sub(lambda m: f"{m[1]}\n{readme_table(results)}\n\n{m[2]}", readme)


def draw(results: dict[str, Any], target: Path) -> None:
    """Decisions a second of the headline figures, as bars on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = [f for f in headlines(results) if f["unit"] == "decisions/s"]
    if not shown:
        return
    shown.sort(key=lambda f: f["median"])
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.28 * len(shown)))
    others = ("PettingZoo", "Pgx", "OpenSpiel", "RLCard", "the loop")
    colors = ["tab:gray" if f["name"].startswith(others) else "tab:blue" for f in shown]
    axes.barh([f["name"] for f in shown], [f["median"] for f in shown], color=colors)
    for place, f in enumerate(shown):
        axes.text(f["median"], place, f" {number(f['median'])}", va="center", fontsize=7)
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("decisions a second, legal random play (logarithmic)")
    axes.set_title(f"{results['machine']['cpu']}, commit {results['commit']}", fontsize=8)
    figure.savefig(target, dpi=130, bbox_inches="tight")
    pyplot.close(figure)


def main() -> None:
    """`python -m benchmarks.report`: put the measured table into README."""
    root = Path(__file__).parents[1]
    results = json.loads((root / "benchmarks/results/speed.json").read_text("utf-8"))
    readme = root / "README.md"
    readme.write_text(filled(readme.read_text("utf-8"), results), "utf-8")


if __name__ == "__main__":
    main()
