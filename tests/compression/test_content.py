from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.compression.content import Category, content_of
from fleettui.compression.generate import GENRES, Genre, prompt
from tests.repeated import CHARACTERS

ROOT = Path(__file__).parents[2]
PROSE = "It was the best of times, it was the worst of times. "
CODE = "def f(a, b):\n    c = a + b\n    return c\n\nfor x in range(3):\n    print(f(x, 1))\n"
JSON = '{\n  "name": "x",\n  "list": [\n    1,\n    2\n  ]\n}\n'
TABLE = "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n"
CSV = "id,name,price,date\n1,ab,2.5,2020-01-01\n2,cd,3.5,2020-01-02\n"
LOG = "2026-11-23T09:00:01 INFO started\n2026-11-23T09:00:02 ERROR failed: it broke.\n2026-11-23T09:00:03 INFO done\n"
RAG = "Context:\n[1] The river is long.\n\n[2] The hill is high.\n\nHow long is the river?"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("", "prose"),
        (PROSE, "prose"),
        (PROSE * 300, "prose"),
        (f"{PROSE}\n\n- a point; another\n- and one more (see above)\n", "prose"),
        (RAG, "rag"),
        (CODE, "code"),
        (f"```\n{PROSE}\n```", "code"),
        (f"Mend this:\n```python\n{CODE}", "code"),
        (f"{PROSE * 20}\n```python\n{CODE}```\n", "mixed"),
        (JSON, "json"),
        ('{"a": [1, 2, 3], "b": "Some text. More text, and more, until the line is long enough to be kept."}', "json"),
        (f"What is the total?\n\n{TABLE}", "table"),
        (CSV, "table"),
        (LOG, "log"),
    ],
)
def test_a_prompt_has_a_category(text: str, category: Category) -> None:
    assert content_of(text).category == category


@pytest.mark.parametrize("path", [*(ROOT / "fleettui" / "compression").glob("[!_]*.py")], ids=lambda path: path.name)
def test_real_modules_are_code_though_much_of_them_is_prose(path: Path) -> None:
    assert content_of(path.read_text("utf-8")).category == "code"


def test_real_data_are_no_prose_even_cut_short_and_a_licence_is() -> None:
    for path in (ROOT / "cdfs").glob("*.json"):
        assert content_of(path.read_text("utf-8")[:5000]).category == "json"
    assert content_of((ROOT / "LICENSE").read_text("utf-8")).category in ("prose", "rag", "mixed")


HEADER = "/* What a pool is. */\n#ifndef POOL_H\n#define POOL_H\n\ntypedef struct { int a; } pool;\n\n#endif\n"


def test_a_header_is_code() -> None:
    assert content_of(HEADER).category == "code"


@pytest.mark.parametrize("genre", GENRES)
def test_made_prompts_are_what_they_are_called(genre: Genre) -> None:
    assert {content_of(prompt(genre, 20_000, seed).text).category for seed in range(4)} == {genre}


def test_blocks_within_prose_are_told_apart() -> None:
    found = content_of(f"{PROSE}\n\n```python\n{CODE}```\n{PROSE}\n{TABLE}\n{PROSE}").blocks
    assert [block.kind for block in found] == [None, "code", None, "table", None]


@pytest.mark.evidence
@given(st.lists(st.one_of(st.text(CHARACTERS, max_size=30), st.sampled_from(["```", "~~~", CODE, JSON, LOG, PROSE]))))
def test_blocks_lose_no_character(parts: list[str]) -> None:
    text = "\n".join(parts)
    assert "".join(block.text for block in content_of(text).blocks) == text
