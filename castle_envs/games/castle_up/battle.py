"""Battles: target, attackers, defense, damage, compensation, loot (section 6)."""

from typing import Any

from castle_envs.engine.kernel import kernel

from . import actions as a
from . import cards as c
from .legality import MILITARY
from .performing import run_effects
from .state import CITY, COMMIT, COMPENSATE, DAMAGED, DEFENSE, MAIN, i64
from .table import clear_action, clear_battle, gain, leave, print_cost, to_pile


@kernel
def begin_attack(g: Any, chosen: int) -> None:
    """Spend a battle phase on the target of an ATTACK id."""
    on, slot = (chosen - a.ATTACK) // CITY + 1, (chosen - a.ATTACK) % CITY
    g.battles -= 1
    g.target_seat, g.target_slot = (i64(g.active) + on) % i64(g.num_players), slot
    g.phase = COMMIT


@kernel
def begin_loot(g: Any) -> None:
    """Spend a battle phase on the own loot card."""
    g.battles -= 1
    g.looting = 1
    g.phase = COMMIT


@kernel
def end_attackers(g: Any) -> None:
    """All attackers are named: now the defender acts, or the loot is judged."""
    if not g.looting:
        g.seat, g.phase = g.target_seat, DEFENSE
        return
    side = g.sides[MILITARY]
    enough = g.attack >= c.LOOT_POINTS[side]
    clear_battle(g)
    g.phase = MAIN
    if enough:
        g.looted[MILITARY] += 1
        g.effect, g.last_effect = c.LOOT_EFFECTS[side, 0], c.LOOT_EFFECTS[side, 1]
        run_effects(g)


@kernel
def end_defense(g: Any) -> None:
    """Damage the target, or destroy it (sections 6.4 and 6.5)."""
    seat, slot = i64(g.target_seat), i64(g.target_slot)
    kind = i64(g.city[seat, slot])
    damage, endurance = i64(g.attack) - i64(g.defense), i64(c.ENDURANCE[kind])
    lasts = 1 if g.status[seat, slot] == DAMAGED else 2
    if damage >= lasts * endurance:
        to_pile(g, kind)
        leave(g, seat, slot)
        print_cost(g, kind)
        g.credit_left = c.SIZE[kind] // 2
        next_compensation(g)
        return
    if damage >= endurance:
        g.status[seat, slot] = DAMAGED
    end_battle(g)


@kernel
def end_battle(g: Any) -> None:
    """Back to the attacker's turn."""
    clear_battle(g)
    clear_action(g)
    g.seat, g.phase = g.active, MAIN


@kernel
def next_compensation(g: Any) -> None:
    """Ask the owner of a destroyed card for the next token, as long as there is one to take."""
    possible = g.printed[c.GOLD_COST] > 0 and g.supply[c.G] > 0
    for kind in range(3):
        printed = g.printed[kind] > 0 or g.printed[c.ANY] > 0
        possible = possible or (printed and g.supply[kind] > 0)
    if g.credit_left > 0 and possible:
        g.seat, g.phase = g.target_seat, COMPENSATE
    else:
        end_battle(g)


@kernel
def compensate(g: Any, kind: int) -> None:
    """Take a printed token of `kind`, or a printed any icon as one."""
    column = kind if kind < 3 else c.GOLD_COST
    g.printed[column if g.printed[column] > 0 else c.ANY] -= 1
    g.credit_left -= 1
    gain(g, i64(g.seat), kind, i64(1))
    next_compensation(g)
