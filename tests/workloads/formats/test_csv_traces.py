from __future__ import annotations

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.workloads.formats.normalized import TABLE


def rows(path):
    chunks = list(TABLE.read(path))
    prompt = np.concatenate([chunk.prompt for chunk in chunks]).tolist()
    output = np.concatenate([chunk.output for chunk in chunks]).tolist()
    times = [None if chunk.arrivals is None else chunk.arrivals.tolist() for chunk in chunks]
    return times, prompt, output


def test_columns_are_found_by_name_in_any_order(write):
    path = write("client,output_tokens,input_tokens,arrival_s\na,5,6,0.5\nb,7,8,1.5\n")
    assert rows(path) == ([[0.5, 1.5]], [6, 8], [5, 7])


@pytest.mark.parametrize("row", ["0.5,6,5", '0.5,"6",5'])
def test_the_case_of_a_columns_name_is_no_matter(write, row):
    """Seen: a file with ARRIVAL_S was refused as one without any times."""
    path = write(f"Arrival_S,INPUT_TOKENS,Output_tokens\n{row}\n")
    assert TABLE.known_in(path.read_bytes())
    assert rows(path) == ([[0.5]], [6], [5])


@pytest.mark.parametrize("twice", ["input_tokens", "INPUT_TOKENS"])
def test_a_column_that_stands_twice_is_refused(write, twice):
    path = write(f"arrival_s,input_tokens,output_tokens,{twice}\n0.5,6,5,7\n")
    assert TABLE.known_in(path.read_bytes())
    with pytest.raises(InputError, match="line 1: the column input_tokens stands twice"):
        rows(path)


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("Arrival_S,Input_Tokens,Output_Tokens,INPUT_TOKENS", "the column Input_Tokens stands twice"),
        ("Arrival_S,Prompt_Tokens,Output_Tokens", "the column input_tokens is missing"),
    ],
)
def test_columns_are_told_as_the_file_writes_them(write, header, what):
    path = write(f"{header}\n0.5,6,5,7\n")
    with pytest.raises(InputError, match=what) as refused:
        rows(path)
    assert refused.value.value == header


def test_the_slow_path_reads_what_the_fast_path_cannot(write):
    path = write('arrival_s,input_tokens,output_tokens,note\n-1.5,3.0,+4,"a, b"\n\n1e2, 5 ,6,\n')
    assert rows(path) == ([[-1.5, 100.0]], [3, 5], [4, 6])
    assert list(next(TABLE.read(path)).lines) == [2, 4]


def test_fast_and_slow_path_agree(write):
    plain = "".join(f"{i * 0.37:.4f},{1 + i * 7 % 911},{1 + i * 5 % 97}\n" for i in range(500))
    head = "arrival_s,input_tokens,output_tokens\n"
    quoted = "".join('"' + line.replace(",", '","') + '"\n' for line in plain.splitlines())
    assert rows(write(head + plain, "a.csv")) == rows(write(head + quoted, "b.csv"))


@pytest.mark.parametrize("header", ["input_tokens,output_tokens", "arrival_s,input_tokens,output_tokens"])
def test_empty_or_absent_times_are_none(write, header):
    empty = "," * header.count("arrival")
    assert rows(write(f"{header}\n{empty}3,4\n{empty}5,6\n")) == ([None], [3, 5], [4, 6])


@pytest.mark.parametrize("body", ["0,3,4\n,5,6\n", ",3,4\n0,5,6\n"])
def test_times_in_some_rows_only_are_refused(write, body):
    with pytest.raises(InputError, match="line 3: some rows have an arrival time and some have none"):
        rows(write("arrival_s,input_tokens,output_tokens\n" + body))


def test_a_missing_column_is_refused(write):
    with pytest.raises(InputError) as caught:
        rows(write("arrival_s,input_tokens,tokens\n0,1,2\n"))
    assert "line 1: the column output_tokens is missing" in str(caught.value)
    assert "accepted: arrival_s,input_tokens,output_tokens" in str(caught.value)


@pytest.mark.parametrize("name", ["timestamp", "Timestamp", "arrival", "arrived_at", "start_time", "time"])
def test_times_may_be_in_a_column_of_another_usual_name_which_is_told(write, name):
    path = write(f"input_tokens,{name},output_tokens\n3,0.5,4\n5,1.5,6\n")
    assert rows(path)[0] == [[0.5, 1.5]]
    assert [chunk.column for chunk in TABLE.read(path)] == [name]
    quoted = write(f'input_tokens,{name},output_tokens\n3,"0.5",4\n5,1.5,6\n', "quoted.csv")
    assert rows(quoted)[0] == [[0.5, 1.5]]
    assert [chunk.column for chunk in TABLE.read(quoted)] == [name]


def test_the_formats_own_column_goes_before_others_and_needs_no_telling(write):
    path = write("timestamp,arrival_s,input_tokens,output_tokens\n9,0.5,3,4\n")
    assert rows(path)[0] == [[0.5]]
    assert [chunk.column for chunk in TABLE.read(path)] == [""]


def test_times_may_be_dates(write):
    path = write("timestamp,input_tokens,output_tokens\n2026-01-01 00:00:01,3,4\n2026-01-01T00:00:02.5Z,5,6\n")
    ((first, second),) = rows(path)[0]
    assert (second - first, first % 60.0) == (1.5, 1.0)


@pytest.mark.parametrize("cell", ["1700000000000", '"1700000000000"'])
def test_milliseconds_are_not_taken_for_seconds(write, cell):
    with pytest.raises(InputError, match="line 2: timestamp is too late for a time in seconds"):
        rows(write(f"timestamp,input_tokens,output_tokens\n{cell},3,4\n"))
