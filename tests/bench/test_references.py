import pytest

from eegbench.errors import SetError
from eegbench.references import (
    Reference,
    read_references,
    references_path,
    write_references,
)

ROWS = [
    Reference(instance_id="T3/1", task="T3", label="normal", group="Z"),
    Reference(instance_id="T5/1", task="T5", events=[(1.5, 20.0)], subject="chb01"),
    Reference(instance_id="T6/1", task="T6", stages=["W", None, "N1"], extra={"a": 1}),
]


def test_references_survive_a_round_trip(tmp_path):
    write_references(tmp_path, ROWS)
    assert list(read_references(tmp_path).values()) == ROWS


def test_cut_references_are_refused(tmp_path):
    write_references(tmp_path, ROWS)
    path = references_path(tmp_path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(SetError, match="line 3 is cut"):
        read_references(tmp_path)


def test_wrong_event_names_its_place(tmp_path):
    references_path(tmp_path).parent.mkdir()
    references_path(tmp_path).write_text(
        '{"instance_id":"a","task":"T5","events":[[1,2],[3,"x"]]}\n'
    )
    with pytest.raises(SetError, match=r"field 'events\[1\]\[1\]': expected 'float'"):
        read_references(tmp_path)


def test_doubled_reference_is_refused(tmp_path):
    with pytest.raises(SetError, match="twice: T3/1"):
        write_references(tmp_path, [ROWS[0], ROWS[0]])
