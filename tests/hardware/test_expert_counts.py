"""The load of experts from files: both forms alike, one layer for several, and what is wrong with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fleettui.domain.expert_load import measured
from fleettui.errors import InputError
from fleettui.hardware.expert_counts import load_of
from fleettui.reports.question.keys import BY_NAME

COUNTS = [120.0, 80.0, 40.0, 0.0, 90.0, 70.0, 60.0, 20.0]


def written(folder: Path, text: str, name: str = "load.csv") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(COUNTS),
        json.dumps({"tokens": [COUNTS]}),
        "\n".join(map(str, COUNTS)),
        "tokens\n" + "\n".join(map(str, COUNTS)),
        "expert,tokens\n" + "\n".join(f"{place},{one}" for place, one in enumerate(COUNTS)),
        "Tokens , Layer , Expert\n" + "\n\n".join(f"{one},3,{place}" for place, one in enumerate(COUNTS)),
    ],
)
def test_every_form_of_a_file_is_the_load_that_it_counts(tmp_path: Path, text: str) -> None:
    assert load_of(written(tmp_path, text), None) == measured(COUNTS, None)


def test_of_several_layers_the_one_counts_that_is_as_full_as_they_are_on_average(tmp_path: Path) -> None:
    layers = [[float(one)] + [1.0] * 7 for one in (1, 9, 5, 21)]
    assert load_of(written(tmp_path, json.dumps(layers)), None) == measured(layers[2], None)


@pytest.mark.parametrize("text", ["uniform", "zipf:0.5", "measured:1000/1000"])
def test_what_names_no_file_is_read_as_it_stands(text: str) -> None:
    assert load_of(text, None).text == text


def test_the_key_keeps_what_the_file_says(tmp_path: Path) -> None:
    key = BY_NAME["expert-load"]
    kept = key.read(written(tmp_path, json.dumps(COUNTS)), "--expert-load")
    assert kept == measured(COUNTS, None).text
    assert key.read(key.write(kept), None) == kept


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("", "no counts", "load.csv"),
        ("1\n2\nx\n", "a number from 0 on", "line 3"),
        ("1\n-2\n", "a number from 0 on", "line 2"),
        ("1\n2,3\n", "2 numbers for one expert", "line 2"),
        ("a,b\n1,2\n", "columns expert and tokens", "line 1"),
        ("expert,tokens\n0,1\n1,2,3\n", "3 fields for 2 columns", "line 3"),
        ("expert,tokens\n0,1\n0,2\n", "expert 0 of layer 0 stands twice", "line 3"),
        ("expert,tokens\n0,1\nx,2\n", "no number of an expert", "line 3"),
        ("expert,tokens\n0,1\n\n1,nan\n", "a number from 0 on", "line 4"),
        ("expert,tokens\n0,1\n2,2\n", "expert 1 of layer 0 has no count", "load.csv"),
        ("layer,expert,tokens\n0,0,1\n0,1,1\n1,0,1\n", "unlike numbers of experts", "load.csv"),
        ("[1, 2,\n3,", "no JSON", "line 2"),
        ("[1, true]", "a number from 0 on", "layer 0 expert 1"),
        ("[[1, 2], [3, null]]", "a number from 0 on", "layer 1 expert 1"),
        ('{"a": 1}', "no list of counts", "load.csv"),
        ('{"a": [1, 2], "b": [1, 2]}', "no list of counts", "load.csv"),
        ("[0, 0]", "no expert had a token", "load.csv"),
        ("[5]", "so many experts", "load.csv"),
        ("[]", "so many experts", "load.csv"),
    ],
)
def test_what_is_wrong_is_refused_where_it_stands(tmp_path: Path, text: str, what: str, where: str) -> None:
    with pytest.raises(InputError, match=what) as refused:
        load_of(written(tmp_path, text), "--expert-load")
    assert refused.value.where is not None
    assert where in refused.value.where


def test_a_file_that_is_none_is_refused_with_what_is_accepted(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match="no file that can be read"):
            load_of(str(path), None)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe1")
    with pytest.raises(InputError, match="no text"):
        load_of(str(tmp_path / "bytes"), None)
