"""Many models: the matrix, prices, estimates, subsets."""

import json
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.sets import instance, make_set
from eegbench.agents import Usage
from eegbench.cli import main
from eegbench.errors import ConfigError
from eegbench.models import (
    estimate,
    price_of,
    read_models,
    tokens_of_paper,
    tokens_of_run,
)
from eegbench.pipeline.chat import paper_prices
from eegbench.predictions import Prediction
from eegbench.prices import Price, read_prices
from eegbench.report.paper_data import paper_table
from eegbench.subset import choose_subset, shares, standard_error

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
MATRIX = """
[defaults]
connections = 4
[[models]]
model = "openai/gpt-5.5"
modes = ["text", "tools"]
generate = { temperature = 0.5 }
[[models.variants]]
name = "low"
generate = { reasoning_effort = "low" }
[[models.variants]]
name = "high"
[[models]]
name = "own"
model = "openai-api/x/y"
base_url = "http://127.0.0.1:1/v1"
connections = 2
"""


def models_file(path: Path, text: str) -> Path:
    file = path / "models.toml"
    file.write_text(text)
    return file


def test_matrix_is_models_by_variants_by_modes(tmp_path):
    runs = read_models(models_file(tmp_path, MATRIX))
    assert [(run.name, run.mode) for run in runs] == [
        ("gpt-5.5-low-text", "text"),
        ("gpt-5.5-low-tools", "tools"),
        ("gpt-5.5-high-text", "text"),
        ("gpt-5.5-high-tools", "tools"),
        ("own", "text"),
    ]
    assert runs[0].options.generate == {"temperature": 0.5, "reasoning_effort": "low"}
    assert runs[2].options.generate == {"temperature": 0.5}
    assert [run.options.connections for run in runs] == [4, 4, 4, 4, 2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no models"),
        ("[[models]]", "model 1: field 'model' is missing"),
        ("[[models]]\nmodel = 'a/b'\ntemperature = 1", "known: .*generate"),
        ("[[model]]\nmodel = 'a/b'", "unknown model; known: defaults, models"),
        ("[[models]]\nmodel = 'a/b'\nmodes = ['chat']", "modes"),
        ("[[models]]\nmodel = 'a/b'\n[[models]]\nmodel = 'c/b'", "share the folder b"),
        ("[[models", "not TOML"),
    ],
)
def test_wrong_models_files_are_refused(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        read_models(models_file(tmp_path, text))


def test_missing_models_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*No such file"):
        read_models(tmp_path / "nothing.toml")


def test_example_files_are_read_and_agree():
    runs = read_models(CONFIGS / "models.example.toml")
    prices = read_prices(CONFIGS / "prices.toml")
    assert prices.prices == paper_prices().prices
    assert price_of(prices, runs[0]) == Price(input=5.0, output=30.0)
    assert price_of(prices, runs[-1]) is None


def test_cached_input_has_its_own_price():
    usage = Usage(
        input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=100_000
    )
    assert Price(input=2.0, output=10.0).cost_usd(usage) == pytest.approx(3.0)
    cheap = Price(input=2.0, output=10.0, input_cache_read=0.5)
    assert cheap.cost_usd(usage) == pytest.approx(1.2 + 0.2 + 1.0)


def test_prices_in_inspects_own_form_are_read(tmp_path):
    four = {"input": 1, "output": 2, "input_cache_write": 3, "input_cache_read": 0.1}
    (tmp_path / "p.json").write_text(json.dumps({"openai/gpt-5.5": four}))
    prices = read_prices(tmp_path / "p.json")
    found = prices.find("openrouter/GPT 5.5")
    assert found is None  # another name
    found = prices.find("openai/gpt-5.5")
    assert found is not None
    assert found.for_inspect() == four
    assert prices.dated == "undated"


def test_named_price_must_be_listed(tmp_path):
    text = "[[models]]\nmodel = 'a/b'\nprice = 'GPT-9'"
    (run,) = read_models(models_file(tmp_path, text))
    with pytest.raises(ConfigError, match=r"no price 'GPT-9'.*known: .*GPT-5.5"):
        price_of(paper_prices(), run)


def test_estimate_from_the_paper_is_its_cost_for_the_full_set():
    counts = {"T1": 38, "T2": 300, "T3": 188, "T4": 69, "T5": 280, "T6": 197}
    told = tokens_of_paper(paper_table("5").rows, counts, "openai/gpt-5.5")
    whole = estimate(counts, told, paper_prices().find("GPT-5.5"))
    # 122.7 M input and 2.9 M output at 5 and 30 USD (Tables 5 and 6, equation 9)
    assert whole.input_tokens == pytest.approx(122.7e6)
    assert whole.cost_usd == pytest.approx(122.7 * 5 + 2.9 * 30, abs=0.01)
    assert "GPT-5.5" in whole.source
    half = estimate(counts, told, Price(input=1, output=0, input_cache_read=0),
                    cached_share=0.5)  # fmt: skip
    assert half.cost_usd == pytest.approx(122.7 / 2, abs=0.01)
    unknown = tokens_of_paper(paper_table("5").rows, counts, "nobody/knows")
    assert unknown.source.startswith("paper, Table 5: median of 29 models")


def test_estimate_from_a_run_is_by_task():
    def row(task: str, tokens: int, status: str = "completed") -> Prediction:
        return Prediction(
            instance_id=f"{task}{tokens}", task=task, agent="chat", status=status,  # type: ignore[arg-type]
            ended="answer", input_tokens=tokens, output_tokens=1,
        )  # fmt: skip

    told = tokens_of_run(
        [row("T1", 10), row("T1", 30), row("T6", 500), row("T6", 9, "failed")], "a run"
    )
    whole = estimate({"T1": 2, "T6": 3}, told, None)
    assert (whole.input_tokens, whole.output_tokens) == (2 * 20 + 3 * 500, 5)
    assert whole.cost_usd is None
    assert estimate({"T4": 1}, told, None).input_tokens == 260  # mean of the tasks


@pytest.mark.parametrize(
    ("totals", "size", "given"),
    [
        ({"a": 10, "b": 10}, 6, {"a": 3, "b": 3}),
        ({"a": 2, "b": 100, "c": 100}, 20, {"a": 2, "b": 9, "c": 9}),
        ({"a": 2, "b": 3}, 50, {"a": 2, "b": 3}),
        ({"a": 5, "b": 5}, 3, {"a": 2, "b": 1}),
    ],
)
def test_strata_get_equal_shares_up_to_what_they_have(totals, size, given):
    assert shares(totals, size) == given


def test_subset_is_fixed_stratified_and_spread_along_the_length():
    rows = [
        instance(i, task, duration_sec=float(i))
        for task in ("T3", "T5")
        for i in range(100)
    ]
    subset = choose_subset(rows, 20)
    turned = choose_subset(list(reversed(rows)), 20)
    assert subset.instance_ids == turned.instance_ids
    assert subset.instance_ids != choose_subset(rows, 20, seed=2).instance_ids
    assert subset.counts == {"T3": (10, 100), "T5": (10, 100)}
    lengths = sorted(int(name[-4:]) for name in subset.instance_ids if "T3" in name)
    assert all(b - a == 10 for a, b in pairwise(lengths))
    # 0.5 / sqrt(10) * sqrt(90 / 99), and two tasks of equal weight
    assert subset.task_errors["T3"] == pytest.approx(0.15076, abs=1e-5)
    assert subset.overall_error == pytest.approx(0.15076 / 2**0.5, abs=1e-5)
    assert "at most 0.107" in subset.text()


def test_whole_set_has_no_error_of_sampling():
    assert standard_error(5, 5) == 0.0
    assert standard_error(1, 1) == 0.0


def test_subset_that_leaves_a_task_out_is_refused():
    rows = [instance(1, "T3"), instance(1, "T5")]
    with pytest.raises(ConfigError, match="2 tasks need at least one each"):
        choose_subset(rows, 1)


def test_dry_run_tells_the_cost_of_each_model_and_asks_nobody(tmp_path):
    folder = make_set(tmp_path / "set", [instance(i) for i in range(8)])
    file = models_file(tmp_path, MATRIX)
    words = ["run", str(folder), "--models", str(file), "--dry-run", "-o"]
    done = CliRunner().invoke(main, [*words, str(tmp_path / "runs"), "--max-cost", "1"])
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "runs").exists()
    assert "together" in done.stdout
    assert "without a price, not in the sum: own" in done.stdout
    assert "more than --max-cost 1: it would stop" in done.stdout
    told = CliRunner().invoke(
        main, [*words, str(tmp_path / "runs"), "--format", "json", "--subset", "4"]
    )
    rows = json.loads(told.stdout)
    assert [row["n"] for row in rows] == [4] * 5
    assert "standard error of the overall score at most" in told.stderr
    assert rows[0]["cost_usd"] > 0
    assert rows[4]["cost_usd"] is None


def test_options_of_chat_models_do_not_go_with_others(tmp_path):
    folder = make_set(tmp_path / "set", [instance(1)])
    words = ["run", str(folder), "-o", str(tmp_path / "run")]
    done = CliRunner().invoke(main, [*words, "--agent", "random", "--max-cost", "3"])
    assert done.exit_code == 1
    assert "do not go with agent 'random'" in done.stderr
    assert CliRunner().invoke(main, words).exit_code == 2


def test_price_file_says_when_it_was_true():
    told = tomllib.loads((CONFIGS / "prices.toml").read_text())
    assert told["dated"]
