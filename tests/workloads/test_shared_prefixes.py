"""Block hashes of traces: what is read of them, and how much of their prompts could be found again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import cdfs
from fleettui.domain.prefixes import PrefixRecord
from fleettui.errors import InputError
from fleettui.workloads.named import read_workload
from fleettui.workloads.shared_prefixes import hashes_of, record_of, reusable

LINES = (
    '{"timestamp": 0, "input_length": 70, "output_length": 5, "hash_ids": [7, 8, 9]}\n'
    '{"timestamp": 3000, "input_length": 64, "output_length": 5, "hash_ids": [7, 8]}\n'
    '{"timestamp": 6000, "input_length": 20, "output_length": 9, "hash_ids": [3]}\n'
)


def written(folder: Path, text: str, name: str = "trace.jsonl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_full_blocks_are_numbered_in_the_order_of_the_trace(tmp_path: Path) -> None:
    """32 tokens is the one size with which 70, 64 and 20 tokens have three, two and one block."""
    record = record_of(written(tmp_path, LINES), 0.5)
    assert record == PrefixRecord(block=32, rows=((70, 5, 0, 2), (64, 5, 0, 2), (20, 9)), rate=0.5)
    assert [hashes_of(row) for row in record.rows] == [[0, 1], [0, 1], []]


def test_a_prompt_that_was_seen_whole_computes_its_last_block_again(tmp_path: Path) -> None:
    record = record_of(written(tmp_path, LINES), None)
    assert record is not None
    assert reusable(record) == pytest.approx(32 / (70 + 64 + 20))


def test_columns_and_gzip_are_read_alike(tmp_path: Path) -> None:
    rows = "arrival_s,input_tokens,output_tokens,prefix_hashes\n0,70,5,a b c\n3,64,5,a b\n6,20,9,d\n"
    zipped = tmp_path / "trace.csv.gz"
    zipped.write_bytes(gzip.compress(rows.encode()))
    assert record_of(zipped, 0.5) == record_of(written(tmp_path, LINES), 0.5)


def test_a_trace_without_hashes_has_none(tmp_path: Path) -> None:
    assert record_of(written(tmp_path, "arrival_s,input_tokens,output_tokens\n0,70,5\n"), None) is None
    assert record_of(written(tmp_path, '{"input_tokens": 3, "output_tokens": 4}\n'), None) is None


def test_hashes_of_no_one_size_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not those of blocks of one size"):
        record_of(written(tmp_path, LINES.replace("[3]", "[3, 4, 5]")), None)


def test_hashes_that_are_no_list_are_refused(tmp_path: Path) -> None:
    for wrong in ("-7", "true", "0.5", '{"a": 1}'):
        with pytest.raises(InputError, match="hash_ids is no list"):
            record_of(written(tmp_path, LINES.replace("[3]", wrong)), None)


def test_requests_that_are_too_long_leave_with_their_share_of_the_rate(tmp_path: Path) -> None:
    found = read_workload(str(written(tmp_path, LINES)), prefixes=True, drop_above=70)
    assert found.prefixes is not None
    assert [row[:2] for row in found.prefixes.rows] == [(64, 5), (20, 9)]
    assert read_workload(str(tmp_path / "trace.jsonl")).prefixes is None


def test_a_production_trace_lets_as_much_be_found_again_as_its_readers_count(data: Path) -> None:
    record = record_of(data / "raw" / "mooncake_conversation_trace.jsonl.gz", 3.4)
    assert record is not None
    assert (record.block, len(record.rows)) == (512, 12_031)
    assert reusable(record) == pytest.approx(0.3734, abs=1e-4)


def test_the_shipped_prefixes_are_those_of_their_workload() -> None:
    """36.6 % of all input blocks are hits without limit, as the trace's readers count; of the tokens 37.3 %."""
    workload = read_workload("mooncake-conversation", prefixes=True)
    record = workload.prefixes
    assert record is not None
    assert record.rate == pytest.approx(workload.arrivals.mean_rate)
    assert len(record.rows) == 12_031
    assert reusable(record) == pytest.approx(0.37338, abs=1e-5)
    short = read_workload("mooncake-conversation", prefixes=True, drop_above=32_768).prefixes
    assert short is not None
    assert max(prompt + output for prompt, output, *_ in short.rows) <= 32_768
    assert read_workload("azure-2023-conv", prefixes=True).prefixes is None


def test_what_is_shipped_says_whence_it_is() -> None:
    folder = Path(cdfs.__file__).parent
    for file in (folder / "prefixes").glob("*.json"):
        found, own = json.loads(file.read_text()), json.loads((folder / file.name).read_text())
        assert [found[key] for key in ("name", "source", "url", "licence")] == [
            own[key] for key in ("name", "source", "url", "licence")
        ]
        assert "changed by this project" in found["attribution"]
