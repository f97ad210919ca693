"""Train for a moment, load the checkpoint, play it in the environment and rate it.

Run from a checkout with the extra `train`: python examples/train_and_play.py [samples]
"""

import sys
import tempfile
from pathlib import Path

from castle_envs import agents, chateau_combo_v0
from castle_envs.evaluation import run_tournament
from castle_envs.games import by_name
from training.train import main as train


def play(folder: Path) -> None:
    """One game of the policy against greedy, in the PettingZoo environment."""
    policy = agents.load(folder)
    greedy = agents.resolve("greedy", "chateau_combo")
    rng = agents.rng_from(0)
    layout = policy.layout
    env = chateau_combo_v0.env(observation=layout.view, extras=layout.extras, render_mode="ansi")
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        if terminated:
            env.step(None)
        elif agent == "player_0":
            env.step(policy.act(observation["observation"], observation["action_mask"]))
        else:
            env.step(greedy.act_on_state(env.state_record(), 1, rng))
    print(env.render())


def main(samples: int = 200_000) -> None:
    """Train, play, rate."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        config = "configs/chateau_combo_quickstart.yaml"
        options = ["--total-samples", str(samples), "--evaluate-games", "200"]
        train(["--config", config, "--run", str(run), *options])
        play(run / "best")
        game = by_name("chateau_combo")
        players = [agents.resolve(run / "best", game), agents.resolve("random", game)]
        print(run_tournament(game, players, games=100).table())


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
