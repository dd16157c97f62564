from __future__ import annotations

import json

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.workloads.formats import json_traces
from fleettui.workloads.formats.jsonl import OBJECTS
from fleettui.workloads.formats.mooncake import OBJECTS as IN_MILLISECONDS


def rows(path):
    chunks = list(OBJECTS.read(path))
    prompt = np.concatenate([chunk.prompt for chunk in chunks]).tolist()
    output = np.concatenate([chunk.output for chunk in chunks]).tolist()
    timed = [chunk.arrivals for chunk in chunks if chunk.arrivals is not None]
    return np.concatenate(timed).tolist() if timed else None, prompt, output


def test_many_blocks_give_all_rows_with_their_lines(write, monkeypatch):
    monkeypatch.setattr(json_traces, "_BLOCK_BYTES", 200)
    lines = [json.dumps({"arrival": i, "input_tokens": i + 1, "output_tokens": 2 * i + 1}) for i in range(50)]
    path = write("\n".join(lines))
    assert rows(path) == ([float(i) for i in range(50)], [*range(1, 51)], [*range(1, 100, 2)])
    assert [line for chunk in OBJECTS.read(path) for line in chunk.lines] == [*range(1, 51)]


def test_the_slow_path_reads_what_the_fast_path_cannot(write):
    first = '{"timestamp": "1970-01-01T00:00:05Z", "prompt_tokens": 3.0, "completion_tokens": 4, "stream": true}'
    second = '{"timestamp": "1970-01-01T00:00:06.5Z", "prompt_tokens": 5, "completion_tokens": 6}'
    assert rows(write(f"\n{first}\n\n{second}\n")) == ([5.0, 6.5], [3, 5], [4, 6])


def test_what_is_nested_without_end_is_of_no_format():
    assert not OBJECTS.known_in(b'{"a":' * 100_000)


def test_null_times_are_none(write):
    assert rows(write('{"arrival": null, "input_tokens": 3, "output_tokens": 4}\n')) == (None, [3], [4])


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        (
            '{"arrival": 0, "input_tokens": 3, "output_tokens": 4}\n{"input_tokens": 3, "output_tokens": 4}',
            2,
            "some rows",
        ),
        (
            '{"input_tokens": 3, "output_tokens": 4}\n{"arrival": 0, "input_tokens": 3, "output_tokens": 4}',
            2,
            "some rows",
        ),
        ('{"input_tokens": 3, "output_tokens": 4}\n{"input_tokens": 3}', 2, "output_tokens is missing"),
        ('{"input_tokens": 3, "output_tokens": 4}\n{"input_tokens": 3, "output_', 2, "not one JSON object"),
        ('{"input_tokens": 3, "output_tokens": 4}\n[1, 2]', 2, "not one JSON object"),
        ('{"input_tokens": 3, "output_tokens": 4}, {"input_tokens": 3, "output_tokens": 4}', 1, "not one JSON object"),
        ('{"input_tokens": true, "output_tokens": 4}', 1, "not a whole number"),
        ('{"input_tokens": 3, "output_tokens": "many"}', 1, "not a whole number"),
        ('{"arrival": NaN, "input_tokens": 3, "output_tokens": 4}', 1, "not a time in seconds"),
        ('{"arrival": 0, "prompt": 3, "output_tokens": 4}', 1, "the object lacks a key"),
    ],
)
def test_what_is_not_acceptable_is_refused_with_its_line(write, body, line, what):
    with pytest.raises(InputError, match=f"line {line}: .*{what}"):
        rows(write(body))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ('"1500"', "timestamp is a number given as text .*a number of milliseconds without quotation marks"),
        ('"soon"', "timestamp is neither milliseconds nor a date"),
        ("NaN", "timestamp is not a time in milliseconds .*a finite number of milliseconds"),
        ("[[1500]]", "timestamp is not a time in milliseconds .*a finite number of milliseconds"),
    ],
)
def test_a_time_that_is_refused_is_told_in_the_unit_of_the_format(write, value, what):
    path = write(f'{{"timestamp": {value}, "input_length": 3, "output_length": 4}}')
    with pytest.raises(InputError, match=f"(?s)line 1: {what}"):
        list(IN_MILLISECONDS.read(path))


def test_a_number_of_seconds_given_as_text_is_not_told_to_be_a_date(write):
    with pytest.raises(InputError, match=r"(?s)arrival is a number given as text .*a number of seconds"):
        rows(write('{"arrival": "1500", "input_tokens": 3, "output_tokens": 4}'))


def test_a_list_where_a_number_of_tokens_stands_is_refused(write):
    path = write(f'{{"timestamp": 0, "input_length": {"[" * 40}3{"]" * 40}, "output_length": 4}}')
    with pytest.raises(InputError, match=r"(?s)line 1: input_length is not a whole number of tokens"):
        list(IN_MILLISECONDS.read(path))
