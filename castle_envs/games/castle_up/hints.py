"""What networks may use of the game's structure: printed facts, and which actions name what."""

from castle_envs.engine.game import Hints, Pointer

from .actions import ATTACK, BUY, PROMOTE, REPAIR, SELECT, USE
from .features import printed_features
from .state import CITY, ROW

HINTS = Hints(
    card_segments=("city", "offer"),
    card_features=printed_features(),
    pointers=(
        Pointer("city", 0, CITY, USE, (1, 3)),
        Pointer("city", 0, CITY, SELECT, (1, 1)),
        Pointer("city", 0, CITY, REPAIR, (1, 1)),
        Pointer("city", CITY, CITY, ATTACK, (1, 1)),
        Pointer("offer", 0, ROW, BUY, (1, 1)),
        Pointer("offer", 0, ROW, PROMOTE, (1, 1)),
    ),
)
