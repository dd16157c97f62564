"""The registry of formats, and what holds of each: its own sample is known as its own, and read as it says."""

from __future__ import annotations

import pytest

from fleettui.domain.registry import Registry
from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads import formats
from fleettui.workloads.build import build_workload
from fleettui.workloads.formats.base import TraceFormat

TRACES = [one for one in formats.FORMATS if isinstance(one, TraceFormat)]


def name_of(one: object) -> str:
    return str(getattr(one, "name", ""))


def test_two_formats_of_one_name_are_a_bug():
    with pytest.raises(AssertionError, match="share a name"):
        Registry("format", formats.FORMATS.default, formats.FORMATS.default)


def test_an_unknown_format_lists_the_known():
    with pytest.raises(UnknownNameError) as caught:
        formats.FORMATS.named("azur", "--format")
    assert f"accepted: {', '.join(sorted(one.name for one in formats.FORMATS))}" in str(caught.value)
    assert "did you mean azure?" in str(caught.value)


@pytest.mark.parametrize("one", [*formats.FORMATS], ids=name_of)
def test_content_decides_and_not_the_name(write, one):
    assert formats.FORMATS.named(one.name) is one
    assert formats.sniffed(write(one.sample, "misleading.parquet")) is one
    assert [other.name for other in formats.FORMATS if other.sniff(one.sample.encode())] == [one.name]


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("one", TRACES, ids=name_of)
def test_a_sample_is_read_as_the_format_says(write, one, zipped):
    (chunk,) = one.read(write(one.sample, zipped=zipped))
    times = [None] * len(chunk.prompt) if chunk.arrivals is None else chunk.arrivals.tolist()
    assert times == [pytest.approx(time, abs=1e-6) for time, _, _ in one.requests]
    assert [*zip(chunk.prompt.tolist(), chunk.output.tolist(), strict=True)] == [pair[1:] for pair in one.requests]


@pytest.mark.parametrize("one", [one for one in TRACES if not one.sample.startswith("{")], ids=name_of)
def test_a_row_of_csv_is_read_alone_as_it_is_at_once(write, one):
    """A quoted cell is read row by row, and says the same."""
    head, *rows = one.sample.splitlines()
    quoted = [",".join(f'"{cell}"' for cell in row.split(",")) for row in rows]
    (at_once,), (alone,) = (one.read(write("\n".join([head, *told, ""]))) for told in (rows, quoted))
    assert alone.arrivals.tolist() == pytest.approx(at_once.arrivals.tolist(), rel=1e-12)
    assert (alone.prompt.tolist(), alone.output.tolist()) == (at_once.prompt.tolist(), at_once.output.tolist())


@pytest.mark.parametrize(
    ("name", "head", "known"),
    [
        ("azure", "TIMESTAMP,ContextTokens\n", False),
        ("azure", "arrival_s,input_tokens,output_tokens\n", False),
        ("mooncake", '{"input_length": 6758, "output_length": 500}\n', False),
        ("mooncake", '{"timestamp": 3000, "input_tokens": 6758, "output_tokens": 500}\n', False),
        ("normalized", "input_tokens,output_tokens\r\n", True),
        ("normalized", "arrival_s,input_tokens\n", False),
        ("normalized", '{"input_tokens": 1, "output_tokens": 2}\n', False),
        ("jsonl", '{"prompt_tokens": 1, "completion_tokens": 1}', True),
        ("jsonl", '{"tokens": 3}\n', False),
        ("jsonl", "3\n", False),
        ("cdf", ' {"format": "length-distribution/1"', True),
        ("cdf", '{\n "cdfs": {', True),
        ("cdf", "1,2\n", False),
        ("cdf", '{"input_tokens": 1, "output_tokens": 2}\n{"atoms": 1}\n', False),
    ],
)
def test_a_format_is_known_by_its_first_bytes(name, head, known):
    assert formats.FORMATS.named(name).sniff(head.encode()) == known


def test_unknown_content_is_refused_with_what_is_known(write):
    with pytest.raises(InputError) as caught:
        formats.sniffed(write("time,in,out\n1,2,3\n"))
    assert "line 1: is of no known format (got 'time,in,out')" in str(caught.value)
    assert all(one.known_by in str(caught.value) for one in formats.FORMATS)


@pytest.mark.parametrize(
    ("head", "told", "left"),
    [
        ("timestamp,prompt\n0,100\n", "CSV with at least", "JSON"),
        ('{"timestamp": 0, "input": 3}\n', "JSON lines", "CSV"),
        ("tokens,fraction\n100,0.5\n", "Azure's CSV", "length-distribution"),
        ("TIMESTAMP,Trace\n0,100\n", "TIMESTAMP,ContextTokens", "arrival_s"),  # no word of a help: a whole column
        ("least,arrival\n0,100\n", "arrival_s", "Azure"),
        ("column,seconds\n0,100\n", "Azure's CSV", "at least"),
    ],
)
def test_a_table_is_not_told_of_objects_and_objects_not_of_tables(tmp_path, head, told, left):
    path = tmp_path / "trace"
    path.write_text(head)
    with pytest.raises(InputError, match="of no known format") as caught:
        formats.sniffed(path)
    accepted = caught.value.accepted or ""
    assert told in accepted
    assert left not in accepted


def test_unknown_columns_and_a_stray_carriage_return_are_refused_in_four_lines(write):
    for text, what in (
        ("alpha,beta,gamma\n1,2,3\n", "is of no known format"),
        ("arrival_s,input_tokens,output_tokens\n0,10,2\n1,2\r0,30\n", "line 3: this is no row of CSV"),
    ):
        path = write(text)
        with pytest.raises(InputError, match=what) as caught:
            build_workload([str(path)], name="cols")
        assert len(str(caught.value).replace(str(path), "cols.csv")) < 4 * 76


def test_a_servers_metrics_are_sent_to_the_command_that_reads_them(write):
    """Seen: "of no known format ... rename the columns"."""
    told = "# HELP vllm:num_requests_running Number of requests\n# TYPE vllm:num_requests_running gauge\n"
    for text in (told, 'vllm:prompt_tokens_total{model_name="m"} 10\n', "python_info 1\n" + told):
        with pytest.raises(InputError, match="no trace") as caught:
            formats.sniffed(write(text, "metrics.txt"))
        assert "fleettui workload from-metrics BEFORE AFTER" in str(caught.value)
