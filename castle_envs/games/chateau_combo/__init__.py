"""Château Combo: cards as data, state, rules, actions, observations; `GAME` hands them over."""

from typing import Any

import numpy as np

from castle_envs.engine.game import Game
from castle_envs.games.chateau_combo import actions, rules, scoring, serial, words
from castle_envs.games.chateau_combo.cards import PLACES
from castle_envs.games.chateau_combo.greedy import greedy
from castle_envs.games.chateau_combo.hints import HINTS
from castle_envs.games.chateau_combo.observation import VIEWS
from castle_envs.games.chateau_combo.options import ChateauComboOptions, pack
from castle_envs.games.chateau_combo.state import CELLS, STATE


def breakdown(states: np.ndarray, seat: int) -> dict[str, Any]:
    """What makes up a seat's points as if the game ended now.

    Returns a dict: `cell_points` (nine, row-major in the frame, 0 where empty), `key_points`,
    `total`, `gold_left` once the purses are filled, and `purse_gold` then, by cell.
    """
    g = states[0]
    points = np.zeros(CELLS, np.int32)
    total = scoring.score(g, seat, points)
    return {
        "cell_points": points.tolist(),
        "key_points": int(g.keys[seat]),
        "total": int(total),
        "gold_left": int(scoring.leftover(g, seat)),
        "purse_gold": scoring.filled_purses(g, seat),
    }


GAME = Game(
    name="chateau_combo",
    title="Château Combo",
    version=0,
    schema=1,
    num_actions=actions.NUM_ACTIONS,
    state=STATE,
    options=ChateauComboOptions,
    pack=pack,
    new=rules.new,
    legal=rules.legal,
    apply=rules.apply,
    scores=scoring.scores,
    tie_break=scoring.leftover,
    redeal=rules.redeal,
    greedy=greedy,
    views=VIEWS,
    action_names=actions.ACTION_NAMES,
    deal_keys=serial.DEAL_KEYS,
    deal=serial.deal,
    decode=actions.decode,
    encode=actions.encode,
    to_dict=serial.to_dict,
    from_dict=serial.from_dict,
    breakdown=breakdown,
    phase_name=words.phase_name,
    text=words.text,
    default_extras=("scores", "totals"),
    sample=rules.sample,
    hints=HINTS,
)

__all__ = ["GAME", "PLACES"]
