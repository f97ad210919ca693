"""The oracle itself against the golden cases, which other implementations produced."""

import json
from pathlib import Path

import pytest

from tests.chateau_combo import oracle
from tests.chateau_combo.positions import tableau

CHECKS = json.loads((Path(__file__).parents[1] / "data/chateau_combo_checks.json").read_text())


def cases(section):
    return [pytest.param(case, id=case["id"]) for case in CHECKS[section]]


@pytest.mark.parametrize("case", cases("scoring"))
def test_scoring(case):
    cells = tableau([{"x": i % 3, "y": i // 3, **cell} for i, cell in enumerate(case["cells"])])
    player = {"gold": case["gold"], "keys": case["keys"], "tableau": cells}
    assert oracle.breakdown(player) == case["expect"]


@pytest.mark.parametrize("case", cases("placement"))
def test_placement(case):
    left = min(x for x, _ in case["occupied"])
    top = min(y for _, y in case["occupied"])
    lying = [{"row": y - top, "column": x - left} for x, y in case["occupied"]]
    found = {(column + left, row + top) for row, column in oracle.legal_cells(lying)}
    assert found == {tuple(cell) for cell in case["expect_legal"]}


@pytest.mark.parametrize("case", cases("pricing"))
def test_pricing(case):
    lying = tableau(case["tableau"])
    found = {place: oracle.discount(lying, place) for place in oracle.PLACES}
    assert found == case["expect"]["discount"]
    buyable = [card for card in case["row"] if oracle.price(lying, card) <= case["gold"]]
    assert sorted(buyable) == sorted(case["expect"]["buyable_face_up"])
