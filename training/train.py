"""Train a policy: `python -m training.train --config configs/chateau_combo_quickstart.yaml`.

`--help` explains every field of the config. `--resume RUN` goes on with an interrupted run.
"""

import sys
import time
from pathlib import Path
from typing import Any, Protocol

import torch
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from castle_envs.agents import resolve
from castle_envs.agents.networks import PolicyNetwork
from castle_envs.agents.policy import PolicyAgent, save_policy
from castle_envs.engine.errors import CastleEnvsError, CheckpointError
from castle_envs.engine.game import Game
from castle_envs.engine.layout import Layout
from castle_envs.evaluation.match import play_match
from castle_envs.evaluation.tournament import bootstrap_interval
from training.config import TrainConfig, command, config_from_command_line
from training.run import Run, commit, start_from


class Learner(Protocol):
    """What both algorithms offer to the loop below."""

    game: Game
    layout: Layout
    network: PolicyNetwork
    samples: int

    def iterate(self) -> dict[str, float]:
        """One round of playing and learning; returns what there is to log."""
        ...

    def state(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """What `set_state` continues from."""
        ...

    def set_state(
        self, tensors: dict[str, torch.Tensor], facts: dict[str, Any], samples: int
    ) -> None:
        """Continue where `state` was taken."""
        ...


def make_learner(config: TrainConfig) -> Learner:
    """The learner of the config's algorithm."""
    if config.algorithm == "maskable_ppo":
        from training.maskable import MaskableLearner

        return MaskableLearner(config)
    from training.ppo import PPO

    return PPO(config)


def rate(learner: Learner, config: TrainConfig) -> dict[str, Any]:
    """Most-probable play against the anchor, by the smallest player count of the config."""
    agent = PolicyAgent(learner.game, learner.layout, learner.network, name="learner")
    anchor = resolve(config.evaluate_against, learner.game)
    players = min(config.players)
    deals = -(-config.evaluate_games // players)
    lineup = [agent] + [anchor] * (players - 1)
    match = play_match(learner.game, lineup, deals, seed=1, **config.options)
    learner.network.train()
    share = match.share[:, :, 0]
    return {
        "against": config.evaluate_against,
        "players": players,
        "games": match.games,
        "win_rate": round(float(share.mean()), 4),
        "interval": [round(x, 4) for x in bootstrap_interval(share.mean(axis=1))],
        "score": round(float(match.score[:, :, 0].mean()), 2),
    }


def strength(rating: dict[str, Any]) -> float:
    """What "best" means: the win rate, and a hundredth of a point for every score point."""
    return float(rating["win_rate"] + rating["score"] / 100)


def train(run: Run, learner: Learner, facts: dict[str, Any]) -> None:
    """Learn until the samples are used up; evaluate and save on the way."""
    config = run.config
    seconds, best = facts.get("seconds", 0.0), facts.get("best", float("-inf"))
    writer = SummaryWriter(str(run.folder / "tensorboard"), purge_step=learner.samples)
    bar = tqdm(
        total=config.total_samples,
        initial=learner.samples,
        unit="sample",
        unit_scale=True,
        desc=run.folder.name,
        disable=None,
        mininterval=1.0,
    )
    shown: dict[str, Any] = {}
    due = learner.samples + config.evaluate_every if learner.samples else 0
    start = time.perf_counter()
    while learner.samples < config.total_samples or due == 0:
        if due:
            before = learner.samples
            numbers = learner.iterate()
            if "score" in numbers:
                shown["score"] = round(numbers["score"], 1)
            bar.set_postfix(shown, refresh=False)
            bar.update(learner.samples - before)
            for name, value in numbers.items():
                writer.add_scalar(f"train/{name}", value, learner.samples)
        if learner.samples >= due or learner.samples >= config.total_samples:
            now = time.perf_counter()
            seconds, start = seconds + now - start, now
            rating = rate(learner, config)
            line = {"samples": learner.samples, "seconds": round(seconds, 2), **rating}
            run.log(line)
            for name in ("win_rate", "score"):
                writer.add_scalar(f"evaluate/{name}", rating[name], learner.samples)
            shown["win_rate"] = rating["win_rate"]
            bar.set_postfix(shown)
            tqdm.write(
                f"{learner.samples:>12,} samples, {seconds:7.0f} s: win rate against "
                f"{rating['against']} {rating['win_rate']:.3f}, score {rating['score']:.1f}"
            )
            better = strength(rating) > best
            best = max(best, strength(rating))
            save(run, learner, line, better, {"seconds": seconds, "best": best})
            due = learner.samples + config.evaluate_every
            # Rating is not part of training time: the curve's seconds are those of learning.
            start = time.perf_counter()
    bar.close()
    writer.close()


def save(
    run: Run, learner: Learner, rating: dict[str, Any], best: bool, facts: dict[str, Any]
) -> None:
    """A checkpoint with its resume state."""
    about = {
        "algorithm": run.config.algorithm,
        "command": command(),
        "commit": commit(),
        "rating": rating,
    }
    tensors, own = learner.state()
    run.save(
        learner.samples,
        best,
        lambda folder: save_policy(folder, learner.game, learner.layout, learner.network, about),
        tensors,
        {**facts, "learner": own},
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if "--resume" in arguments:
            if len(arguments) != 2 or arguments[0] != "--resume":
                raise CheckpointError("--resume takes the run folder and nothing else")
            run = Run.open(Path(arguments[1]))
        else:
            config, path = config_from_command_line(arguments)
            run = Run.create(config, path.stem if path else config.game)
        torch.set_num_threads(run.config.threads or torch.get_num_threads())
        learner = make_learner(run.config)
        facts: dict[str, Any] = {}
        if "--resume" in arguments:
            tensors, facts = run.load()
            try:
                learner.set_state(tensors, facts["learner"], facts["samples"])
            except (KeyError, RuntimeError, ValueError, TypeError) as problem:
                raise CheckpointError(f"cannot resume {run.folder}: {problem}") from problem
            run.truncate_log(facts["samples"])
        elif run.config.start:
            start_from(run.config.start, learner.game, learner.layout, learner.network)
        train(run, learner, facts)
    except CastleEnvsError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\ninterrupted; go on with: python -m training.train --resume {run.folder}")
        return 130
    print(f"trained {learner.samples:,} samples; checkpoints: {run.folder}/best and /latest")
    return 0


if __name__ == "__main__":
    sys.exit(main())
