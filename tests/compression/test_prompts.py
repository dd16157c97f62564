import json
from pathlib import Path

import pytest

from fleettui.compression import prompts
from fleettui.compression.compressor import Part
from fleettui.compression.prompts import Asked, Line, asked_of, lines_of
from fleettui.errors import InputError


def asked(value: object, output: int | None = None) -> Asked | str:
    return asked_of(Line(json.dumps(value).encode()), output)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ({"prompt": "a", "max_tokens": 5}, Asked((Part("a"),), 5)),
        ({"text": "a", "output_tokens": 7, "max_tokens": 5}, Asked((Part("a"),), 7)),
        ({"prompt": "a"}, Asked((Part("a"),), 3)),
        ({"prompt": "a", "max_tokens": True}, Asked((Part("a"),), 3)),
        ({"prompt": "a", "max_tokens": -1}, Asked((Part("a"),), 3)),
        (
            {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]},
            Asked((Part("s\n", True), Part("u\n")), 3),
        ),
        (
            {"body": {"messages": [{"role": "user", "content": [{"type": "text", "text": "u"}, {"type": "image"}]}]}},
            Asked((Part("u\n"),), 3),
        ),
        ({"prompt": "  "}, "no prompt text"),
        ({"prompt": 7}, "no prompt text"),
        ({"messages": ["u", {"role": "user"}, {"content": 5}]}, "no prompt text"),
        ({"messages": [{"role": {}, "content": "u"}]}, Asked((Part("u\n"),), 3)),
        ({}, "no prompt text"),
        (["a"], "no prompt text"),
        (7, "no prompt text"),
    ],
)
def test_a_line_is_a_prompt_or_says_why_not(line: object, found: Asked | str) -> None:
    assert asked(line, 3) == found


def test_nothing_is_guessed() -> None:
    assert asked({"prompt": "a"}) == "no output length"
    assert asked_of(Line(b'{"prompt": "a"'), 3) == "not JSON"
    assert asked_of(Line(b"[" * 100_000), 3) == "not JSON"
    assert asked_of(Line(b'{"prompt": "\xff"}'), 3) == "not UTF-8"
    assert asked_of(Line(None), 3) == "longer than 8 MiB"


@pytest.mark.parametrize("part", [1, 3, 7, 1000])
def test_parts_of_a_file_have_each_line_once(tmp_path: Path, part: int) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(b'{"a": 1}\n\n{"b": 2}\r\n  \n{"c": 3}')
    found = [
        one.data.strip()
        for start in range(0, path.stat().st_size, part)
        for one in lines_of(path, start, start + part)
        if one.data is not None
    ]
    assert found == [b'{"a": 1}', b'{"b": 2}', b'{"c": 3}']


@pytest.mark.parametrize("part", [5, 1000])
def test_an_overlong_line_is_passed_over_unread(tmp_path: Path, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "LONGEST_LINE", 10)
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"x" * 95 + b'\n{"c": 3}\n')
    found = [one.data for start in range(0, 120, part) for one in lines_of(path, start, start + part)]
    assert found == [b'{"a": 1}\n', None, b'{"c": 3}\n']


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(lines_of(tmp_path, 0, 10))
