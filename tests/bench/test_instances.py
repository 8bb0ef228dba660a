import json
from itertools import pairwise

import pytest

from bench.sets import instance, make_set
from eegbench.errors import SetError
from eegbench.instances import (
    SetInfo,
    instance_seed,
    opaque_id,
    read_set,
    recording_path,
    shown_id,
    write_set,
)
from eegbench.records import write_rows

KEY = "00112233445566778899aabbccddeeff"


def test_set_survives_a_round_trip(tmp_path):
    rows = [instance(1), instance(2, "T1"), instance(3, "T5"), instance(4, "T6")]
    write_set(tmp_path, SetInfo(suite="eegagent", counts={"T3": 1}), rows)
    read = read_set(tmp_path)
    assert list(read) == rows
    assert read.info.counts == {"T3": 1}
    assert read.notes == ()


def test_checksum_follows_the_instances_and_not_the_references(tmp_path):
    first = read_set(make_set(tmp_path / "a", [instance(1)])).checksum
    (tmp_path / "a/references/references.jsonl").unlink()
    assert read_set(tmp_path / "a").checksum == first
    assert read_set(make_set(tmp_path / "b", [instance(2)])).checksum != first


def test_last_line_cut_in_the_middle_is_left_out_and_named(tmp_path):
    make_set(tmp_path, [instance(1), instance(2)])
    path = tmp_path / "instances.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    read = read_set(tmp_path)
    assert len(read) == 1
    assert "line 2 is cut" in read.notes[0]
    assert "read up to line 1" in read.notes[0]


def test_last_line_without_an_end_is_read(tmp_path):
    make_set(tmp_path, [instance(1), instance(2)])
    path = tmp_path / "instances.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    assert len(read_set(tmp_path)) == 2
    assert read_set(tmp_path).notes == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_epochs": "20"}, "field 'n_epochs': expected 'int | null', got 'str'"),
        ({"labell": "S"}, "unknown field 'labell'; known: answer_schema, context,"),
        ({"question": None}, "field 'question': expected 'str', got 'null'"),
        ({"task": ...}, "field 'task' is missing"),
    ],
)
def test_wrong_field_names_file_line_and_field(tmp_path, change, message):
    make_set(tmp_path, [instance(1), instance(2), instance(3)])
    path = tmp_path / "instances.jsonl"
    lines = path.read_text().splitlines()
    row = {**json.loads(lines[1]), **change}
    lines[1] = json.dumps({k: v for k, v in row.items() if v is not ...})
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SetError) as caught:
        read_set(tmp_path)
    assert f"{path}, line 2: {message}" in str(caught.value)


@pytest.mark.parametrize("junk", [b"{", b"\xff\xfe", b"[1]", b"[" * 100_000])
def test_line_that_is_no_json_is_named(tmp_path, junk):
    make_set(tmp_path, [instance(1)])
    path = tmp_path / "instances.jsonl"
    path.write_bytes(junk + b"\n" + path.read_bytes())
    with pytest.raises(SetError, match="line 1: "):
        read_set(tmp_path)


def test_doubled_ids_are_listed(tmp_path):
    with pytest.raises(SetError, match="stand there twice: T3/0001"):
        write_set(tmp_path, SetInfo(suite="s"), [instance(1), instance(1)])
    make_set(tmp_path, [instance(1)])
    write_rows(tmp_path / "instances.jsonl", [instance(1), instance(2), instance(1)])
    with pytest.raises(SetError, match="twice: T3/0001"):
        read_set(tmp_path)


def test_missing_folder_empty_set_and_wrong_condition(tmp_path):
    with pytest.raises(SetError, match=r"no set folder .*nowhere"):
        read_set(tmp_path / "nowhere")
    with pytest.raises(SetError, match="no such file or directory"):
        read_set(tmp_path)
    make_set(tmp_path, [instance(1)])
    (tmp_path / "instances.jsonl").write_bytes(b"")
    with pytest.raises(SetError, match="no instance"):
        read_set(tmp_path)
    (tmp_path / "set.json").write_text('{"suite": "s", "condition": "paper"}')
    with pytest.raises(
        SetError, match=r"'condition'.*allowed: 'default', 'paper-like'"
    ):
        read_set(tmp_path)


def test_recording_lies_in_the_set_folder_unless_absolute(tmp_path):
    inside = instance(recording="recordings/a.edf")
    assert recording_path(tmp_path, inside) == tmp_path / "recordings/a.edf"
    outside = instance(recording="/data/a.edf")
    assert str(recording_path(tmp_path, outside)) == "/data/a.edf"
    assert recording_path(tmp_path, instance()) is None


def test_opaque_ids_differ_by_key_and_do_not_follow_the_order_of_ids():
    ids = [opaque_id(f"T3/{number:04d}", KEY) for number in range(500)]
    assert len(set(ids)) == 500
    assert all(name.startswith("rec-") and len(name) == 14 for name in ids)
    assert ids[0] != opaque_id("T3/0000", "ff" * 16)
    n_rising = sum(a < b for a, b in pairwise(ids))
    assert 200 < n_rising < 300


def test_only_paper_like_sets_show_ids_of_their_own(tmp_path):
    own = instance(1, record_id="EEG_0001")
    assert shown_id(own, KEY) == "EEG_0001"
    assert shown_id(instance(1), KEY) == opaque_id("T3/0001", KEY)
    write_set(tmp_path, SetInfo(suite="s", condition="paper-like"), [own])
    assert read_set(tmp_path).instances == (own,)
    write_set(tmp_path, SetInfo(suite="s"), [own])
    with pytest.raises(SetError, match=r"not opaque.*T3/0001; only paper-like"):
        read_set(tmp_path)


def test_instance_seed_follows_run_seed_and_instance():
    seeds = {instance_seed(name, seed) for name in ("a", "b") for seed in (0, 1)}
    assert len(seeds) == 4
    assert instance_seed("a", 0) == instance_seed("a", 0)
