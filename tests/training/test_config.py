"""Configs: files, overrides, and errors that name the field and what is allowed."""

from pathlib import Path

import pytest

from castle_envs.engine.errors import OptionError
from training.config import TrainConfig, config_from_command_line, read_config, write_config
from training.train import main

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda p: p.stem)
def test_shipped_configs_are_read(path):
    assert isinstance(read_config(path), TrainConfig)


def test_round_trip(tmp_path):
    config = TrainConfig(players=(2, 3), seed=7, options={})
    write_config(config, tmp_path / "c.yaml")
    assert read_config(tmp_path / "c.yaml") == config


def test_command_line_overrides_the_file():
    path = CONFIGS / "chateau_combo_quickstart.yaml"
    config, found = config_from_command_line(["--config", str(path), "--seed", "5"])
    assert found == path and config.seed == 5
    assert config.trunk == read_config(path).trunk


def test_options_of_the_game_on_the_command_line():
    line = ["--options", "{castles: random, expansion: true}", "--game", "castle_up"]
    config, _ = config_from_command_line(line)
    assert config.options == {"castles": "random", "expansion": True}
    with pytest.raises(SystemExit):
        config_from_command_line(["--options", "castles"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("learning_rat: 0.1", ["learning_rat", "known fields", "learning_rate"]),
        ("num_envs: many", ["num_envs", "integer", "many"]),
        ("algorithm: dqn", ["algorithm", "ppo", "maskable_ppo"]),
        ("players: 2", ["players"]),
        ("- 3", ["field: value"]),
    ],
)
def test_wrong_fields_are_named(tmp_path, line, words):
    (tmp_path / "c.yaml").write_text(line)
    with pytest.raises(OptionError) as error:
        read_config(tmp_path / "c.yaml")
    for word in words:
        assert word in str(error.value)


def test_missing_file():
    with pytest.raises(OptionError, match="nowhere"):
        read_config(Path("nowhere.yaml"))


def test_help_explains_every_field(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out.replace("-", "_")
    for name in TrainConfig.__dataclass_fields__:
        assert name in text


def test_bad_players_are_an_error(capsys, tmp_path):
    assert main([f"--run={tmp_path / 'r'}", "--players", "7"]) == 2
    assert "num_players must be 2 to 5" in capsys.readouterr().err
