"""What the batch promises, on both games: threads, mixed tables, arrays, saving, playouts."""

import copy

import numpy as np
import pytest

import castle_envs
from castle_envs import castle_up_v0, chateau_combo_v0
from castle_envs.engine.errors import IllegalActionError, OptionError, StateError
from castle_envs.engine.random import next_seed, seed_stream
from castle_envs.engine.rewards import make_ranks
from castle_envs.games import by_name

ROWS, STEPS = 14, 180  # some games end in it, of either kind
GAMES = {"chateau_combo": [2, 3, 4, 5], "castle_up": [2, 3, 4]}
MODULES = {"chateau_combo": chateau_combo_v0, "castle_up": castle_up_v0}
OVERWRITTEN = (
    "observation",
    "action_mask",
    "current_player",
    "rewards",
    "terminated",
    "episode_length",
    "final_rewards",
    "final_scores",
    "final_ranks",
    "final_length",
    "final_states",
    "actions",
    "states",
)

both_games = pytest.mark.parametrize("game", list(GAMES))


def mixed(game, num_envs=ROWS, **keywords):
    return castle_envs.batch(game, num_envs, num_players=GAMES[game], seed=4, **keywords)


def contents(batch):
    return {name: getattr(batch, name).tobytes() for name in OVERWRITTEN if name != "actions"}


@both_games
def test_views_change_no_game(game):
    """Features, tokens or nothing to see: the same games."""
    batches = [mixed(game, observation=view) for view in ("features", "tokens", None)]
    for _ in range(STEPS):
        for batch in batches:
            batch.step_random()
        first, *others = batches
        for other in others:
            assert (first.actions == other.actions).all()
            assert (first.states == other.states).all()
            assert (first.action_mask == other.action_mask).all()


@both_games
def test_mixed_rows_play_what_single_tables_play(game):
    """A row of a mixed batch plays the game that a batch of its count alone plays."""
    batch, counts = mixed(game), GAMES[game]
    alone = [
        castle_envs.batch(game, ROWS, num_players=n, seats=max(counts), seed=4) for n in counts
    ]
    for _ in range(2 * STEPS):
        batch.step_random()
        for k, (n, other) in enumerate(zip(counts, alone, strict=True)):
            other.step_random()
            rows = np.arange(k, ROWS, len(counts))
            assert (batch.num_players[rows] == n).all()
            for name in OVERWRITTEN:
                assert (getattr(batch, name)[rows] == getattr(other, name)[rows]).all(), name


@both_games
def test_arrays_are_preallocated(game):
    """Every array stays where it is, whatever is called; what calls return is the caller's."""
    batch = mixed(game, dtype=np.float32)
    arrays = {name: getattr(batch, name) for name in OVERWRITTEN}

    def kept():
        return {
            "observe": batch.observe(batch.current_player),
            "final_observation": batch.final_observation,
            "get_rows": batch.get_rows([0, 1]),
            **batch.get_state(),
        }

    for _ in range(STEPS):
        batch.step_random()
    found = kept()
    before = {name: array.copy() for name, array in found.items()}
    assert batch.sample_actions() is batch.actions
    batch.step(batch.actions)
    batch.set_rows([2], batch.get_rows([2]))
    batch.clone_row(3, 3 + len(GAMES[game]))
    for _ in range(STEPS):
        batch.step_random()
    changed = {name: array.copy() for name, array in arrays.items()}
    batch.set_state(batch.get_state())
    batch.reset(seed=1)
    for name, array in arrays.items():
        assert getattr(batch, name) is array, name
        assert not any(np.shares_memory(array, other) for other in found.values()), name
        if not name.startswith("final_") and name not in ("actions", "terminated", "rewards"):
            assert (changed[name] != array).any(), f"{name} was not overwritten"
    assert all((found[name] == before[name]).all() for name in found)


@both_games
@pytest.mark.parametrize("keywords", [{}, {"dtype": np.float32}, {"observation": "tokens"}])
def test_torch_views_follow_every_step(game, keywords):
    """`torch.from_numpy` of each array a learner needs: no copy, and the next step shows in it."""
    torch = pytest.importorskip("torch")
    batch = mixed(game, **keywords)
    names = ("observation", "action_mask", "current_player", "rewards", "terminated")
    tensors = {name: torch.from_numpy(getattr(batch, name)) for name in names}
    before = tensors["observation"].clone()
    for _ in range(STEPS):
        batch.step_random()
        for name, tensor in tensors.items():
            array = getattr(batch, name)
            assert tensor.data_ptr() == array.ctypes.data
            assert np.array_equal(tensor.numpy(), array)
    assert (tensors["observation"] != before).any(1).all()


@both_games
def test_the_end_is_kept_for_every_seat(game):
    """`final_observation` is the mover's, `observe(seats, final_states)` anybody's."""
    batch = mixed(game, extras=["scores"])
    assert not batch.final_observation.any(), "nothing has ended yet"
    ended = np.zeros(ROWS, int)
    while ended.min() < 2:
        batch.step_random()
        for row in np.flatnonzero(batch.terminated):
            ended[row] += 1
            state = batch.final_states[row : row + 1]
            mover = int(state["seat"][0])
            last = batch.final_observation[row]
            assert (last == batch.observe([mover], state)[0]).all()
            own = batch.layout.decode(last)["scores"][: batch.num_players[row]]
            points = batch.final_scores[row, : batch.num_players[row]]
            assert (own == np.roll(points, -mover)).all(), "own seat first"
            other = (mover + 1) % batch.num_players[row]
            seen = batch.layout.decode(batch.observe([other], state)[0])["scores"]
            assert (seen[: batch.num_players[row]] == np.roll(points, -other)).all()


@both_games
def test_final_ranks_follow_scores_and_ties(game):
    """Better scores stand first; equal ones share a place or are parted by the tie-break."""
    batch, ties = mixed(game, observation=None), 0
    for _ in range(12 * STEPS):
        batch.step_random()
        for row in np.flatnonzero(batch.terminated):
            n = batch.num_players[row]
            points, ranks = batch.final_scores[row, :n], batch.final_ranks[row, :n]
            state = batch.final_states[row]
            stands = [(points[k], batch.game.tie_break(state, k)) for k in range(n)]
            assert ranks.tolist() == [sum(other > own for other in stands) for own in stands]
            ties += len(set(points)) < n
            shares = batch.final_rewards[row, :n] == batch.final_rewards[row, :n].max()
            assert (shares == (ranks == 0)).all()
    assert ties > 0


def test_refused_observations():
    batch = mixed("chateau_combo")
    with pytest.raises(OptionError, match="seats"):
        batch.observe(np.full(ROWS, 4))  # rows of two players have no seat 4
    with pytest.raises(OptionError, match="seats"):
        batch.observe([0])
    with pytest.raises(StateError, match="records"):
        batch.observe(np.zeros(ROWS, int), mixed("castle_up").states)


@both_games
def test_rows_cloned_copied_saved_and_loaded(game):
    """A clone, a deep copy and a loaded batch go on alike, over ends of games, and apart."""
    batch, counts = mixed(game), GAMES[game]
    for _ in range(70):
        batch.step_random()
    batch.clone_row(0, len(counts))
    twin, loaded = copy.deepcopy(batch), mixed(game)
    loaded.set_state(batch.get_state())
    for _ in range(STEPS):
        for one in (batch, twin, loaded):
            one.step_random()
        assert contents(batch) == contents(twin) == contents(loaded)
        assert (batch.states[0] == batch.states[len(counts)]).all()
        assert (batch.states["num_players"] == batch.num_players).all()
    assert (batch.final_length > 0).any()
    saved = twin.get_state()
    batch.step_random()
    assert all((saved[name] == array).all() for name, array in twin.get_state().items())
    with pytest.raises(StateError, match="number"):
        batch.clone_row(0, 1)
    turned = castle_envs.batch(game, ROWS, num_players=counts[::-1], seed=4)
    before = contents(turned)
    with pytest.raises(StateError, match="number"):
        turned.set_state(batch.get_state())
    assert contents(turned) == before


@both_games
def test_new_games_differ(game):
    """No deal comes twice: not in a row after auto-reset, not in another row."""
    batch = castle_envs.batch(game, 8, num_players=3, seed=1, observation=None)
    deals = [state.tobytes() for state in batch.states]
    while len(deals) < 40:
        batch.step_random()
        deals += [batch.states[row].tobytes() for row in np.flatnonzero(batch.terminated)]
    assert len(set(deals)) == len(deals)


@both_games
def test_steps_with_wrong_actions_change_nothing(game):
    batch = mixed(game)
    before = contents(batch)
    masked = batch.action_mask.argmax(1)
    masked[5] = batch.action_mask[5].argmin()
    for wrong in (masked, np.full(ROWS, -1), np.full(ROWS, batch.game.num_actions)):
        with pytest.raises(IllegalActionError, match="row"):
            batch.step(wrong)
        assert contents(batch) == before


# Random playouts -------------------------------------------------------------------------------


def middle(game, players, seed=0):
    """A state about half through a game."""
    env = MODULES[game].raw_env(num_players=players)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(5 * players):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    return env


@both_games
def test_playouts_are_plain_play_of_the_same_seeds(game):
    """Points and payoffs one by one, from the middle of a game, which stays as it is."""
    kernels, most = by_name(game), by_name(game).options.max_players
    for players in GAMES[game]:
        env = middle(game, players, seed=players)
        state, kept = env.state_record(), env.get_state()
        points, payoffs = castle_envs.random_playouts(game, state, 12, seed=9)
        assert env.get_state() == kept and (state == env.state_record()).all()
        deals, draws = seed_stream(9), seed_stream(~9)
        for k in range(12):
            copied = state.copy()
            g = copied[0]
            deals, bits = next_seed(deals)
            g.rng = bits
            while not g.over:
                mask = np.zeros(kernels.num_actions, np.int8)
                kernels.legal(g, mask)
                draws, bits = next_seed(draws)
                if kernels.sample:
                    action = int(kernels.sample(g, np.uint64(bits)))
                else:
                    legal = np.flatnonzero(mask)
                    action = int(legal[(bits >> 32) * len(legal) >> 32])
                assert mask[action]
                kernels.apply(g, action)
            expected = np.zeros(most, np.int32)
            kernels.scores(g, expected)
            assert (points[k] == expected).all()
            ranks = np.zeros(most, np.int32)
            make_ranks(kernels)(g, expected, ranks)
            first = ranks[:players] == 0
            share = first / first.sum()
            assert np.allclose(payoffs[k, :players], (players * share - 1) / (players - 1))


@both_games
def test_playouts_agree_with_the_batch(game):
    """The mean points of playouts and of a batch that plays on from the same state."""
    players, n = 3, 1_500
    state = middle(game, players).state_record()
    batch = castle_envs.batch(game, n, num_players=players, seed=2, observation=None)
    batch.set_rows(np.arange(n), np.repeat(state, n))
    # A row's hidden cards are those of the state, its own luck is its stream.
    batch.states["rng"] = np.random.default_rng(0).integers(0, 2**64, n, np.uint64)
    points, seen = np.zeros((n, players)), np.zeros(n, bool)
    while not seen.all():
        batch.step_random()
        new = batch.terminated & ~seen
        points[new] = batch.final_scores[new, :players]
        seen |= new
    found = castle_envs.random_playouts(game, state, n, seed=3)[0][:, :players]
    error = np.sqrt((points.var(0) + found.var(0)) / n)
    assert (np.abs(points.mean(0) - found.mean(0)) < 4.5 * error).all()


def test_refused_playouts():
    """Anything but one record of the game is told so, before compiled code would read it."""
    state = middle("chateau_combo", 3).state_record()

    def refused(error, words, *arguments, **keywords):
        with pytest.raises(error, match=words):
            castle_envs.random_playouts(*arguments, **keywords)

    wrong = (state[:0], np.repeat(state, 2), state[0], state.tobytes(), None, np.zeros(1))
    for one in (*wrong, middle("chateau_combo", 3), middle("castle_up", 2).state_record()):
        refused(StateError, "state_record", "chateau_combo", one, 1, 0)
    for name, value in (("n", -1), ("n", 1.5), ("seed", None), ("seat", 3), ("seat", -1)):
        keywords = {"n": 1, "seed": 0, "seat": 0, name: value}
        refused(OptionError, name, "chateau_combo", state, **keywords)
    refused(OptionError, "card_file", "chateau_combo", state, 1, 0, card_file="mine.json")
    refused(OptionError, "game", "chess", state, 1, 0)
    assert castle_envs.random_playouts("chateau_combo", state, 0, 0)[0].shape == (0, 5)
    over = state.copy()
    over["over"] = 1
    points, _ = castle_envs.random_playouts("chateau_combo", over, 2, 0)
    assert (points[0] == points[1]).all()
