import pytest

from fleettui.errors import InputError
from fleettui.reports import located_yaml
from fleettui.reports.located_yaml import Part

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_yaml_parts_know_their_line() -> None:
    found = located_yaml.read("a: 1\nb:\n  - x: null\n  - 'null'\n", "f", "do")
    assert found == Part(
        {"a": Part("1", 1), "b": Part([Part({"x": Part(None, 3)}, 3), Part("null", 4)], 2)},
        1,
    )


def test_json_keeps_every_digit_and_has_no_lines() -> None:
    found = located_yaml.read(' {"a": 3.9e-08, "b": [null, true, "x"]}', "f", "do")
    assert found == Part({"a": Part("3.9e-08"), "b": Part([Part(None), Part("True"), Part("x")])})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "f: the file is empty"),
        ("# nothing\n", "f: the file is empty"),
        ("a: [1\n", "this is no YAML"),
        ("a: b: c", "f line 1: this is no YAML"),
        ("a: 1\na: 2\n", "f line 2: this key stands twice (got 'a')"),
        ("\x00", "this is no YAML"),
        ('{"a": 1,\n "b": }', "f line 2: this is no JSON"),
        ('{"a": 1, "a": 2}', "f: this key stands twice (got 'a')"),
        ('{"a": ' + "[" * 100_000, "nested too deep"),
        ("a: " + "[" * 5000 + "]" * 5000, "nested too deep"),
        ("&a [*a]", "nested too deep"),
        ("a: " + "{" * 20_000, "f line 1: this is nested too deep"),
        ("a: [" + "1, " * 20_000 + "]", "f line 1: too many values stand in the file"),
        ("a: [" + "1, " * 20_000 + "]", "a plan's JSON is for check --against"),
        (BOMB, "repeats itself without end"),
    ],
)
def test_what_does_not_read_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        located_yaml.read(text, "f", "see the manual")
    assert what in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3
