"""One fixed playthrough per player count as hashes: play and observations of a version are final.

After an intended change bump the version in `games/chateau_combo/__init__.py` (and the face), then
write the new hashes with `python -m tests.chateau_combo.test_trajectory`.
"""

import hashlib
import json
import random
from pathlib import Path

import pytest

from castle_envs import chateau_combo_v0
from castle_envs.games.chateau_combo import GAME
from tests.chateau_combo.walk import legal_ids, random_choice

FILE = Path(__file__).parents[1] / "data/chateau_combo_trajectories.json"
GAMES = 3


def trajectory(players):
    """Hashes of masks, moves and rewards, and of each view, over some random games."""
    hashes = {name: hashlib.sha256() for name in ("play", "features", "tokens")}
    rng = random.Random(2024)
    envs = [
        chateau_combo_v0.env(num_players=players, observation=view, reward="score")
        for view in ("features", "tokens")
    ]
    for game in range(GAMES):
        for env in envs:
            env.reset(seed=game)
        while envs[0].agents:
            who = envs[0].agent_selection
            for env in envs:
                for agent in env.possible_agents:
                    vector = env.observe(agent)["observation"]
                    hashes[env.layout.view].update(vector.tobytes())
            seen = [who, legal_ids(envs[0]), *sorted(envs[0].rewards.items())]
            hashes["play"].update(json.dumps(seen).encode())
            action = None if envs[0].terminations[who] else random_choice(envs[0], rng)
            for env in envs:
                env.step(action)
    return {name: found.hexdigest() for name, found in hashes.items()}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_trajectory_is_that_of_the_version(players):
    saved = json.loads(FILE.read_text("utf-8"))
    assert saved["version"] == GAME.version, f"write the hashes of version {GAME.version}"
    found = trajectory(players)
    for part, value in saved["hashes"][str(players)].items():
        assert found[part] == value, (
            f"{part} at {players} players differ from version {GAME.version}: bump version (and "
            f"write the hashes of the new one, see the head of {Path(__file__).name})"
        )


def test_names_carry_the_version():
    assert GAME.version == 0
    for face in (chateau_combo_v0.env, chateau_combo_v0.raw_env):
        assert face.metadata["name"] == "chateau_combo_v0" == chateau_combo_v0.__name__[12:]


if __name__ == "__main__":
    hashes = {str(players): trajectory(players) for players in (2, 3, 4, 5)}
    text = json.dumps({"version": GAME.version, "hashes": hashes}, indent=1)
    FILE.write_text(text + "\n", "utf-8")
