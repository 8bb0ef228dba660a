"""The page of a full-size run: 1,072 instances, three agents; its size and its speed.

    python benchmarks/bench_page.py FOLDER

Makes in FOLDER the simulated set with the frozen set's counts (instances share the
recordings of the demo), runs rules, random and constant on it (what is done is kept),
writes FOLDER/report.html, and opens it in the system's Chromium. The first run takes
some minutes, nearly all of them in the rules. Musts: 15 MB, open in 2 s.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import msgspec

from eegbench import pipeline
from eegbench.instances import SetInfo, read_set, write_set
from eegbench.references import read_references, write_references
from eegbench.suites.eegagent.demo import build_demo
from eegbench.suites.eegagent.tasks import SUITE
from page_browser import launched, open_page, watch

AGENTS = ("rules", "random", "constant")
ROUNDS = 5
LOADED = """() => {
  const entry = performance.getEntriesByType('navigation')[0];
  return entry.loadEventEnd;
}"""


def full_size_set(folder: Path) -> Path:
    """Write 1,072 instances that share the demo's recordings; return the set."""
    out = folder / "set"
    if (out / "set.json").is_file():
        return out
    build_demo(folder / "demo")
    demo = read_set(folder / "demo")
    references = read_references(folder / "demo")
    instances, truths = [], []
    for task, count in SUITE.frozen_counts.items():
        mine = [row for row in demo if row.task == task]
        for number in range(count):
            model = mine[number % len(mine)]
            truth = references[model.instance_id]
            name, part = f"{task}-{number:03d}", number // len(mine)
            recording = model.recording
            if recording is not None:
                recording = str((folder / "demo" / recording).absolute())
            replaced = msgspec.structs.replace
            instances.append(replaced(model, instance_id=name, recording=recording))
            renamed = {
                field: f"{getattr(truth, field)}-{part}"
                for field in ("subject", "group")
                if getattr(truth, field) is not None
            }
            truths.append(replaced(truth, instance_id=name, **renamed))
    write_references(out, truths)
    write_set(out, SetInfo(suite="eegagent", simulated=True), instances)
    return out


def silent(*_: object) -> None:
    """Say nothing."""


def opened(page_path: Path) -> list[dict[str, float]]:
    """Return seconds of opening the page and of what a reader does first."""
    rounds = []
    with launched() as browser:
        for _ in range(ROUNDS):
            watched = watch(browser)
            began = time.perf_counter()
            page = open_page(watched, page_path)
            page.wait_for_selector("#case-rows tr")
            wall = time.perf_counter() - began
            load = page.evaluate(LOADED) / 1000

            began = time.perf_counter()
            page.select_option("#filter-task", "T6")
            page.wait_for_function("document.querySelector('#case-rows').rows[0]")
            filtered = time.perf_counter() - began
            began = time.perf_counter()
            page.locator("#case-rows a").first.click()
            page.wait_for_selector("#case-detail svg.picture")
            case = time.perf_counter() - began
            assert not watched.foreign, watched.foreign
            assert not watched.complaints, watched.complaints
            rounds.append(
                {"open": wall, "load event": load, "filter": filtered, "a case": case}
            )
            page.context.close()
    return rounds


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chosen = full_size_set(folder)
    runs = [folder / "runs" / agent for agent in AGENTS]
    for agent, run in zip(AGENTS, runs, strict=True):
        began = time.perf_counter()
        pipeline.run_agent(chosen, agent, run, workers=1, talk=silent, tick=silent)
        print(f"{agent}: run {time.perf_counter() - began:.1f} s", flush=True)
    page = folder / "report.html"
    began = time.perf_counter()
    pipeline.report(runs, page, set_path=None, form="html", rounds=1000, talk=silent)
    print(f"report: scored and written in {time.perf_counter() - began:.1f} s")
    print(f"size: {page.stat().st_size / 1e6:.2f} MB (must: 15)")
    told = opened(page)
    for name in told[0]:
        seconds = [row[name] for row in told]
        print(
            f"{name}: median {statistics.median(seconds):.2f} s, "
            f"{min(seconds):.2f} to {max(seconds):.2f} (must of open: 2)"
        )


if __name__ == "__main__":
    main()
