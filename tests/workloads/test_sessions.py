"""The sessions of traces: read of their columns, or of their hashes, and those that are shipped."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import cdfs
from fleettui.domain.sessions import SessionRecord
from fleettui.errors import InputError
from fleettui.workloads import library
from fleettui.workloads.named import read_workload
from fleettui.workloads.sessions import record_of
from tests.evidence import agent_sessions

THINKING = "session_id,input_tokens,output_tokens,think_s\na,40,5,\nb,30,4,\na,60,5,2.5\na,90,5,0\n"
TIMED = "arrival_s,session_id,input_tokens,output_tokens\n0,a,40,5\n1,b,30,4\n7.5,a,60,5\n9,a,90,5\n"
LINES = (
    '{"timestamp": 1000, "input_length": 70, "output_length": 5, "conversation_id": 7}\n'
    '{"timestamp": 3000, "input_length": 80, "output_length": 5, "conversation_id": 7}\n'
)
HASHED = (
    '{"timestamp": 0, "input_length": 40, "output_length": 5, "hash_ids": [1, 2, 3]}\n'
    '{"timestamp": 3000, "input_length": 20, "output_length": 9, "hash_ids": [7, 8]}\n'
    '{"timestamp": 6000, "input_length": 44, "output_length": 5, "hash_ids": [1, 2, 9]}\n'
    '{"timestamp": 9000, "input_length": 70, "output_length": 9, "hash_ids": [1, 2, 4, 5, 6]}\n'
    '{"timestamp": 12000, "input_length": 96, "output_length": 5, "hash_ids": [1, 2, 4, 5, 10, 11]}\n'
)


def written(folder: Path, text: str) -> Path:
    path = folder / ("trace.jsonl" if text.startswith("{") else "trace.csv")
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (THINKING, SessionRecord(rows=((40, 5, 0, 60, 5, 2.5, 90, 5, 0), (30, 4, 0)))),
        (TIMED, SessionRecord(rows=((40, 5, 0, 60, 5, 7.5, 90, 5, 1.5), (30, 4, 0)), recorded=True)),
        (LINES, SessionRecord(rows=((70, 5, 0, 80, 5, 2.0),), recorded=True)),
    ],
)
def test_sessions_by_their_columns(tmp_path: Path, text: str, expected: SessionRecord) -> None:
    assert record_of(written(tmp_path, text)) == expected


def test_sessions_by_hashes(tmp_path: Path) -> None:
    """The third begins as the first but is too short for its answer; the fourth follows the latest that it can."""
    record = record_of(written(tmp_path, HASHED))
    assert record == SessionRecord(rows=((40, 5, 0), (20, 9, 0), (44, 5, 0, 70, 9, 3.0, 96, 5, 3.0)), recorded=True)


def test_a_trace_that_says_nothing_of_sessions_has_none(tmp_path: Path) -> None:
    assert record_of(written(tmp_path, "arrival_s,input_tokens,output_tokens\n0,70,5\n")) is None
    assert record_of(written(tmp_path, '{"input_tokens": 3, "output_tokens": 4}\n')) is None


@pytest.mark.parametrize(
    ("text", "why", "remedy"),
    [
        (THINKING.replace("b,30", ",30"), "line 3.*the request has no session", "a session of its own"),
        (THINKING.replace("2.5", "-2.5"), "line 4.*cannot come before", "correct the time"),
        (THINKING.replace("2.5", "soon"), "line 4.*not said how long after", "think_s"),
        (THINKING.replace(",2.5", ",").replace(",0\n", ",\n"), "line 4.*not said how long after", "think_s"),
    ],
)
def test_rows_that_do_not_say_enough_are_refused(tmp_path: Path, text: str, why: str, remedy: str) -> None:
    with pytest.raises(InputError) as refusal:
        record_of(written(tmp_path, text))
    told = str(refusal.value)
    assert len(told.splitlines()) <= 3
    assert re.search(why, told.replace("\n", " "))
    assert remedy in told


def test_long_rounds_end_their_sessions(tmp_path: Path) -> None:
    path = written(tmp_path, THINKING)
    found = read_workload(str(path), sessions=True, drop_above=70)
    assert found.sessions == SessionRecord(rows=((40, 5, 0, 60, 5, 2.5), (30, 4, 0)))
    assert read_workload(str(path)).sessions is None


@pytest.mark.evidence
def test_the_shipped_agents_are_made_from_their_law(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    for path, text in agent_sessions.files(tmp_path).items():
        assert (Path(cdfs.__file__).parent / path.relative_to(tmp_path)).read_text(encoding="utf-8") == text


@pytest.mark.evidence
def test_the_shipped_sessions_of_a_production_trace_are_those_that_its_hashes_show(data: Path) -> None:
    record = record_of(data / "raw" / "mooncake_conversation_trace.jsonl.gz")
    assert record is not None
    assert (len(record.rows), record.requests) == (8_496, 12_031)
    assert library.sessions("mooncake-conversation") == record


def test_shipped_sessions_say_where_they_are_from() -> None:
    for path in (Path(cdfs.__file__).parent / "sessions").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        assert found["format"] == "session-record/1"
        assert all(found[key] for key in ("source", "url", "licence", "attribution", "derivation"))
        assert path.stem in library.names()
