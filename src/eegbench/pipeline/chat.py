"""Commands on chat models: one model or a matrix, its estimate and its true cost."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from eegbench.config import Config, from_mapping
from eegbench.errors import ConfigError, EegbenchError
from eegbench.instances import Instance, SetFolder, read_set
from eegbench.models import (
    ChatRun,
    Estimate,
    Mode,
    TokensPerTask,
    estimate,
    folder_name,
    price_of,
    read_models,
    tokens_of_paper,
    tokens_of_run,
)
from eegbench.predictions import first_failure
from eegbench.prices import Price, PriceList, read_prices
from eegbench.progress import Tick, moves
from eegbench.records import JsonObject
from eegbench.report.paper_data import paper_table
from eegbench.report.tables import render

Talk = Callable[[str], None]
PROTOCOLS: dict[str, Literal["text", "native"]] = {"text": "text", "tools": "native"}


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """What ``run`` was told about chat models; None: not told."""

    model: str | None = None
    models: Path | None = None
    options: JsonObject | None = None
    """Of the chat agent, where one model is named."""
    generate: Sequence[str] = ()
    """``NAME=VALUE`` pairs: Inspect's generate options."""
    mode: Mode | None = None
    prices: Path | None = None
    max_cost_usd: float | None = None
    dry_run: bool = False
    tokens_from: Path | None = None
    cached_share: float | None = None


@dataclass(frozen=True)
class _Plan:
    """A run with what is known of it before it begins."""

    run: ChatRun
    path: Path
    price: Price | None
    estimate: Estimate


def run_chat_models(
    set_path: Path,
    output: Path,
    request: ChatRequest,
    *,
    settings: Config,
    choice: dict[str, Any],
    form: str,
    talk: Talk,
    tick: Tick,
) -> tuple[str, bool]:
    """Let chat models play a set, or say what that would cost.

    ``choice`` holds ``tasks``, ``limit`` and ``subset``, as for ``run_chat``.
    """
    from eegbench.runner import choose

    folder = read_set(set_path)
    chosen = choose(folder, **choice)
    prices = paper_prices() if request.prices is None else read_prices(request.prices)
    plans = _plans(request, output, folder, chosen, prices)
    if request.dry_run:
        return _told_before(plans, chosen, prices, request, form=form), False
    expected = sum(plan.estimate.cost_usd or 0.0 for plan in plans)
    if request.max_cost_usd is not None and expected > request.max_cost_usd:
        talk(
            f"estimated {expected:.2f} USD, more than --max-cost "
            f"{request.max_cost_usd:g}: the run is going to stop on the way"
        )
    rows: list[JsonObject] = []
    failed = False
    for plan in plans:
        if len(plans) > 1:
            talk(f"{plan.run.name}: {plan.run.options.model}, {plan.run.mode}")
        spent = sum(_spent(other) for other in plans if other is not plan)
        left = None if request.max_cost_usd is None else request.max_cost_usd - spent
        try:
            row, spoiled = _play(
                plan,
                set_path,
                _in_mode(settings, plan.run.mode),
                choice=choice,
                max_cost_usd=left,
                talk=talk,
                tick=tick,
            )
        except EegbenchError as error:
            if len(plans) == 1:
                raise
            talk(f"{plan.run.name}: {error}")
            row, spoiled = {"run": plan.run.name, "stopped": str(error)}, True
        rows.append(row)
        failed = failed or spoiled
    columns = (
        "run", "played", "failed", "before", "seconds", "input_tokens",
        "output_tokens", "cost_usd", "estimated_tokens", "estimated_usd", "stopped",
    )  # fmt: skip
    text = render(rows, form=form, columns=columns)
    if form != "table":
        return text, failed
    paths = " ".join(str(plan.path) for plan in plans)
    command = "score" if len(plans) == 1 else "report --format md"
    again = (
        "to go on: the same command again\n"
        if any(row.get("stopped") for row in rows)
        else ""
    )
    return f"{text}{again}next: eegbench {command} {paths}", failed


def paper_prices() -> PriceList:
    """Return the prices of the paper's Table 6."""
    table = paper_table("6")
    prices = {
        str(row["model"]): Price(
            input=float(row["input_usd_per_mtok"] or 0.0),
            output=float(row["output_usd_per_mtok"] or 0.0),
        )
        for row in table.rows
    }
    return PriceList(
        dated="as printed in the paper, which gives no date",
        origin=table.origin,
        prices=prices,
    )


def chat_options(given: Sequence[str]) -> JsonObject:
    """Read ``NAME=VALUE`` pairs; a value is JSON, or else a text."""
    told: JsonObject = {}
    for pair in given:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise ConfigError(f"cannot read {pair!r}; NAME=VALUE is needed")
        try:
            told[name] = json.loads(value)
        except ValueError:
            told[name] = value
    return told


def _plans(
    request: ChatRequest,
    output: Path,
    folder: SetFolder,
    chosen: Sequence[Instance],
    prices: PriceList,
) -> list[_Plan]:
    counts = Counter(item.task for item in chosen)
    earlier = None if request.tokens_from is None else _tokens_of(request.tokens_from)
    if request.models is not None:
        runs = read_models(request.models)
        if request.mode is not None:
            raise ConfigError("the modes stand in the models file; leave --mode out")
    else:
        runs = [_one_run(request)]
    return [
        _Plan(
            run=run,
            path=output / run.name if request.models is not None else output,
            price=(price := price_of(prices, run)),
            estimate=estimate(
                counts,
                earlier or _tokens_of_paper(run, folder),
                price,
                cached_share=request.cached_share,
            ),
        )
        for run in runs
    ]


def _one_run(request: ChatRequest) -> ChatRun:
    from eegbench.agents.chat import ChatOptions

    given = dict(request.options or {})
    if request.model is not None:
        given["model"] = request.model
    if request.generate:
        given["generate"] = given.get("generate", {}) | chat_options(request.generate)
    if "model" not in given:
        raise ConfigError("a chat agent needs a model; name it with --model")
    options = from_mapping(given, ChatOptions, "options of agent 'chat'")
    mode = request.mode or "text"
    return ChatRun(folder_name(options.model), mode, options, "", "")


def _tokens_of(run_path: Path) -> TokensPerTask:
    from eegbench.predictions import read_predictions

    told = tokens_of_run(read_predictions(run_path), f"run {run_path}, mean by task")
    if not told.by_task:
        raise ConfigError(f"no completed instance in {run_path}; name another run")
    return told


def _tokens_of_paper(run: ChatRun, folder: SetFolder) -> TokensPerTask:
    from eegbench.suites import suite

    counts = suite("eegagent").frozen_counts
    names = [name for name in (run.tokens_name, run.options.model, run.name) if name]
    return tokens_of_paper(paper_table("5").rows, counts, *names)


def _told_before(
    plans: Sequence[_Plan],
    chosen: Sequence[Instance],
    prices: PriceList,
    request: ChatRequest,
    *,
    form: str,
) -> str:
    rows: list[JsonObject] = [
        {
            "run": plan.run.name,
            "model": plan.run.options.model,
            "mode": plan.run.mode,
            "n": len(chosen),
            "input_mtok": plan.estimate.input_tokens / 1e6,
            "cached_mtok": plan.estimate.cached_input_tokens / 1e6,
            "output_mtok": plan.estimate.output_tokens / 1e6,
            "cost_usd": plan.estimate.cost_usd,
            "tokens_from": plan.estimate.source,
        }
        for plan in plans
    ]
    text = render(rows, form=form)
    if form != "table":
        return text
    known = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    unknown = [row["run"] for row in rows if row["cost_usd"] is None]
    lines = [
        text.rstrip("\n"),
        f"together {sum(known):.2f} USD; prices: {prices.origin}, {prices.dated}",
    ]
    if unknown:
        lines.append(f"without a price, not in the sum: {', '.join(unknown)}")
    if request.max_cost_usd is not None and sum(known) > request.max_cost_usd:
        lines.append(f"more than --max-cost {request.max_cost_usd:g}: it would stop")
    return "\n".join(lines) + "\n"


def _in_mode(settings: Config, mode: Mode) -> Config:
    run = msgspec.structs.replace(settings.run, protocol=PROTOCOLS[mode])
    return msgspec.structs.replace(settings, run=run)


def _spent(plan: _Plan) -> float:
    from eegbench.chat_runner import spent_before

    return spent_before(plan.path, plan.price)


def _play(
    plan: _Plan,
    set_path: Path,
    settings: Config,
    *,
    choice: dict[str, Any],
    max_cost_usd: float | None,
    talk: Talk,
    tick: Tick,
) -> tuple[JsonObject, bool]:
    """Play one run; return its line of the table, and whether it is not whole."""
    from eegbench.chat_runner import run_chat

    summary = run_chat(
        set_path,
        plan.path,
        options=plan.run.options,
        config=settings,
        price=plan.price,
        max_cost_usd=max_cost_usd,
        on_progress=moves(tick),
        **choice,
    )
    for note in summary.notes:
        talk(note)
    if summary.stopped:
        talk(f"{plan.run.name}: stopped: {summary.stopped}")
    elif summary.n_failed:
        talk(f"{plan.run.name}: {first_failure(plan.path)}")
    told = plan.estimate
    row = {
        "run": plan.run.name,
        "played": summary.n_played,
        "failed": summary.n_failed,
        "before": summary.n_skipped,
        "seconds": round(summary.elapsed_sec, 1),
        "input_tokens": summary.input_tokens,
        "output_tokens": summary.output_tokens,
        "cost_usd": summary.spent_usd,
        "estimated_tokens": round(told.input_tokens + told.output_tokens),
        "estimated_usd": told.cost_usd,
        "stopped": summary.stopped or "",
    }
    return row, bool(summary.n_failed or summary.stopped)
