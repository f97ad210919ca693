"""Play one game with random legal moves: `python examples/random_play.py`."""

import numpy as np

from castle_envs import chateau_combo_v0


def main() -> None:
    rng = np.random.default_rng(1)
    env = chateau_combo_v0.env(num_players=3, render_mode="ansi")
    env.reset(seed=1)
    moves = 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            print(f"{agent}: {info['score']} points, place {info['placement']}, reward {reward:+}")
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(rng.choice(legal)))
        moves += 1
        if all(env.terminations.values()):
            print(env.render())
    print(f"{moves} moves")


if __name__ == "__main__":
    main()
