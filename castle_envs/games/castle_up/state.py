"""The state of a game of Castle Up as one record."""

from typing import Any

import numpy as np

from castle_envs.engine.game import state_dtype

from .cards import BOX_SIZE, NUM_BUILDINGS, NUM_KINDS

# The integer of all kernels: a function compiles once more for every other type it is called with,
# and for every literal. `Any`, since type checkers do not let it pass for an int.
i64: Any = np.int64

MIN_PLAYERS, MAX_PLAYERS = 2, 4
CITY, ROW, ROLES_IN_PLAY = 7, 4, 4
HELD = CITY  # places from here on stand for held action cards, by role
NUM_ACTIONS = 88

# Decisions (rules reference, section 10).
(MAIN, SPECIAL, REFURBISH, CREDIT, DISCOUNT, PAY, GAIN, PICK, TURN_ATTACKS) = range(9)
(COMMIT, DEFENSE, COMPENSATE, WILD) = range(9, 13)
PHASES = (
    *("MAIN", "SPECIAL", "REFURBISH", "CREDIT", "DISCOUNT", "PAY", "GAIN", "PICK", "DIRECTION"),
    *("COMMIT", "DEFENSE", "COMPENSATE", "WILD"),
)
READY, EXHAUSTED, DAMAGED = range(3)
STATUSES = ("ready", "exhausted", "damaged")
# What a PICK chooses and what a PAY pays for.
PICKS = ("none", "exhaust_other", "repair", "ready_other", "promote")
NO_PICK, PICK_EXHAUST, PICK_REPAIR, PICK_READY, PICK_PROMOTE = range(5)
PAYMENTS = ("none", "action", "building", "action_card")
NO_PAY, PAY_ACTION, PAY_BUILDING, PAY_CARD = range(4)
# How castles and removed cards were chosen.
CASTLE_MODES = ("none", "random", "given")
NO_CASTLES, RANDOM_CASTLES, GIVEN_CASTLES = range(3)
NO_REMOVAL, RANDOM_REMOVAL, GIVEN_REMOVAL = range(3)

TURN_LIMIT, WINDOW_LIMIT = 400, 60  # decisions after which only DONE is left (section 11)

# Room for the whole box, and for positions written by hand that use cards twice.
PILE = BOX_SIZE + MAX_PLAYERS * CITY + ROW

# Cards are kinds (see cards.py): 0 none. Tokens are M, S, F, G; costs M, S, F, any, gold.
STATE = state_dtype(
    ("phase", "i1"),  # the decision at hand
    ("active", "i1"),  # seat whose turn it is
    ("first", "i1"),  # seat that had the first turn of this round
    ("initiative", "i1"),  # seat that holds the token
    ("next_initiative", "i1"),  # seat that takes it at the end of the round, or -1
    ("direction", "i1"),  # of attacks: 1 clockwise, -1 counterclockwise
    ("era", "i1"),  # 1 to 3
    ("round_number", "i2"),  # from 1
    ("purchases", "i2"),  # purchase actions left to the active seat
    ("battles", "i2"),  # battle phases left to it
    ("row", "i1", ROW),  # buildings on offer by slot; the fourth stays empty with two players
    ("deck_size", "i2"),
    ("deck", "i1", BOX_SIZE),  # the top card is the last of the first deck_size
    ("discard_size", "i2"),
    ("discard", "i1", PILE),  # likewise
    ("in_deck", "i1", NUM_BUILDINGS + 1),  # copies of each kind in the deck
    ("in_pile", "i1", NUM_BUILDINGS + 1),  # and in the discard pile
    ("supply", "i2", 4),
    ("tokens", "i2", (MAX_PLAYERS, 4)),
    ("city", "i1", (MAX_PLAYERS, CITY)),
    ("status", "i1", (MAX_PLAYERS, CITY)),  # READY, EXHAUSTED or DAMAGED; 0 for no card
    (
        "used",
        "i1",
        (MAX_PLAYERS, CITY),
    ),  # 1: exhausted or self-damaged since its owner's turn began
    ("named", "i1", (MAX_PLAYERS, CITY)),  # 0, or 1 + the suit named for a wild card at the end
    ("holder", "i1", ROLES_IN_PLAY),  # seat that holds the action card of a role, or -1
    ("held_ready", "i1", ROLES_IN_PLAY),  # 0 once a held card is exhausted, or not held
    ("looted", "i1", ROLES_IN_PLAY),  # payouts of a held loot card since its purchase
    # The battle being fought; all 0, seat and slot -1, outside battles.
    ("target_seat", "i1"),
    ("target_slot", "i1"),
    ("looting", "i1"),  # 1: against the own loot card
    ("attackers", "i1"),  # 1 once an attack action is committed
    ("attack", "i2"),
    ("defense", "i2"),
    # The action, purchase or payment under way; all 0, places -1, in MAIN.
    ("mode", "i1"),  # MAIN, COMMIT or DEFENSE: where play goes on afterwards
    ("action", "i2"),  # number of the action being performed
    ("source", "i1"),  # place of its card: a slot, or HELD + role
    ("effect", "i2"),  # next effect to perform
    ("last_effect", "i2"),  # the one after the last
    ("gain_left", "i2"),  # any icons still to be gained
    ("pick", "i1"),  # what PICK chooses
    ("pick_left", "i1"),
    ("pick_suit", "i1"),
    ("paying", "i1"),  # what PAY pays for
    ("need", "i2", 5),  # outstanding cost
    ("role", "i1"),  # action card being bought
    ("buying", "i1"),  # building being bought or promoted into
    ("buy_from", "i1"),  # row slot, FROM_DECK or FROM_DISCARD
    ("discount", "i2"),  # tokens of the discount left
    ("taken", "i1"),  # bit i: own slot i is refurbished
    ("last_taken", "i1"),  # highest such slot
    ("credit_slot", "i1"),  # damaged card whose tokens are chosen; CITY: wild credits are
    ("credit_left", "i2"),  # tokens it may still give, or those a destroyed card still pays back
    ("printed", "i2", 5),  # its printed tokens not yet taken
    ("wild", "i2"),  # wild credits
    # How the game was set up.
    ("sides", "i1", ROLES_IN_PLAY),  # lying side of the action cards: 0 front, 1 back
    ("free_target", "i1"),
    ("expansion", "i1"),
    ("castle_mode", "i1"),
    ("removal_mode", "i1"),
    ("castles", "i1", MAX_PLAYERS),  # castles dealt by seat
    # Counters of the backstop.
    ("turn_decisions", "i2"),  # by the active seat in this turn
    ("window_decisions", "i2"),  # by the defender in this window
    ("stops", "i2"),  # how often a limit was reached in this game
    ("mask", "i1", NUM_ACTIONS),  # what is legal in a sub-decision: forced moves need it
)

OPTIONS = np.dtype(
    (
        np.record,
        [
            ("num_players", "i1"),
            ("castle_mode", "i1"),
            ("castles", "i1", MAX_PLAYERS),  # given castles by seat; 0: dealt by castle_mode
            ("sides", "i1", ROLES_IN_PLAY),
            ("expansion", "i1"),
            ("free_target", "i1"),
            ("removal_mode", "i1"),
            ("removed_given", "i1"),
            ("removed", "i1", NUM_KINDS),  # copies of each building taken out, if given
            ("first_player", "i1"),  # -1: random
            ("deck_size", "i2"),  # 0: shuffle; else the given deck, top last
            ("deck", "i1", BOX_SIZE),
        ],
    )
)
