"""The rows of a trace as its columns name them, the same from a CSV and from JSON lines."""

import gzip
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.workloads.trace_rows import rows_of


def test_a_csv_and_lines_of_json_say_the_same(tmp_path: Path) -> None:
    table, lines, zipped = tmp_path / "a.csv", tmp_path / "a.jsonl", tmp_path / "a.csv.gz"
    table.write_text('\ufefftokens, Session_ID\r\n12,"a,b"\r\n7,\r\n', encoding="utf-8")
    zipped.write_bytes(gzip.compress(table.read_bytes()))
    lines.write_text('{"tokens": "12", "session_id": "a,b"}\n\n{"tokens": "7", "session_id": ""}\n')
    expected = [{"tokens": "12", "session_id": "a,b"}, {"tokens": "7", "session_id": ""}]
    assert [[*rows_of(path)] for path in (table, zipped, lines)] == [expected] * 3


def test_a_carriage_return_within_a_line_of_json_ends_none(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_bytes(b'\xef\xbb\xbf{"tokens": 12,\r "session_id": "a"}\r\n{"tokens": 7, "session_id": "b"}\n')
    assert [*rows_of(lines)] == [{"tokens": 12, "session_id": "a"}, {"tokens": 7, "session_id": "b"}]


def test_a_brace_alone_makes_no_lines_of_json(tmp_path: Path) -> None:
    table, lines = tmp_path / "a.csv", tmp_path / "a.jsonl"
    table.write_text("{a: tokens,session_id\n12,b\n")
    lines.write_text('\n{"tokens": 12}\n')
    assert [*rows_of(table)] == [{"{a: tokens": "12", "session_id": "b"}]
    assert [*rows_of(lines)] == [{"tokens": 12}]


def test_a_column_that_no_format_looks_at_may_be_no_text(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes(b"arrival_s,input_tokens,output_tokens,session_id\n0,100,20,a\n6,100,10,b\xf4")
    with pytest.raises(InputError, match=r"trace\.csv: is not text \(got b'\\xf4'\)"):
        list(rows_of(path))
