import pytest

from bench_cases import labelled_case, night_case, seizure_case
from eegbench.analysis.cost import cost_usd, ended_rows, token_rows
from eegbench.analysis.errors_by import (
    artifact_axes,
    coverage_summary,
    duration_bins,
    evidence_coverage,
    seizure_errors,
    snr_response,
)
from eegbench.analysis.figures import snr_figure
from eegbench.analysis.measured import measured_values, spreads
from eegbench.analysis.models import (
    comparable,
    distribution_rows,
    family_rows,
    paper_axes,
    paper_errors,
    rank_group_rows,
    size_rows,
)
from eegbench.analysis.trajectories import (
    Call,
    call_counts,
    calls_of,
    covered_share,
    looked_at,
    merge_spans,
    overlaps,
    quantile,
    tool_use,
)
from eegbench.report.paper_data import paper_table

WINDOWED = "compute_windowed_features"


def windowed(start: float, stop: float, window_sec: float, **answer: object) -> Call:
    arguments = {"tmin": start, "tmax": stop, "window_sec": window_sec}
    return Call(WINDOWED, arguments, answer, 1)


def test_looked_at_is_the_union_of_fine_enough_calls() -> None:
    calls = [
        windowed(0, 100, 10),
        windowed(90, 200, 5),
        windowed(500, 900, 400),
        Call("compute_psd", {"tmin": 300, "tmax": 330}, {}, 1),
        Call("compute_psd", {}, {}, 1),
    ]
    assert looked_at(calls, 1000, resolution_sec=60) == [(0, 200), (300, 330)]
    assert covered_share([(0, 200), (300, 330)], 1000) == pytest.approx(0.23)


def test_refused_calls_and_descriptions_show_nothing() -> None:
    calls = [
        windowed(0, 100, 10, error="too large", code="budget"),
        Call("get_channel_list", {}, {}, 1),
    ]
    assert looked_at(calls, 1000, resolution_sec=60) == []


def test_the_answer_says_what_was_measured_not_the_argument() -> None:
    answer = {"time_range": [0, 800], "window_sec": 20}
    call = Call(WINDOWED, {"tmin": -10, "tmax": 5000, "window_sec": 5}, answer, 1)
    assert looked_at([call], 1000, resolution_sec=20) == [(0, 800)]
    assert looked_at([call], 1000, resolution_sec=19) == []


def test_arguments_of_any_kind_do_no_harm() -> None:
    odd = Call(WINDOWED, {"tmin": "x", "tmax": None, "window_sec": [1]}, {}, 1)
    assert looked_at([odd], 100, resolution_sec=5) == [(0, 100)]


def test_spans_that_touch_are_one() -> None:
    assert merge_spans([(5, 6), (0, 5), (8, 9)]) == [(0, 6), (8, 9)]
    assert covered_share([], 0) is None
    assert not overlaps((0, 5), [(5, 6)])


def test_tool_use_counts_episodes_not_calls() -> None:
    psd = Call("compute_psd", {}, {}, 1)
    refused = Call("compute_psd", {}, {"error": "no"}, 1)
    rows = tool_use([("T3", [psd, refused]), ("T3", []), ("T5", [psd])])
    assert rows[0] == {
        "task": "T3",
        "tool": "compute_psd",
        "use_rate": 0.5,
        "calls": 2,
        "refused": 1,
        "n": 2,
    }
    assert call_counts([("T3", 2), ("T3", 0)])[0]["median"] == 1


def test_quantile_interpolates_like_numpy() -> None:
    values = [3.0, 1.0, 2.0, 10.0]
    assert quantile(values, 0.25) == 1.75
    assert quantile([4.0], 0.9) == 4.0


def test_calls_of_reads_the_events_of_a_transcript() -> None:
    events = [
        {"event": "reply", "turn": 1},
        {
            "event": "tools",
            "turn": 1,
            "calls": [
                {"name": "compute_psd", "arguments": {}, "answer": {"error": ""}}
            ],
        },
    ]
    assert [call.refused for call in calls_of(events)] == [True]


def test_snr_response_has_a_row_per_level_and_one_for_clean() -> None:
    cases = [
        labelled_case("T2", "ocular", "ocular", snr_db=2),
        labelled_case("T2", "ocular", "clean", snr_db=2),
        labelled_case("T2", "ocular", "ocular", snr_db=-7),
        labelled_case("T2", "clean", "muscle"),
        labelled_case("T2", "muscle", None, outcome="failed", snr_db=0),
    ]
    rows = {(row["artifact"], row["snr_db"]): row for row in snr_response(cases)}
    assert rows["ocular", 2.0]["accuracy"] == 0.5
    assert rows["ocular", -7.0]["accuracy"] == 1.0
    assert rows["clean", None]["accuracy"] == 0.0
    assert ("muscle", 0.0) not in rows


def test_artifact_axes_split_detection_specificity_and_confusion() -> None:
    cases = [
        labelled_case("T2", "ocular", "muscle", snr_db=0),
        labelled_case("T2", "muscle", "muscle", snr_db=0),
        labelled_case("T2", "muscle", "clean", snr_db=0),
        labelled_case("T2", "muscle", None, snr_db=0),
        labelled_case("T2", "clean", "clean"),
    ]
    row = artifact_axes(cases)
    assert row is not None
    assert row["detection_rate"] == 0.5
    assert row["type_confusion"] == 0.5
    assert row["clean_accuracy"] == 1.0
    assert artifact_axes([]) is None


def test_duration_bins_are_half_open() -> None:
    cases = [night_case(hours=7.99, score=0.2), night_case(hours=8.0, score=0.6)]
    assert [(row["from_h"], row["macro_f1"]) for row in duration_bins(cases)] == [
        (0.0, 0.2),
        (8.0, 0.6),
    ]


def test_a_miss_needs_a_seizure_record_without_any_overlap() -> None:
    cases = [
        seizure_case([(100, 150)], [(149, 160)]),
        seizure_case([(100, 150), (900, 950)], [(200, 210)]),
        seizure_case([], []),
        seizure_case([], [(5, 10)]),
    ]
    row = seizure_errors(cases)
    assert row is not None
    assert (row["miss_rate"], row["over_alarm_rate"]) == (0.5, 0.5)


def test_misses_are_split_into_never_looked_and_misjudged() -> None:
    case = seizure_case([(100, 150), (500, 550), (900, 950)], [(130, 140)])
    calls = [windowed(0, 600, 10)]
    row = evidence_coverage(case, calls, resolution_sec=60)
    assert row is not None
    assert (row["n_hit"], row["n_misjudged"], row["n_never_looked"]) == (1, 1, 1)
    assert row["coverage"] == pytest.approx(600 / 3600)
    summary = coverage_summary([row])
    assert summary[0]["n_events"] == 3


def test_measured_values_are_averaged_over_channels_and_windows() -> None:
    answer = {
        "record_id": "r",
        "n_channels": 2,
        "channels": [
            {"channel": "C3", "rms_uv": 1.0, "relative_power": {"alpha": 0.2}},
            {"channel": "C4", "rms_uv": 3.0, "relative_power": {"alpha": None}},
        ],
    }
    windows = {"channels": [{"windows": [{"rms_uv": 9.0, "t_start": 0.0}]}]}
    values = measured_values(
        [Call("compute_band_power", {}, answer, 1), Call(WINDOWED, {}, windows, 1)]
    )
    assert values == {"rms_uv": 2.0, "relative_power.alpha": 0.2}


def test_spreads_keep_what_separates_the_classes() -> None:
    rows = [("a", {"x": 0.0, "y": 5.0}), ("a", {"x": 0.1, "y": 1.0})]
    rows += [("b", {"x": 9.0, "y": 5.0}), ("b", {"x": 9.1, "y": 1.0})]
    found = spreads(rows, most=1)
    assert list(found) == ["x"]
    assert [(each.name, each.n) for each in found["x"]] == [("a", 2), ("b", 2)]
    assert spreads([("a", {"x": 1.0})]) == {}


def test_cost_is_tokens_times_price() -> None:
    # paper equation 9 on the figures of tables 5 and 6 for MiniMax-M3
    rows = [{"input_tokens": 273_000_000, "output_tokens": 9_900_000}]
    price = {"input_usd_per_mtok": 0.30, "output_usd_per_mtok": 1.20}
    assert cost_usd(rows, price) == pytest.approx(93.78)
    assert cost_usd(rows, None) is None


def test_rows_of_endings_and_tokens_leave_out_what_never_ran() -> None:
    cases = [seizure_case([], []), seizure_case([], [], outcome="missing")]
    assert [row["n"] for row in token_rows(cases)] == [1]
    assert {row["ended"]: row["n"] for row in ended_rows(cases)} == {
        "answer": 1,
        "never run": 1,
    }


def test_a_run_compares_with_the_papers_models_only_complete_and_paper_like() -> None:
    told = {"condition": "paper-like", "complete": True}
    assert comparable(told)
    assert not comparable({**told, "complete": False})
    assert not comparable({**told, "condition": "default"})


def test_the_spread_of_the_papers_models_is_that_of_its_text() -> None:
    # paper section 6.5: medians of the 29 models
    medians = {row["task"]: row["median"] for row in distribution_rows()}
    stated = {
        row["task"]: row["value"]
        for row in paper_table("findings").rows
        if row["topic"] == "distribution"
    }
    assert medians == stated


def test_size_matters_within_a_family_and_over_all_models() -> None:
    rows = {row["family"]: row for row in family_rows()}
    assert set(rows) == {"all models", "Qwen", "ERNIE", "DeepSeek"}
    assert (rows["Qwen"]["smallest_b"], rows["Qwen"]["largest_b"]) == (1.7, 397.0)
    assert 0.1 < rows["Qwen"]["change_per_tenfold"] < 0.15
    assert rows["all models"]["n"] == 21
    assert len(size_rows()) == 29


def test_rank_groups_are_the_best_and_the_worst_runs_of_each_task() -> None:
    runs = [
        (f"a{k}", {"T5": k / 20, "T6": None}, {"T5": [k, k, 100 * k]})
        for k in range(12)
    ]
    rows = rank_group_rows(runs)
    ours = [row for row in rows if row["source"] == "runs"]
    assert [(row["task"], row["group"]) for row in ours] == [
        ("T5", "top 5"),
        ("T5", "bottom 5"),
    ]
    assert ours[0]["agents"] == "a11, a10, a9, a8, a7"
    assert ours[0]["n_episodes"] == 15
    assert ours[1]["median_calls"] == 3
    stated = {(r["task"], r["group"]): r["median_calls"] for r in rows if r not in ours}
    assert stated["T6", "bottom 5"] == 0
    assert len(rank_group_rows(runs[:1])) == 4


def test_what_the_paper_states_stands_beside_our_errors() -> None:
    errors = {row["agent"]: row for row in paper_errors()}
    assert errors["GLM-5.1"]["over_alarm_rate"] == 0.964
    axes = {row["agent"]: row for row in paper_axes()}
    assert axes["DeepSeek-V3.2"]["clean_accuracy"] == 0.19


def test_contaminated_segments_without_a_level_break_no_figure() -> None:
    pytest.importorskip("matplotlib")
    cases = [labelled_case("T2", "ocular", "ocular"), labelled_case("T2", "clean", "x")]
    rows = [{"agent": "a", **row} for row in snr_response(cases)]
    assert {row["snr_db"] for row in rows} == {None}
    assert len(snr_figure(rows).axes) == 2
