"""sb3-contrib's MaskablePPO on many games at once, against greedy.

Needs the extra `train`: python examples/maskable_ppo.py [samples]
"""

import sys

from sb3_contrib import MaskablePPO

from castle_envs.interop.sb3 import SingleSeatVecEnv


def main(samples: int = 100_000) -> None:
    """Learn in a random seat of two-player games; the environment raises on an illegal action."""
    env = SingleSeatVecEnv("chateau_combo", 64, opponents="greedy", reward="score", seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=4, gamma=1.0)
    model.learn(samples)
    returns = [episode["r"] for episode in model.ep_info_buffer or []]
    print(f"mean lead over greedy at the end: {50 * sum(returns) / len(returns):+.1f} points")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
