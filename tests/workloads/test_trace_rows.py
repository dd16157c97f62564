"""The rows of a trace as its columns name them, the same from a CSV and from JSON lines."""

import gzip
from pathlib import Path

from fleettui.workloads.trace_rows import rows_of


def test_a_csv_and_lines_of_json_say_the_same(tmp_path: Path) -> None:
    table, lines, zipped = tmp_path / "a.csv", tmp_path / "a.jsonl", tmp_path / "a.csv.gz"
    table.write_text('\ufefftokens, session_id\r\n12,"a,b"\r\n7,\r\n', encoding="utf-8")
    zipped.write_bytes(gzip.compress(table.read_bytes()))
    lines.write_text('{"tokens": "12", "session_id": "a,b"}\n\n{"tokens": "7", "session_id": ""}\n')
    expected = [{"tokens": "12", "session_id": "a,b"}, {"tokens": "7", "session_id": ""}]
    assert [[*rows_of(path)] for path in (table, zipped, lines)] == [expected] * 3
