"""The figures on balance as a Markdown page, as JSON, and as a few lines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.balance_figures import BOUGHT, FAIR, FEW_OFFERS

Found = Mapping[str, Any]
DEFINITIONS = f"""All seats are played by the same agent; win rates are shares of wins, ties split,
with 95 % intervals over games. *Offers* of a card are turns in which its purchase was legal for the
seat at some decision: from the row, by promotion, or by an action that opens the pile it tops;
giving up own buildings for it counts as a way to pay. *Rate* is purchases / offers, *seen* are
turns in which the card lay in the row; a card on top of an opened pile is offered without being
seen. *Buyers* are seats that bought the card at least once in a game. Flags: a seat, place or
castle outside {100 * FAIR[0]:.0f} to {100 * FAIR[1]:.0f} % with two players, a card bought in under
{100 * BOUGHT[0]:.0f} % or over {100 * BOUGHT[1]:.0f} % of at least {FEW_OFFERS} offers."""


def write(results: Found, folder: Path) -> None:
    """balance.json and balance.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "balance.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (folder / "balance.md").write_text(markdown(results), "utf-8")


def percent(value: float | None) -> str:
    """A share in percent."""
    return "-" if value is None else f"{100 * value:.1f}"


def interval(found: Found) -> str:
    """The interval of a rate in percent."""
    return "-" if found["low"] is None else f"{percent(found['low'])} to {percent(found['high'])}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; columns whose head starts with ">" are set to the right."""
    names = [name.removeprefix(">") for name in head]
    lines = ["---:" if name.startswith(">") else "---" for name in head]
    return [f"| {' | '.join(line)} |" for line in (names, lines, *rows)] + [""]


def markdown(results: Found) -> str:
    """The whole page."""
    s = results["settings"]
    lines = [
        "# Balance of Castle Up",
        "",
        f"`{results['command']}`, commit {results['commit']}, {results['date']}: {s['games']:,} "
        f"games of each agent, {s['players']} players, castles {s['castles']}, seed {s['seed']}.",
        "",
        DEFINITIONS,
        "",
    ]
    for found in results["agents"]:
        lines += [f"## {found['agent']}", "", *game_lines(found), "", *card_lines(found)]
    return "\n".join(lines)


def game_lines(found: Found) -> list[str]:
    """Length, pace, seats, castles and suits."""
    rounds, decisions, points = found["rounds"], found["decisions"], found["score"]
    seats = [
        [x["name"], *win(x), f"{x['score']:.1f}", f"{x['tokens_left']:.2f}",
         " ".join(f"{v:.2f}" for v in x["tokens_by_kind"].values()), x["flag"]]
        for x in (*found["seats"], *found["places"])
    ]  # fmt: skip
    suits = [
        [f"{how} {x['name']}", percent(x["share_of_seats"]), *win(x),
         "-" if x["cards_per_game"] is None else f"{x['cards_per_game']:.2f}"]
        for how in ("bought", "held")
        for x in found[f"suits_{how}"]
    ]  # fmt: skip
    castles = [[x["name"], str(x["win_rate"]["count"]), *win(x), x["flag"], made_up(x)]
               for x in found["castles"]]  # fmt: skip
    return [
        f"Rounds {rounds['mean']:.1f} (5 % {rounds['p5']:.0f}, 95 % {rounds['p95']:.0f}), "
        f"decisions {decisions['mean']:.0f} ({decisions['p5']:.0f}, {decisions['p95']:.0f}), "
        f"{found['decisions_per_turn']:.1f} decisions a turn, points {points['mean']:.1f} "
        f"({points['p5']:.0f}, {points['p95']:.0f}).",
        f"Purchases a turn {found['purchases_per_turn']:.2f}; turns with an attack on a building "
        f"{percent(found['attack_turns'])} %, with a loot attack {percent(found['loot_turns'])} %.",
        "",
        *table(["seat", ">win rate %", "95 %", ">points", ">tokens left", "M, S, F, gold", "flag"],
               seats),
        *table(["castle", ">seats", ">win rate %", "95 %", "flag", "published / reconstructed"],
               castles),
        "Suit of which a seat bought or, in its city at the end, held most buildings:",
        "",
        *table(["suit", ">seats %", ">win rate %", "95 %", ">cards a seat"], suits),
    ]  # fmt: skip


def win(found: Found) -> list[str]:
    """Win rate and interval."""
    return [percent(found["win_rate"]["value"]), interval(found["win_rate"])]


def card_lines(found: Found) -> list[str]:
    """Every card, then the flagged ones with their sources."""
    rows = [
        [x["name"], x["what"], x["suit"], f"{x['seen']:,}", f"{x['offers']:,}",
         f"{x['purchases']:,}", percent(x["rate"]), percent(x["buyers"]["value"]),
         interval(x["buyers"]), x["flag"]]
        for x in found["cards"]
    ]  # fmt: skip
    flagged = [[x["name"], x["flag"], made_up(x)] for x in found["cards"] if x["flag"]]
    head = ["card", "", "suit or role", ">seen", ">offers", ">purchases", ">rate %",
            ">buyers' win rate %", "95 %", "flag"]  # fmt: skip
    sources = table(["flagged card", "flag", "published / reconstructed"], flagged)
    return [*table(head, rows), *(sources if flagged else ["No card is flagged.", ""])]


def made_up(found: Found) -> str:
    """Published and reconstructed fields."""
    return " / ".join(", ".join(found[key]) or "nothing" for key in ("published", "reconstructed"))


def summary(found: Found) -> Iterator[str]:
    """A few lines on one agent for the terminal."""
    yield (
        f"{found['agent']}: {found['games']:,} games in {found['seconds']:.1f} s; "
        f"{found['rounds']['mean']:.1f} rounds, {found['decisions']['mean']:.0f} decisions, "
        f"{found['purchases_per_turn']:.2f} purchases a turn, "
        f"{percent(found['attack_turns'])} % of turns with an attack"
    )
    for x in (*found["seats"], *found["places"], *found["castles"]):
        rate = x["win_rate"]
        yield f"  {x['name']:<24} {percent(rate['value'])} % ({interval(rate)}) {x['flag']}"
    flagged = [x for x in found["cards"] if x["flag"]]
    yield f"  flagged cards: {len(flagged)} of {len(found['cards'])}"
    for x in flagged:
        bought = f"{percent(x['rate']):>6} % of {x['offers']:,} offers"
        yield f"    {x['name']:<22} {bought}: {x['flag']}"
