from pathlib import Path

import pytest

from eegbench.agents.registry import NAMES, agent_factory
from eegbench.config import Config, read_agent_config, read_config
from eegbench.errors import ConfigError

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def test_file_of_the_suite_states_the_defaults():
    assert read_config(CONFIGS / "eegagent.toml") == Config() == read_config()


def test_every_key_is_in_the_file_of_the_suite():
    text = (CONFIGS / "eegagent.toml").read_text()
    for part in (Config().limits, Config().tools, Config().run):
        for name in part.__struct_fields__:
            assert f"\n{name} = " in text


def test_every_agent_has_a_file():
    read = [read_agent_config(path) for path in (CONFIGS / "agents").glob("*.toml")]
    assert {one.agent for one in read} >= set(NAMES)


def test_unknown_key_lists_the_known(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("[limits]\nmax_turn = 3\n")
    with pytest.raises(
        ConfigError, match="'max_turn' in 'limits'; known: max_calls_per"
    ):
        read_config(path)
    path.write_text("[limit]\nmax_turns = 3\n")
    with pytest.raises(ConfigError, match="'limit'; known: limits, run, tools"):
        read_config(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[limits]\nmax_turns = 0\n", "field 'limits.max_turns': expected 'int' >= 1"),
        ("[run]\nseed = 'a'\n", "field 'run.seed': expected 'int', got 'str'"),
        ("[run\n", "not TOML"),
    ],
)
def test_wrong_value_names_file_and_key(tmp_path, text, message):
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_config(tmp_path / "none.toml")


def test_unknown_agent_and_option_list_the_known():
    with pytest.raises(ConfigError, match="'oracle'; known: rules, random, constant"):
        agent_factory("oracle")
    with pytest.raises(ConfigError, match="'random': unknown sed; it has none"):
        agent_factory("random", {"sed": 1})
    with pytest.raises(ConfigError, match="unknown field 'runs'; known: run"):
        agent_factory("replay", {"runs": "x"})
    with pytest.raises(ConfigError, match="no agent at nowhere:Agent"):
        agent_factory("nowhere:Agent")
