"""The balance report counts what it says: recounted move by move from the AEC environment."""

import json
from collections import Counter

import numpy as np
import pytest

from benchmarks import castle_up_balance
from benchmarks.balance_figures import misjudged, rate, unfair
from benchmarks.balance_record import CARDS, play_games
from castle_envs import castle_up_v0
from castle_envs.agents import resolve
from castle_envs.games.castle_up import GAME, actions
from castle_envs.games.castle_up import cards as c
from castle_envs.games.castle_up.schema import ROLES

SEEDS = range(6)


class Keeper:
    """An agent that keeps the first state and all moves of the one game it plays."""

    def __init__(self, name):
        self.agent, self.name, self.moves = resolve(name, GAME, 0), name, []

    def act_batch(self, states, seats, rng):
        if not self.moves:
            self.start = GAME.to_dict(states)
        chosen = self.agent.act_batch(states, seats, rng)
        self.moves += chosen.tolist()
        return chosen


def sold(table, move):
    """What a move of the main state buys, from the table as saved and the card file; else None."""
    match move:
        case actions.Buy(slot) | actions.Promote(slot):
            return table["row"][slot]
        case actions.BuyCard(role):
            return role
        case actions.Use(slot, place):
            building, *_ = table["seats"][table["active"]]["city"][slot]
            card = next(card for card in c.CARDS if card["id"] == building)
            effect = card["actions"][place]["effects"][0]
            if effect["type"] == "purchase_from":
                return table["deck" if effect["source"] == "deck_top" else "discard"][0]
    return None


def recount(start, moves):
    """Totals by (what, seat, card), played again in the AEC environment."""
    env = castle_up_v0.raw_env.from_dict({"game": GAME.name, **start}, check="position")
    totals, turn = Counter(), set()
    for move in moves:
        table = env.to_dict()
        seat = table["active"]
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        decoded = env.decode_action(move)
        if table["state"] == "MAIN":
            held = [role for s in table["seats"] for role in s["held"]]
            turn |= {("seen", card) for card in table["row"] if card}
            turn |= {("seen", role) for role in ROLES if role not in held}
            turn |= {("offered", sold(table, env.decode_action(i))) for i in legal}
            if card := sold(table, decoded):
                totals["bought", seat, card] += 1
                totals["opened", None, None] += isinstance(decoded, actions.Use)
            if isinstance(decoded, actions.Attack | actions.Loot):
                turn.add((type(decoded).__name__, None))
            if isinstance(decoded, actions.Done):
                totals["turns", seat, None] += 1
                totals.update((what, seat, card) for what, card in turn)
                turn = set()
        env.step(move)
    assert all(env.terminations.values())
    return totals, env


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_counts_are_those_of_the_moves(name):
    piles = 0
    for seed in SEEDS:
        keeper = Keeper(name)
        found = play_games(keeper, 1, 2 + seed % 3, seed, castles="random")
        totals, env = recount(keeper.start, keeper.moves)
        table = env.to_dict()
        assert found.decisions[0] == len(keeper.moves) and found.rounds[0] == table["round"]
        assert found.score[0].tolist() == list(env.scores().values())
        for seat, kept in enumerate(table["seats"]):
            assert found.tokens[0, seat].tolist() == kept["tokens"]
            for what, key in (("turns", "turns"), ("attacks", "Attack"), ("loots", "Loot")):
                assert getattr(found, what)[0, seat] == totals[key, seat, None]
            for what in ("seen", "offered", "bought"):
                counted = getattr(found, what)[0, seat]
                for index, card in enumerate((*c.CARD_IDS, *ROLES)):
                    assert not card or counted[index] == totals[what, seat, card], (what, card)
        bought = found.bought[0].sum(axis=0)
        for kind in set(found.city[0].ravel()) - {0, *found.castle[0]}:
            assert bought[kind] >= (found.city[0] == kind).sum()
        piles += totals["opened", None, None]
    assert piles or name == "greedy"


def test_games_do_not_depend_on_the_run():
    one, other = (play_games(resolve("random", GAME, 0), 5, seed=3) for _ in range(2))
    assert (one.offered == other.offered).all() and one.bought.shape == (5, 2, CARDS)
    assert (one.share.sum(axis=1) == 1).all() and (one.bought[..., 0] == 0).all()


def test_rates_have_intervals_over_games():
    share = np.tile([[1.0, 0.0], [0.0, 1.0]], (50, 1))
    both = rate(share, np.ones((100, 2), bool))
    assert both == {"value": 0.5, "low": 0.5, "high": 0.5, "count": 200}  # one win in every game
    first = rate(share, np.arange(2) == np.zeros((100, 1)))
    assert first["value"] == 0.5 and first["low"] == pytest.approx(0.5 - 1.96 * 0.05)
    assert rate(share[:4], np.ones((4, 2), bool))["low"] is None
    assert rate(share, np.zeros((100, 2), bool))["value"] is None


def test_flags():
    sure = {"value": 0.6, "low": 0.59, "high": 0.61}
    assert unfair(sure, 2) == "outside 42 to 58 %" and unfair(sure, 3) == ""
    assert "prove nothing" in unfair({"value": 0.6, "low": 0.5, "high": 0.7}, 2)
    assert unfair({"value": 0.58, "low": 0.5, "high": 0.7}, 2) == ""
    for rate_, flag in ((0.01, "bought in under 2 %"), (0.5, ""), (0.96, "bought in over 95 %")):
        assert misjudged({"offers": 100, "rate": rate_}).startswith(flag)
    assert misjudged({"offers": 99, "rate": 0.0}) == "fewer than 100 offers"


def test_the_command_writes_both_files(tmp_path, capsys):
    words = ["--agents", "random", "--games", "40", "--castles", "random", "--out", str(tmp_path)]
    assert castle_up_balance.main([*words, "--reverse", "military"]) == 0
    assert "random: 40 games" in capsys.readouterr().out
    [found] = json.loads((tmp_path / "balance.json").read_text("utf-8"))["agents"]
    assert len(found["castles"]) == 4 and len(found["places"]) == 2
    assert sum(x["win_rate"]["count"] for x in found["castles"]) == 80
    page = (tmp_path / "balance.md").read_text("utf-8")
    for part in ("# Balance of Castle Up", "| Workshop | era 2 | green |", "Castle of the Lance"):
        assert part in page
    with pytest.raises(SystemExit):
        castle_up_balance.main(["--agents", "nobody", "--out", str(tmp_path)])
