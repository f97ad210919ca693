"""Whatever a face returns is the caller's: nothing later changes it, and it changes nothing."""

import copy

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from castle_envs import castle_up_v0, chateau_combo_v0
from castle_envs.interop.gymnasium import SingleSeatEnv
from castle_envs.interop.gymnasium_vector import SingleSeatVectorEnv
from castle_envs.interop.sb3 import SingleSeatVecEnv

MODULES = {"chateau_combo": chateau_combo_v0, "castle_up": castle_up_v0}
STEPS = 60

both_games = pytest.mark.parametrize("game", list(MODULES))


def arrays_in(found):
    """Every array in nested tuples, lists and dicts."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, np.ndarray):
        inner = [x for x in found if isinstance(x, np.ndarray)] if found.dtype == object else []
        return [found, *inner]
    if isinstance(found, list | tuple):
        return [array for one in found for array in arrays_in(one)]
    return []


def check_kept(returned, own):
    """`returned`: all that was handed out, each with the copy made then; `own`: arrays inside."""
    assert len(returned) > STEPS
    handed_out = []
    for now, then in returned:
        for array, before in zip(arrays_in(now), arrays_in(then), strict=True):
            assert array.dtype == object or np.array_equal(array, before)
            handed_out.append(array)
    for array in handed_out:
        assert not any(np.shares_memory(array, inner) for inner in own if array.dtype != object)


def note(returned, found):
    returned.append((found, copy.deepcopy(found)))
    return found


@both_games
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_vector_environment(game, mode):
    env, returned = SingleSeatVectorEnv(game, 3, mode), []
    note(returned, env.reset(seed=1))
    ends = 0
    for _ in range(STEPS):
        masks = note(returned, env.action_masks())
        ends += note(returned, env.step(masks.argmax(1)))[2].sum()
    assert ends
    check_kept(returned, arrays_in(vars(env.core)))


@both_games
def test_sb3(game):
    env, returned = SingleSeatVecEnv(game, 3, seed=1), []
    note(returned, env.reset())
    ends = 0
    for _ in range(STEPS):
        masks = note(returned, env.env_method("action_masks"))
        ends += note(returned, env.step(np.stack(masks).argmax(1)))[2].sum()
        note(returned, env.get_state())
    assert ends
    check_kept(returned, [*arrays_in(vars(env.core)), env._return])


@both_games
def test_single_environment(game):
    env, returned = SingleSeatEnv(game), []
    note(returned, env.reset(seed=1))
    for _ in range(STEPS):
        over = note(returned, env.step(note(returned, env.action_masks()).argmax()))[2]
        if over:
            note(returned, env.reset())
    check_kept(returned, arrays_in(vars(env.core)))


@both_games
def test_aec(game):
    env, returned = MODULES[game].env(num_players=3), []
    env.reset(seed=1)
    for _ in range(STEPS):
        for agent in env.possible_agents:
            note(returned, env.observe(agent))
        seen, _, over, _, _ = note(returned, env.last())
        note(returned, env.state())
        note(returned, env.state_record())
        env.step(None if over else int(seen["action_mask"].argmax()))
        if not env.agents:
            env.reset()
    check_kept(returned, arrays_in(vars(env)))


@both_games
def test_what_the_caller_does_to_its_arrays_changes_no_game(game):
    """Two environments play alike though the arrays of one are overwritten by their owner."""
    one, other = (SingleSeatVectorEnv(game, 3, opponents="greedy") for _ in range(2))
    expected, found = one.reset(seed=2), other.reset(seed=2)
    for _ in range(STEPS):
        actions = expected[-1]["action_mask"].argmax(1)
        for array in arrays_in(found):
            if array.dtype != object:
                array[...] = 0
        expected, found = one.step(actions), other.step(actions.copy())
        for array, twin in zip(arrays_in(expected), arrays_in(found), strict=True):
            assert array.dtype == object or np.array_equal(array, twin)
