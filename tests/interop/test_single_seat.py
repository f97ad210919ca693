"""The core of the single-seat faces: credit, opponents in batches, seeds."""

import cloudpickle
import numpy as np
import pytest

from castle_envs.agents import resolve
from castle_envs.engine.errors import IllegalActionError, OptionError
from castle_envs.games import by_name
from castle_envs.interop.single_seat import SingleSeat

GAME = by_name("chateau_combo")


def choose(core, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in core.action_mask])


class Watching:
    """Random play that checks what it is asked: only seats to act, never the learner's."""

    name = "watching"

    def __init__(self):
        self.inner, self.calls, self.rows = resolve("random", GAME), 0, 0

    def act_on_state(self, state, seat, rng):
        return self.inner.act_on_state(state, seat, rng)

    def act_batch(self, states, seats, rng):
        assert (states["seat"] == seats).all() and not states["over"].any()
        self.calls, self.rows = self.calls + 1, self.rows + len(states)
        return self.inner.act_batch(states, seats, rng)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("seat", ["random", 0, 1])
def test_reward_is_the_engines_payoff(players, seat):
    """Sum of a learner's rewards over a game = the engine's payoff of its seat, whoever ends it."""
    core = SingleSeat(
        GAME, 64, opponents=Watching(), learner_seat=seat, num_players=players, reward="score"
    )
    rng = np.random.default_rng(0)
    core.reset(seed=1)
    total, games, ended_by_others = np.zeros(64), 0, 0
    for _ in range(60):
        learners = core.learners.copy()
        assert (core.states["seat"] == core.learners).all()
        _, rewards, ended = core.step(choose(core, rng))
        total += rewards
        for row in np.flatnonzero(ended):
            points = core.final_scores[row, :players].astype(float)
            own = points[learners[row]]
            expected = (own - (points.sum() - own) / (players - 1)) / 50
            assert total[row] == pytest.approx(expected, abs=1e-6)
            assert core.final_length[row] >= 9
            total[row] = 0
            games += 1
            ended_by_others += 1
    assert games >= 64 and not total[~ended].any()


def test_opponents_act_in_batches():
    watching = Watching()
    core = SingleSeat(GAME, 256, opponents=watching)
    core.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(20):
        core.step(choose(core, rng))
    assert watching.rows / watching.calls > 20


def test_learner_sits_in_every_seat():
    core = SingleSeat(GAME, 300, num_players=3)
    core.reset(seed=2)
    assert np.bincount(core.learners, minlength=3).min() > 60


def test_same_seed_same_games_and_pool_is_drawn():
    def play(seed):
        core = SingleSeat(GAME, 32, opponents=["random", "greedy"], weights=[1, 3], seed=seed)
        rng, seen = np.random.default_rng(0), [core.reset()]
        for _ in range(30):
            seen.append(core.step(choose(core, rng))[0])
        return np.array(seen), core

    one, core = play(5)
    assert (one == play(5)[0]).all() and (one != play(6)[0]).any()
    assert set(core.lineup.tolist()) == {0, 1}


def test_state_round_trip():
    core = SingleSeat(GAME, 16, opponents=["random", "greedy"], seed=3)
    rng = np.random.default_rng(0)
    core.reset()
    for _ in range(12):
        core.step(choose(core, rng))
    state = core.get_state()
    actions = choose(core, rng)
    expected = [core.step(actions)[0]]
    expected.append(core.step(core.action_mask.argmax(1))[0])
    twin = SingleSeat(GAME, 16, opponents=["random", "greedy"])
    twin.set_state(state)
    found = [twin.step(actions)[0]]
    found.append(twin.step(twin.action_mask.argmax(1))[0])
    assert all((a == b).all() for a, b in zip(expected, found, strict=True))


def test_illegal_action_raises_and_changes_nothing():
    core = SingleSeat(GAME, 4, illegal_action="raise", seed=1)
    core.reset()
    before = core.get_state()
    with pytest.raises(IllegalActionError, match="row 0"):
        core.step(np.array([102, 0, 0, 0]))
    assert all((before[k] == v).all() for k, v in core.get_state().items())


def test_illegal_action_terminates():
    core = SingleSeat(GAME, 4, illegal_action="terminate", seed=1)
    core.reset()
    actions = core.action_mask.argmax(1)
    actions[2] = 102
    _, rewards, ended = core.step(actions)
    assert ended.tolist() == [False, False, True, False] and rewards[2] == -1
    assert core.action_mask.any(1).all()


@pytest.mark.parametrize(
    "keywords",
    [
        {"learner_seat": 2},
        {"learner_seat": "first"},
        {"illegal_action": "ignore"},
        {"opponents": []},
        {"opponents": ["random"], "weights": [0]},
        {"opponents": "nobody"},
        {"colour": "red"},
    ],
)
def test_bad_keywords(keywords):
    with pytest.raises(OptionError):
        SingleSeat(GAME, 2, **keywords)


def test_pickles_with_its_opponents():
    core = SingleSeat(GAME, 4, opponents=["random", "greedy"], seed=1)
    core.reset()
    twin = cloudpickle.loads(cloudpickle.dumps(core))
    actions = core.action_mask.argmax(1)
    assert (core.step(actions)[0] == twin.step(actions)[0]).all()
