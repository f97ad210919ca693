"""Castle Up: cards as data, state, rules, actions, observations; `GAME` hands them over.

The modules import one another relatively, since the folder is loaded once more for every other
card list (see `variant.py`).
"""

from typing import Any

import numpy as np

from castle_envs.engine.game import Game

from . import actions, cards, reading, rules, scoring, serial, words
from .greedy import greedy
from .hints import HINTS
from .observation import VIEWS
from .options import DEAL_KEYS, CastleUpOptions, pack
from .state import NUM_ACTIONS, STATE


def breakdown(states: np.ndarray, seat: int) -> dict[str, Any]:
    """What makes up a seat's points as if the game ended now.

    Returns a dict: `cards`, `control`, `extra`, their sum `total`, and `golden`, the golden cards
    held, which break ties. A wild card counts for control once it is named.
    """
    g = states[0]
    parts = {
        "cards": int(scoring.card_points(g, seat)),
        "control": int(scoring.control_points(g, seat)),
        "extra": int(scoring.extra_points(g, seat)),
    }
    golden = int(scoring.golden_cards(g, seat))
    return {**parts, "total": sum(parts.values()), "golden": golden}


GAME = Game(
    name="castle_up",
    title="Castle Up",
    version=0,
    schema=1,
    num_actions=NUM_ACTIONS,
    state=STATE,
    options=CastleUpOptions,
    pack=pack,
    new=rules.new,
    legal=rules.legal,
    apply=rules.apply,
    scores=scoring.scores,
    tie_break=scoring.golden_cards,
    redeal=rules.redeal,
    greedy=greedy,
    views=VIEWS,
    action_names=actions.ACTION_NAMES,
    deal_keys=DEAL_KEYS,
    deal=serial.deal,
    decode=actions.decode,
    encode=actions.encode,
    to_dict=serial.to_dict,
    from_dict=reading.from_dict,
    breakdown=breakdown,
    phase_name=words.phase_name,
    text=words.text,
    default_extras=("scores",),
    hints=HINTS,
    cards=cards.digest_of(cards.DATA),
)

__all__ = ["GAME"]
