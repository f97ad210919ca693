"""How fast the training loops are, end to end, and how strong their policies get, in one sitting.

`python -m benchmarks.training_speed` times rollout and update together, the variants in turn, so
that a busy moment hits all of them; `--strength` also trains each to `--samples` over three seeds
and rates it against greedy. Château Combo with two players; results go to benchmarks/results.

All but the last two variants share observation, network, epochs, minibatch and rollout size. In
self-play every seat's decisions are samples; with a single learner only the learner's are.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv
from tqdm import tqdm

from benchmarks.harness import commit, machine, versions
from castle_envs.agents.networks import NetworkSpec, PolicyNetwork
from castle_envs.agents.policy import PolicyAgent
from castle_envs.games import by_name
from castle_envs.interop.gymnasium import SingleSeatEnv
from castle_envs.interop.sb3 import SingleSeatVecEnv
from training.config import TrainConfig, read_config
from training.maskable import FinalScores, maskable_ppo
from training.ppo import PPO
from training.train import rate

ROOT = Path(__file__).parents[1]
GAME = by_name("chateau_combo")
SAME = TrainConfig(observation="features", trunk=(256, 256), epochs=2, minibatch=1024)
DUMMIES = 8
SAMPLES = SAME.num_envs * SAME.rollout  # of one rollout, in every variant
SEEDS = (0, 1, 2)


class Single:
    """MaskablePPO on some `VecEnv`, behind what this file needs of a learner."""

    def __init__(self, env: VecEnv, layout: Any, config: TrainConfig) -> None:
        self.game, self.layout, self.config, self.samples = GAME, layout, config, 0
        self.env, self.steps = env, SAMPLES // env.num_envs
        self.model = maskable_ppo(env, GAME, layout, replace(config, rollout=self.steps))
        self.model.set_logger(Logger(None, []))
        self.network: PolicyNetwork = self.model.policy.network
        quiet = FinalScores([]) if isinstance(env, SingleSeatVecEnv) else None
        _, self.callback = self.model._setup_learn(config.total_samples, quiet)

    def play(self) -> None:
        """One rollout."""
        self.model.collect_rollouts(self.env, self.callback, self.model.rollout_buffer, self.steps)
        self.samples = self.model.num_timesteps

    def learn(self) -> None:
        """Its updates."""
        self.model._update_current_progress_remaining(self.samples, self.config.total_samples)
        self.model.ent_coef = self.config.entropy
        self.model.train()

    def iterate(self) -> None:
        """Both."""
        self.play()
        self.learn()


def keywords(config: TrainConfig) -> dict[str, Any]:
    """Of the single-seat faces."""
    return {
        "num_players": 2,
        "observation": config.observation,
        "extras": config.extras,
        "reward": config.reward,
        "scaled": False,
    }


def dummy(config: TrainConfig) -> Single:
    """Stable-Baselines3's usual way: eight Gymnasium environments, one after the other."""

    def make(i: int) -> Callable[[], SingleSeatEnv]:
        def one() -> SingleSeatEnv:
            env = SingleSeatEnv(GAME, opponents="random", **keywords(config))
            env.reset(seed=config.seed * 1000 + i)
            return env

        return one

    env = DummyVecEnv([make(i) for i in range(DUMMIES)])
    return Single(env, env.envs[0].unwrapped.core.layout, config)


def native(config: TrainConfig, opponents: Any = ("random",)) -> Single:
    """Our `VecEnv`."""
    env = SingleSeatVecEnv(
        GAME, config.num_envs, opponents=list(opponents), seed=config.seed, **keywords(config)
    )
    return Single(env, env.core.layout, config)


def against_networks(config: TrainConfig) -> Single:
    """As `native`, the opponents' moves chosen by a frozen network of the learner's shape."""
    learner = native(config)
    frozen = PolicyNetwork(GAME, learner.layout, NetworkSpec(tuple(config.trunk)))
    agent = PolicyAgent(GAME, learner.layout, frozen.requires_grad_(False), False, "frozen")
    learner.env.set_opponents([agent])
    return learner


def recommended(config: TrainConfig) -> PPO:
    """The quickstart's own observation and network."""
    own = read_config(ROOT / "configs" / "chateau_combo_quickstart.yaml")
    return PPO(replace(own, seed=config.seed, total_samples=config.total_samples))


VARIANTS: dict[str, Callable[[TrainConfig], Any]] = {
    "MaskablePPO, DummyVecEnv of 8, random opponents": dummy,
    "MaskablePPO, native VecEnv, random opponents": native,
    "MaskablePPO, native VecEnv, frozen network as opponent": against_networks,
    "torch PPO, self-play": PPO,
    "torch PPO, self-play, the quickstart's observation and network": recommended,
}
BASE = "MaskablePPO, DummyVecEnv of 8, random opponents"
RATED = tuple(name for name in VARIANTS if "frozen" not in name)


def speed(repeats: int) -> list[dict[str, Any]]:
    """Samples/s of every variant: rollout and update, and the update alone (its ceiling)."""
    learners = {name: make(replace(SAME, total_samples=10**9)) for name, make in VARIANTS.items()}
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in VARIANTS}
    with tqdm(total=(repeats + 1) * len(VARIANTS), desc="speed", disable=None) as bar:
        for _ in range(repeats + 1):
            for name, learner in learners.items():
                start = time.perf_counter()
                learner.play()
                middle = time.perf_counter()
                learner.learn()
                seconds[name].append((middle - start, time.perf_counter() - middle))
                bar.update()
    rows = []
    for name, times in seconds.items():
        both = [SAMPLES / sum(pair) for pair in times[1:]]  # the first round warms up
        update = [SAMPLES / pair[1] for pair in times[1:]]
        rows.append(
            {
                "name": name,
                "samples_per_second": statistics.median(both),
                "low": min(both),
                "high": max(both),
                "update_alone": statistics.median(update),
            }
        )
    return rows


def strength(samples: int, games: int) -> list[dict[str, Any]]:
    """Win rate against greedy after that many samples, by variant and seed."""
    rows = []
    todo = [(name, seed) for name in RATED for seed in SEEDS]
    with tqdm(total=len(todo) * samples, desc="strength", unit_scale=True, disable=None) as bar:
        for name, seed in todo:
            config = replace(SAME, seed=seed, total_samples=samples, evaluate_games=games)
            learner, start = VARIANTS[name](config), time.perf_counter()
            while learner.samples < samples:
                learner.iterate()
                bar.update(SAMPLES)
            taken = time.perf_counter() - start
            found = rate(learner, config)
            rows.append({"name": name, "seed": seed, "seconds": round(taken, 1), **found})
            tqdm.write(f"{name}, seed {seed}: {found['win_rate']:.3f} {found['interval']}")
    return rows


def markdown(results: dict[str, Any]) -> str:
    """The tables."""
    rows, where = results["speed"], results["machine"]
    base = next(row["samples_per_second"] for row in rows if row["name"] == BASE)
    lines = ["# Training speed", "", f"`{results['command']}`, commit {results['commit']}, "
             f"{results['date']}. {where['cpu']}, {where['cores']} cores.", "",
             f"{SAMPLES:,} samples a rollout, {SAME.epochs} epochs, minibatch {SAME.minibatch}, "
             f"trunk {' × '.join(map(str, SAME.trunk))} on features in all but the last row; "
             f"{results['threads']} torch threads; medians of {results['repeats']} rounds.", "",
             "| training | samples/s | smallest – largest | ratio | update alone |",
             "|---|---:|---:|---:|---:|"]  # fmt: skip
    lines += [
        f"| {r['name']} | {r['samples_per_second']:,.0f} | {r['low']:,.0f} – {r['high']:,.0f} "
        f"| {r['samples_per_second'] / base:.2f} | {r['update_alone']:,.0f} |"
        for r in rows
    ]
    if results.get("strength"):
        lines += ["", f"Win rate against greedy after {results['samples']:,} samples "
                  f"({results['games']:,} games, most probable move):", "",
                  "| training | seed | win rate | 95 % interval | mean score | seconds |",
                  "|---|---:|---:|---:|---:|---:|"]  # fmt: skip
        lines += [
            f"| {r['name']} | {r['seed']} | {r['win_rate']:.3f} | {r['interval'][0]:.3f} – "
            f"{r['interval'][1]:.3f} | {r['score']:.1f} | {r['seconds']:.0f} |"
            for r in results["strength"]
        ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training_speed",
                                     description=__doc__.splitlines()[0])  # fmt: skip
    parser.add_argument("--repeats", type=int, default=5, help="rounds; the median counts")
    parser.add_argument("--strength", action="store_true", help="also train and rate (long)")
    parser.add_argument("--samples", type=int, default=1_000_000, help="of each training")
    parser.add_argument("--games", type=int, default=1000, help="of each rating")
    parser.add_argument("--threads", type=int, default=0, help="torch threads; 0 for one a core")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads or torch.get_num_threads())
    words = sys.argv[1:] if arguments is None else arguments
    results: dict[str, Any] = {
        "command": " ".join(["python -m benchmarks.training_speed", *words]),
        "commit": commit(),
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib"),
        "threads": torch.get_num_threads(),
        "repeats": given.repeats,
        "samples": given.samples,
        "games": given.games,
        "speed": speed(given.repeats),
    }
    if given.strength:
        results["strength"] = strength(given.samples, given.games)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "training_speed.json").write_text(json.dumps(results, indent=1) + "\n")
    (given.out / "training_speed.md").write_text(markdown(results))
    print(markdown(results))
    print(f"wrote training_speed.json and training_speed.md into {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
