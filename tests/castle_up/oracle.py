"""The legal ids of a position, written once more: slow, from the card file and the saved form.

It follows sections 4 to 6 and 10 of the rules reference sentence by sentence and shares nothing
with the rules but the card file. What a cost needs is found by search (`payable`).
"""

import itertools
from typing import Any

from castle_envs.games.castle_up.cards import BUILDINGS, CASTLES, DATA

CARDS = {card["id"]: card for card in (*BUILDINGS, *CASTLES)}
CASTLE_IDS = {card["id"] for card in CASTLES}
ROLES = ("initiative", "mercantile", "defensive", "military")
KINDS = ("manpower", "supplies", "food", "any", "gold")
BASE = KINDS[:3]
REACH = ({0, 3}, {1, 3}, {2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3, 4})  # of M, S, F, any, gold given


def matched(sources: list[set[int]], need: list[int]) -> bool:
    """Whether every unit needed gets a source of its own (Kuhn's algorithm)."""
    units = [kind for kind, number in enumerate(need) for _ in range(number)]
    taken: dict[int, int] = {}

    def seat(unit: int, seen: set[int]) -> bool:
        for i, reach in enumerate(sources):
            if units[unit] in reach and i not in seen:
                seen.add(i)
                if i not in taken or seat(taken[i], seen):
                    taken[i] = unit
                    return True
        return False

    return len(sources) >= len(units) and all(seat(u, set()) for u in range(len(units)))


def units_of(cost: Any) -> list[int]:
    return [kind for kind in range(5) for _ in range(cost[kind])]


def ways(cost: Any, number: int) -> set[tuple[int, ...]]:
    """All multisets of at most `number` printed tokens; the largest are enough."""
    units = units_of(cost)
    return set(itertools.combinations(units, min(number, len(units))))


def payable(
    need: list[int],
    tokens: Any,
    whole: Any = (),
    halves: Any = (),
    wild: int = 0,
    discount: int = 0,
) -> bool:
    """Whether a need can be met from tokens, whole cards' costs, (cost, at most) pairs, credits."""
    fixed = [REACH[k if k < 3 else 4] for k in range(4) for _ in range(tokens[k])]
    fixed += [REACH[k] for cost in whole for k in units_of(cost)]
    fixed += [REACH[3]] * wild + [REACH[4]] * discount
    if matched(fixed, need):
        return True
    everything = [REACH[k] for cost, _ in halves for k in units_of(cost)]
    if not halves or not matched(fixed + everything, need):
        return False
    choices = [ways(cost, number) for cost, number in halves]
    return any(
        matched(fixed + [REACH[k] for way in chosen for k in way], need)
        for chosen in itertools.product(*choices)
    )


def price_of(tokens: Any) -> list[int]:
    return [tokens[kind] for kind in KINDS]


class Oracle:
    """One position, from the saved form."""

    def __init__(self, now: dict[str, Any]) -> None:
        self.now, self.pending = now, now["pending"]
        self.me = now["current"]
        self.players = len(now["seats"])
        self.tokens = now["seats"][self.me]["tokens"]
        self.city = now["seats"][self.me]["city"]
        self.held = now["seats"][self.me]["held"]
        self.supply = now["supply"]
        self.era = str(now["era"])

    # What there is ---------------------------------------------------------------------------

    def slots(self, *statuses: str) -> list[int]:
        return [i for i, c in enumerate(self.city) if c and c[1] in statuses]

    def card(self, slot: int) -> Any:
        return CARDS[self.city[slot][0]]

    def side(self, role: str) -> Any:
        return DATA["action_cards"][ROLES.index(role)][self.now["sides"][role]]

    def places(self) -> list[tuple[int, int, Any]]:
        """Every action of own undamaged buildings and held cards: id, place, action."""
        found = [
            (1 + 3 * slot + k, slot, action)
            for slot in self.slots("ready", "exhausted")
            for k, action in enumerate(self.card(slot)["actions"])
        ]
        for role in self.held:
            for action in self.side(role)["held_actions_by_era"][self.era]:
                found.append((22 + ROLES.index(role), 7 + ROLES.index(role), action))
        return found

    def is_ready(self, place: int) -> bool:
        if place < 7:
            return bool(self.city[place][1] == "ready")
        return bool(self.held[ROLES[place - 7]]["ready"])

    def count(self, suit: str) -> int:
        return sum(self.card(i)["suit"] == suit for i in self.slots("ready", "exhausted"))

    def number(self, amount: Any) -> int:
        if isinstance(amount, dict):
            return int(amount["base"] + amount["mult"] * self.count(amount["suit"]))
        return int(amount)

    # Using actions ---------------------------------------------------------------------------

    def affordable(self, place: int, action: Any) -> bool:
        if action["kind"] == "active" and not self.is_ready(place):
            return False
        if not payable(price_of(action["pay"]), self.tokens):
            return False
        other = action["exhaust_other"]
        return other is None or len(self.exhaustible(place, other["suit"])) >= other["count"]

    def exhaustible(self, place: int, suit: str | None) -> list[int]:
        return [
            i
            for i in self.slots("ready")
            if i != place and (suit is None or self.card(i)["suit"] == suit)
        ]

    def readiable(self, place: int) -> list[int]:
        """Other exhausted buildings that do not ready others themselves."""
        return [
            i
            for i in self.slots("exhausted")
            if i != place
            and not any(
                e["type"] == "ready_other" for a in self.card(i)["actions"] for e in a["effects"]
            )
        ]

    def gained(self, action: Any) -> set[str]:
        """Kinds an action would gain that the supply has; an any icon: each base kind."""
        kinds: set[str] = set()
        for effect in action["effects"]:
            if effect["type"] == "gain":
                for kind, amount in effect["resources"].items():
                    if self.number(amount) > 0:
                        kinds |= set(BASE) if kind == "any" else {kind}
        in_supply = dict(zip((*BASE, "gold"), self.supply, strict=True))
        return {kind for kind in kinds if in_supply[kind] > 0}

    def works(self, place: int, action: Any) -> bool:
        """Whether one effect can do something, judged before the price is paid."""
        for effect in action["effects"]:
            kind = effect["type"]
            if kind == "gain":
                useful = bool(self.gained({"effects": [effect]}))
            elif kind == "repair":
                useful = bool(self.slots("damaged"))
            elif kind == "ready_other":
                useful = bool(self.readiable(place))
            elif kind == "purchase_from":
                useful = self.now["purchases"] > 0 and self.top_in_reach(place, effect)
            else:
                useful = True
            if useful:
                return True
        return False

    def usable(self, window: str) -> list[tuple[int, int, Any]]:
        return [
            (i, place, action)
            for i, place, action in self.places()
            if window in action["windows"] and self.affordable(place, action)
        ]

    # Buying ----------------------------------------------------------------------------------

    def credits(self, slots: Any) -> tuple[list[Any], list[Any]]:
        whole, halves = [], []
        for i in slots:
            cost = price_of(self.card(i)["cost"])
            if self.city[i][1] == "damaged":
                halves.append((cost, sum(cost) // 2))
            else:
                whole.append(cost)
        return whole, halves

    def can_buy(self, name: str, but: int = -1, discount: int = 0) -> bool:
        movable = [i for i in self.slots("ready", "damaged") if i != but]
        if not movable and all(self.city):
            return False
        cost = price_of(CARDS[name]["cost"])
        return payable(cost, self.tokens, *self.credits(movable), 0, discount)

    def can_promote(self, name: str, but: int = -1) -> bool:
        source = CARDS[name]["promotes_from"]
        return any(self.city[i][0] == source for i in self.slots("ready") if i != but)

    def top(self, source: str) -> str | None:
        pile = self.now["deck" if source == "deck_top" else "discard"]
        return pile[0] if pile else None

    def top_in_reach(self, place: int, effect: Any) -> bool:
        name = self.top(effect["source"])
        return name is not None and (
            self.can_promote(name, place) or self.can_buy(name, place, effect["discount"])
        )

    # The states ------------------------------------------------------------------------------

    def legal(self) -> list[int]:
        """The legal ids, in order."""
        return sorted(set(getattr(self, self.now["state"].lower())()))

    def main(self) -> list[int]:
        now, found = self.now, [0]
        found += [i for i, place, a in self.usable("main") if self.works(place, a)]
        for slot, name in enumerate(now["row"]):
            if name and now["purchases"]:
                found += [26 + slot] if self.can_buy(name) else []
                found += [30 + slot] if self.can_promote(name) else []
        taken = {role for seat in now["seats"] for role in seat["held"]}
        for i, role in enumerate(ROLES):
            price = price_of(self.side(role)["resource_cost_by_era"][self.era])
            if now["purchases"] and role not in taken and payable(price, self.tokens):
                found.append(34 + i)
        if now["battles"] and self.usable("attack"):
            found += self.targets() + self.loot()
        for slot in self.slots("damaged"):
            if self.tokens[3] >= self.card(slot)["repair_cost"]:
                found.append(67 + slot)
        return found + [74 + k for k in range(3) if self.tokens[k] >= 3 and self.supply[3]]

    def targets(self) -> list[int]:
        found = []
        for on in range(1, self.players):
            neighbour = 1 if self.now["direction"] == 1 else self.players - 1
            if self.players > 2 and not self.now["options"]["free_target"] and on != neighbour:
                continue
            city = self.now["seats"][(self.me + on) % self.players]["city"]
            for slot, card in enumerate(city):
                if card and card[0] not in CASTLE_IDS:
                    found.append(38 + 7 * (on - 1) + slot)
        return found

    def loot(self) -> list[int]:
        if "military" not in self.held or self.side("military")["loot"] is None:
            return []
        loot = self.side("military")["loot"]
        if self.held["military"]["looted"] >= loot["max_per_purchase"]:
            return []
        best: dict[int, int] = {}
        reach = 0
        for _, place, action in self.usable("attack"):
            points = sum(
                self.number(e["points"]) for e in action["effects"] if e["type"] == "attack"
            )
            if action["kind"] == "active":
                best[place] = max(best.get(place, 0), points)
            else:
                price, times = price_of(action["pay"]), 0
                while payable([n * (times + 1) for n in price], self.tokens):
                    times += 1
                reach += points * times
        return [59] if reach + sum(best.values()) >= loot["attack_required"] else []

    def special(self) -> list[int]:
        pile = "deck" if self.pending["buy_from"] == 4 else "discard"
        name = self.now[pile][0]
        found = [86] if self.can_buy(name, discount=self.pending["discount"]) else []
        return found + ([87] if self.can_promote(name) else [])

    def refurbish(self) -> list[int]:
        cost = price_of(CARDS[self.pending["buying"]]["cost"])
        discount, mask = self.pending["discount"], self.pending["taken"]
        taken = [i for i in range(7) if mask >> i & 1]
        number = sum(c is not None for c in self.city)

        def pays(slots: list[int]) -> bool:
            return payable(cost, self.tokens, *self.credits(slots), 0, discount)

        found = [0] if number - len(taken) < 7 and pays(taken) else []
        free = [i for i in self.slots("ready", "damaged") if i > max(taken, default=-1)]
        return found + [60 + i for i in free if pays([*taken, *(j for j in free if j >= i)])]

    def credit(self) -> list[int]:
        now = self.pending
        later = [
            i for i in self.slots("damaged") if now["taken"] >> i & 1 and i > now["credit_slot"]
        ]
        _, halves = self.credits(later)
        found = []
        for kind in range(4):
            need, printed = list(now["need"]), list(now["printed"])
            wild, discount, at_hand = now["wild"], now["discount"], list(halves)
            if self.now["state"] == "DISCOUNT" or now["credit_slot"] >= 7:
                if kind == 3 or need[kind] == 0:
                    continue
                need[kind] -= 1
                wild -= self.now["state"] == "CREDIT"
                discount -= self.now["state"] == "DISCOUNT"
            else:
                column = 4 if kind == 3 else (kind if printed[kind] else 3)
                covered = 4 if kind == 3 else (kind if need[kind] else 3)
                if printed[column] == 0 or sum(need) == 0:
                    continue
                printed[column] -= 1
                at_hand.append((printed, now["credit_left"] - 1))
                if need[covered]:
                    need[covered] -= 1
                elif kind == 3:
                    wild += 1
                else:
                    continue
            if payable(need, self.tokens, (), at_hand, wild, discount):
                found.append(77 + kind)
        return found

    discount = credit

    def pay(self) -> list[int]:
        need = list(self.pending["need"])
        due = next(k for k in range(5) if need[k])
        need[due] -= 1
        found = []
        for kind in range(4):
            if self.tokens[kind] and (kind in (3, due) or due == 3):
                rest = [n - (k == kind) for k, n in enumerate(self.tokens)]
                found += [77 + kind] if payable(need, rest) else []
        return found

    def gain(self) -> list[int]:
        return [77 + k for k in range(3) if self.supply[k]]

    def pick(self) -> list[int]:
        what, place = self.pending["pick"], self.pending["source"]
        if what == "promote":
            source = CARDS[self.pending["buying"]]["promotes_from"]
            slots = [i for i in self.slots("ready") if self.city[i][0] == source]
        elif what == "repair":
            slots = self.slots("damaged")
        elif what == "ready_other":
            slots = self.readiable(place)
        else:
            suit = self.pending["pick_suit"]
            slots = self.exhaustible(
                place, None if suit == 4 else ("red", "green", "blue", "gold")[suit]
            )
        return [60 + i for i in slots]

    def direction(self) -> list[int]:
        return [81, 82]

    def commit(self) -> list[int]:
        done = [0] if self.now["battle"]["attackers"] else []
        return done + [i for i, _, _ in self.usable("attack")]

    def defense(self) -> list[int]:
        found = [0, *(i for i, _, _ in self.usable("defense"))]
        for i, place, action in self.usable("defense_combo"):
            kinds = self.gained(action)
            if any(self.feeds(kinds, place, action, *other) for other in self.places()):
                found.append(i)
        return found

    def feeds(
        self, kinds: set[str], place: int, action: Any, _: int, at: int, defense: Any
    ) -> bool:
        """Whether tokens of these kinds can pay a part of a defense still usable afterwards."""
        pay = defense["pay"]
        if "defense" not in defense["windows"]:
            return False
        if at == place and action["self_damage"]:
            return False
        if defense["kind"] == "active" and (
            not self.is_ready(at) or (at == place and action["kind"] == "active")
        ):
            return False
        if "gold" in kinds and any(pay.values()):
            return True
        return any(pay[kind] or pay["any"] for kind in kinds & set(BASE))

    def compensate(self) -> list[int]:
        printed = self.pending["printed"]
        found = [77 + k for k in range(3) if self.supply[k] and (printed[k] or printed[3])]
        return found + ([80] if self.supply[3] and printed[4] else [])

    def wild(self) -> list[int]:
        return [83, 84, 85]
