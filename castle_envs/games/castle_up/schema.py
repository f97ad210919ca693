"""Checks a card file before anything is compiled from it; every error names card and field.

Two kinds of conditions: the shape of the file (words, numbers, ids that exist), and those that
make the masks exact and every turn end (rules reference, section 11).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from castle_envs.engine.errors import OptionError

SUITS = ("red", "green", "blue", "gold")
TOKENS = ("manpower", "supplies", "food", "any", "gold")
ROLES = ("initiative", "mercantile", "defensive", "military")
SIDES = ("front", "back")
WINDOWS = ("main", "attack", "defense", "defense_combo")
SETS = ("base", "base_asymmetric", "feasts_and_fury")
ERAS = ("1", "2", "3")
LIMITS = {
    "max_actions_per_card": 3,
    "city_limit": 7,
    "deal_per_round": 4,
    "trade_row_two_players": 3,
    "trade_row_more_players": 4,
}
MOST = 60  # largest amount, points or number of tokens on a card
MOST_KINDS = 120  # ids are int8
WEIGHTS = {"manpower": 2, "supplies": 2, "food": 2, "any": 2, "gold": 5}


class CardFileError(OptionError):
    """A card file that is malformed or breaks a condition the rules rely on."""


def check(data: Any) -> None:
    """Check the whole content of a card file; raises CardFileError naming card and field."""
    top = _Part("card file", data)
    if top["schema_version"] != 1:
        raise top.error("schema_version", "must be 1")
    limits = top.part("limits")
    for name, value in LIMITS.items():
        if limits[name] != value:
            raise limits.error(name, f"must be {value}: actions and records are made for it")
    supply = top.part("token_supply")
    for kind in ("manpower", "supplies", "food", "gold"):
        supply.whole(kind, 0, 1000)
    _check_start(top.part("start"), supply["gold"])
    points = top.part("card_points")
    for suit in SUITS:
        if len(points.list(suit)) != 3:
            raise points.error(suit, "needs three numbers, one an era")
        by_era = _Part(f"card_points.{suit}", dict(zip(ERAS, points[suit], strict=True)))
        for era in ERAS:
            by_era.whole(era, 0, MOST)
    for name in ("control", "shared_control"):
        points.whole(name, 0, MOST)
    variants = top.part("variants")
    for name in ("remove_per_era", "expansion_only_remove_per_era", "expansion_remove_per_era"):
        variants.whole(name, 0, MOST)
    exchange = top.part("free_exchange")
    exchange.whole("pay_same_kind", 1, MOST)
    exchange.whole("gain_gold", 1, MOST)
    if WEIGHTS["food"] * exchange["pay_same_kind"] <= WEIGHTS["gold"] * exchange["gain_gold"]:
        raise exchange.error("gain_gold", "gains too much: exchanges must not pay for each other")

    buildings = [_Part(f"building {i}", b) for i, b in enumerate(top.list("buildings"))]
    castles = [_Part(f"castle {i}", c) for i, c in enumerate(top.list("castles"))]
    _check_ids([*buildings, *castles])
    for building in buildings:
        _check_building(building)
    for building in buildings:
        _check_promotion(building, buildings)
    for castle in castles:
        _check_castle(castle)
    if sum(c["set"] == "base" for c in castles) != 1:
        raise top.error("castles", 'needs exactly one basic castle (set "base")')
    _check_stacks(buildings, variants, top)
    roles = [_Part("action card", r) for r in top.list("action_cards")]
    if [r["role"] for r in roles] != list(ROLES):
        raise top.error("action_cards", f"needs the roles {', '.join(ROLES)}, in this order")
    for role in roles:
        for side in SIDES:
            _check_role(role.part(side), role["role"])


class _Part:
    """A dict of the file and what to call it in an error."""

    def __init__(self, name: str, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise CardFileError(f"{name}: must be an object, got {values!r}")
        self.name, self.values = name, values
        if isinstance(values.get("id"), str):
            self.name = values["id"]

    def __getitem__(self, key: str) -> Any:
        if key not in self.values:
            raise self.error(key, "is missing")
        return self.values[key]

    def error(self, field: str, problem: str) -> CardFileError:
        return CardFileError(f"{self.name}: {field} {problem}")

    def part(self, key: str) -> "_Part":
        found = _Part(f"{self.name}.{key}", self[key])
        found.name = found.name if "id" in found.values else f"{self.name}.{key}"
        return found

    def list(self, key: str) -> Sequence[Any]:
        found = self[key]
        if not isinstance(found, list):
            raise self.error(key, f"must be a list, got {found!r}")
        return found

    def whole(self, key: str, low: int, high: int) -> int:
        value = self[key]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(key, f"must be a whole number from {low} to {high}, got {value!r}")
        return value

    def word(self, key: str, allowed: Iterable[Any]) -> Any:
        allowed = list(allowed)
        if self[key] not in allowed:
            raise self.error(key, f"must be one of {allowed}, got {self[key]!r}")
        return self[key]


def _check_start(start: _Part, gold: int) -> None:
    first = start.whole("gold_first_half", 0, MOST)
    second = start.whole("gold_second_half", 0, MOST)
    three = start.list("three_players")
    if len(three) != 3 or not all(isinstance(n, int) and 0 <= n <= MOST for n in three):
        raise start.error("three_players", "needs three whole numbers")
    if gold < max(2 * (first + second), sum(three)):
        raise start.error("gold_second_half", "the gold supply does not cover the starting gold")


def _check_ids(cards: list[_Part]) -> None:
    seen = set()
    for card in cards:
        if not isinstance(card["id"], str) or not card["id"]:
            raise card.error("id", "must be a word")
        if card["id"] in seen:
            raise card.error("id", "is given twice")
        seen.add(card["id"])
        if not isinstance(card["title"], str):
            raise card.error("title", "must be text")
    if len(cards) > MOST_KINDS:
        raise CardFileError(f"card file: at most {MOST_KINDS} different cards, got {len(cards)}")


def _tokens(part: _Part, key: str) -> int:
    """Check a map of tokens; returns their number."""
    tokens = part.part(key)
    if unknown := set(tokens.values) - set(TOKENS):
        raise part.error(key, f"names no token {sorted(unknown)[0]!r}")
    return sum(tokens.whole(kind, 0, MOST) for kind in TOKENS)


def _check_building(card: _Part) -> None:
    card.word("set", ("base", "feasts_and_fury"))
    card.whole("copies", 1, 8)
    card.whole("era", 1, 3)
    card.word("suit", SUITS)
    if _tokens(card, "cost") < 1:
        raise card.error("cost", "must be positive")
    card.whole("endurance", 1, MOST)
    card.whole("repair_cost", 1, MOST)
    _check_actions(card)
    _check_scoring(card)


def _check_promotion(card: _Part, buildings: list[_Part]) -> None:
    if card["promotes_from"] is None:
        return
    sources = [b for b in buildings if b["id"] == card["promotes_from"]]
    if not sources:
        raise card.error("promotes_from", f"names no building: {card['promotes_from']!r}")
    if sources[0]["era"] >= card["era"]:
        raise card.error("promotes_from", "must name a building of a lower era")


def _check_castle(card: _Part) -> None:
    card.word("set", SETS)
    suit = card.word("suit", (*SUITS, None))
    if suit is None:
        card.word("scoring_era", (None,))
    else:
        card.whole("scoring_era", 1, 3)
    if _tokens(card, "cost") != 0:
        raise card.error("cost", "must be nothing: castles cost nothing")
    if card["targetable"] is not False:
        raise card.error("targetable", "must be false: castles cannot be targeted")
    for field in ("endurance", "repair_cost", "promotes_from"):
        card.word(field, (None,))
    _check_actions(card)
    for action in card["actions"]:
        if action["self_damage"]:
            raise card.error("actions", "a castle has no self-damage")
    _check_scoring(card)


def _check_stacks(buildings: list[_Part], variants: _Part, top: _Part) -> None:
    for era in (1, 2, 3):
        base = sum(b["copies"] for b in buildings if b["era"] == era and b["set"] == "base")
        for name in variants.values:
            if name.endswith("per_era") and variants[name] > base:
                raise variants.error(
                    name, f"takes out more than the {base} base cards of era {era}"
                )
    if not buildings:
        raise top.error("buildings", "must not be empty")


def _check_scoring(card: _Part) -> None:
    for i, entry in enumerate(card.list("scoring")):
        rule = _Part(f"{card.name}: scoring {i}", entry)
        kind = rule.word("type", ("wild_suit", "bonus_points", "bonus_per_suit"))
        if kind != "wild_suit":
            rule.whole("points", 0, MOST)
        if kind == "bonus_per_suit":
            rule.word("suit", SUITS)


def _check_actions(card: _Part) -> None:
    actions = card.list("actions")
    if len(actions) > LIMITS["max_actions_per_card"]:
        raise card.error("actions", f"has {len(actions)} actions, at most three fit")
    for i, action in enumerate(actions):
        _check_action(_Part(f"{card.name}: action {i}", action))


def _check_action(action: _Part) -> None:
    kind = action.word("kind", ("active", "passive"))
    windows = action.list("windows")
    if not windows or any(window not in WINDOWS for window in windows):
        raise action.error("windows", f"must be drawn from {', '.join(WINDOWS)}, got {windows}")
    if len(set(windows)) < len(windows):
        raise action.error("windows", f"names one twice: {windows}")
    paid = _tokens(action, "pay")
    action.word("self_damage", (True, False))
    other = action["exhaust_other"]
    if other is not None:
        part = action.part("exhaust_other")
        part.whole("count", 1, LIMITS["city_limit"])
        part.word("suit", (*SUITS, None))
    effects = check_effects(action, "effects")
    if not effects:
        raise action.error("effects", "must not be empty")
    for kind_of in effects:
        if kind_of in ("attack", "defense"):
            if windows != [kind_of]:
                raise action.error("windows", f"must be just {kind_of!r} for its {kind_of} points")
        elif "main" not in windows or set(windows) - {"main", "defense_combo"}:
            raise action.error("windows", f"must be 'main' for the effect {kind_of!r}")
        if kind_of in ("take_initiative", "may_change_direction"):
            raise action.error("effects", f"{kind_of!r} belongs to the purchase of an action card")
    if "defense_combo" in windows and set(effects) != {"gain"}:
        raise action.error("windows", "allows 'defense_combo' only for pure gains")
    if "purchase_from" in effects and (
        len(effects) > 1 or kind == "passive" or paid or other or action["self_damage"]
    ):
        raise action.error(
            "effects", "'purchase_from' must stand alone in an active action without a price"
        )
    if kind == "passive":
        _check_passive(action, paid, effects)


def _check_passive(action: _Part, paid: int, effects: list[str]) -> None:
    if paid == 0:
        raise action.error("pay", "must not be empty: a passive action needs a price")
    if action["self_damage"] or action["exhaust_other"] is not None:
        raise action.error("self_damage", "and exhaust_other are for active actions only")
    if set(effects) - {"gain", "attack", "defense"}:
        raise action.error("effects", "of a passive action may only gain, attack or defend")
    gained = 0
    for effect in action["effects"]:
        if effect["type"] != "gain":
            continue
        for kind, amount in effect["resources"].items():
            if not isinstance(amount, int):
                raise action.error("effects", "of a passive action gain fixed amounts, no X")
            gained += WEIGHTS[kind] * amount
    spent = sum(WEIGHTS[kind] * action["pay"][kind] for kind in TOKENS)
    if "gain" in effects and gained >= spent:
        raise action.error(
            "effects",
            f"would never end: the price weighs {spent}, the gain {gained} "
            "(base token 2, gold 5); a passive conversion must lose weight",
        )


def check_effects(owner: _Part, key: str) -> list[str]:
    """Check a list of effects; returns their types."""
    types = []
    for i, entry in enumerate(owner.list(key)):
        effect = _Part(f"{owner.name}: {key} {i}", entry)
        kind = effect.word("type", EFFECT_FIELDS)
        for field in EFFECT_FIELDS[kind]:
            _check_field(effect, field)
        types.append(kind)
    return types


EFFECT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "gain": ("resources",),
    "attack": ("points",),
    "defense": ("points",),
    "purchase_action": ("count",),
    "battle_phase": ("count",),
    "repair": ("count",),
    "ready_other": ("count",),
    "purchase_from": ("source", "discount"),
    "take_initiative": (),
    "may_change_direction": (),
}


def _check_field(effect: _Part, field: str) -> None:
    if field == "resources":
        amounts = effect.part("resources")
        if unknown := set(amounts.values) - set(TOKENS):
            raise effect.error("resources", f"names no token {sorted(unknown)[0]!r}")
        for kind in amounts.values:
            _check_amount(amounts, kind)
    elif field == "points":
        _check_amount(effect, "points")
    elif field == "source":
        effect.word("source", ("discard_top", "deck_top"))
    else:
        effect.whole(field, 0 if field == "discount" else 1, MOST)


def _check_amount(owner: _Part, key: str) -> None:
    if not isinstance(owner[key], Mapping):
        owner.whole(key, 0, MOST)
        return
    amount = owner.part(key)
    amount.whole("base", 0, MOST)
    amount.whole("mult", 1, MOST)
    amount.word("suit", SUITS)


def _check_role(card: _Part, role: str) -> None:
    for field in ("id", "title"):
        if not isinstance(card[field], str):
            raise card.error(field, "must be text")
    for era in ERAS:
        _tokens(card.part("resource_cost_by_era"), era)
        bought = check_effects(card.part("on_purchase_by_era"), era)
        if set(bought) & {"attack", "defense", "purchase_from", "ready_other", "battle_phase"}:
            raise card.error(
                "on_purchase_by_era", f"has an effect a purchase cannot have: {bought}"
            )
        if sum(kind == "purchase_action" for kind in bought) > 1:
            raise card.error("on_purchase_by_era", "may give one purchase action, not more")
        held = card.part("held_actions_by_era").list(era)
        if len(held) > 1:
            raise card.error("held_actions_by_era", f"has {len(held)} actions, at most one fits")
        for action in held:
            part = _Part(f"{card.name}: held action", action)
            _check_action(part)
            if part["self_damage"] or {"purchase_from", "ready_other"} & {
                e["type"] for e in part["effects"]
            }:
                raise part.error("effects", "a held card cannot damage itself, ready or buy")
    if card["loot"] is None:
        return
    if role != "military":
        raise card.error("loot", "belongs to the military card only")
    loot = card.part("loot")
    loot.whole("attack_required", 0, MOST)
    loot.whole("max_per_purchase", 1, MOST)
    if set(check_effects(loot, "effects")) - {"gain", "repair", "purchase_action", "battle_phase"}:
        raise loot.error("effects", "may gain, repair or give actions only")
