"""The verbs of the game: new, legal, apply, redeal."""

from typing import Any

from castle_envs.engine.kernel import inlined, kernel
from castle_envs.engine.random import shuffle

from . import actions as a
from . import cards as c
from .battle import begin_attack, begin_loot, compensate, end_attackers, end_defense
from .legality import fill_sub_mask, legal
from .performing import begin_use, gain_any, pick_slot, run_effects
from .purchases import (
    begin_action_card,
    begin_buying,
    begin_credits,
    begin_promotion,
    next_payment,
    pay_token,
    promote,
    take_slot,
    use_credit,
    use_discount,
)
from .state import (
    COMMIT,
    COMPENSATE,
    CREDIT,
    DEFENSE,
    DISCOUNT,
    GAIN,
    MAIN,
    NUM_ACTIONS,
    PAY,
    PICK_EXHAUST,
    PICK_PROMOTE,
    REFURBISH,
    TURN_LIMIT,
    WINDOW_LIMIT,
    i64,
)
from .table import gain, pay, repair
from .turns import end_turn, name_suit, set_up


@kernel
def new(g: Any, o: Any, seed: Any) -> None:
    """Deal a fresh game into `g` (section 2)."""
    g.rng = seed
    set_up(g, o)


@kernel
def apply(g: Any, action: int) -> None:
    """Play one legal action and everything forced by it, up to the next decision."""
    if g.seat == g.active:
        g.turn_decisions += 1
    elif g.phase == DEFENSE or g.mode == DEFENSE:
        g.window_decisions += 1
    play(g, action)
    settle(g)


@inlined
def settle(g: Any) -> None:
    """Carry out forced moves: a single legal id, except in the main state (section 10)."""
    while True:
        fill_sub_mask(g, g.mask)
        if g.over:
            return
        if g.phase == MAIN:
            g.stops += g.turn_decisions >= TURN_LIMIT
            return
        if g.phase == DEFENSE:
            g.stops += g.window_decisions >= WINDOW_LIMIT
        choices, only = 0, i64(0)  # typed: else all of `play` compiles twice
        for i in range(NUM_ACTIONS):
            if g.mask[i]:
                choices += 1
                only = i
        if choices != 1:
            return
        play(g, only)


@kernel
def play(g: Any, action: int) -> None:
    """Play one legal action, without what is forced by it."""
    phase = g.phase
    if phase == MAIN:
        play_main(g, action)
    elif action >= a.TOKEN and action < a.YES:
        play_token(g, action - a.TOKEN)
    elif action >= a.SELECT and action < a.REPAIR:
        play_select(g, action - a.SELECT)
    elif action >= a.BUY_TOP:
        if action == a.BUY_TOP:
            begin_buying(g, i64(g.buy_from))
        else:
            begin_promotion(g, i64(g.buy_from))
    elif action >= a.SUIT:
        name_suit(g, action - a.SUIT)
    elif action >= a.YES:
        if action == a.YES:
            g.direction = -g.direction
        run_effects(g)
    elif action > a.DONE:
        use(g, action)
    elif phase == REFURBISH:
        begin_credits(g)
    elif phase == COMMIT:
        end_attackers(g)
    else:
        end_defense(g)


@inlined
def play_main(g: Any, action: int) -> None:
    """A move of the main state."""
    seat = i64(g.active)
    if action == a.DONE:
        end_turn(g)
    elif action < a.BUY:
        use(g, action)
    elif action < a.PROMOTE:
        begin_buying(g, action - a.BUY)
    elif action < a.BUY_CARD:
        begin_promotion(g, action - a.PROMOTE)
    elif action < a.ATTACK:
        begin_action_card(g, action - a.BUY_CARD)
    elif action < a.LOOT:
        begin_attack(g, action)
    elif action == a.LOOT:
        begin_loot(g)
    elif action < a.EXCHANGE:
        slot = action - a.REPAIR
        pay(g, seat, i64(c.G), i64(c.REPAIR_COST[g.city[seat, slot]]))
        repair(g, seat, slot)
    else:
        pay(g, seat, action - a.EXCHANGE, i64(c.EXCHANGE_PAYS))
        gain(g, seat, i64(c.G), i64(c.EXCHANGE_GAINS))


@kernel
def use(g: Any, action: int) -> None:
    """Perform an action of a slot or a held card."""
    if begin_use(g, action):
        next_payment(g)


@inlined
def play_token(g: Any, kind: int) -> None:
    """Name a token."""
    phase = g.phase
    if phase == PAY:
        pay_token(g, kind)
    elif phase == GAIN:
        gain_any(g, kind)
    elif phase == CREDIT:
        use_credit(g, kind)
    elif phase == DISCOUNT:
        use_discount(g, kind)
    elif phase == COMPENSATE:
        compensate(g, kind)


@inlined
def play_select(g: Any, slot: int) -> None:
    """Pick an own slot."""
    if g.phase == REFURBISH:
        take_slot(g, slot)
    elif g.pick == PICK_PROMOTE:
        promote(g, slot)
    elif pick_slot(g, slot):
        if g.pick == PICK_EXHAUST:
            next_payment(g)
        else:
            run_effects(g)


@kernel
def redeal(g: Any, seat: int, seed: Any) -> None:
    """Resample what nobody can see: the order of the deck below its top card.

    The eras are stacked, and which cards are left is known: only runs of one era are shuffled.
    """
    g.rng = seed
    below_top = i64(g.deck_size) - 1
    start = 0
    for i in range(1, below_top + 1):
        if i == below_top or c.ERA[g.deck[i]] != c.ERA[g.deck[start]]:
            shuffle(g, g.deck[start:], i - start)
            start = i


__all__ = ["apply", "legal", "new", "redeal", "settle"]
