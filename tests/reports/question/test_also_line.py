"""Further keys in one line: read, refused, and written so that they read back."""

import pytest

from fleettui.errors import InputError
from fleettui.reports.question import also_line, five_lines

LINE = also_line.line_beside(five_lines.PHRASES)


@pytest.mark.parametrize(
    ("typed", "texts"),
    [
        ("", {}),
        ("  confidence=90%  price=h100=2.10,a100=1 ", {"confidence": "90%", "price": "h100=2.10,a100=1"}),
        ("whole-nodes scheduler=paged", {"whole-nodes": "true", "admission": "paged"}),
        ("budget= name='of may'", {"budget": "", "name": "of may"}),
    ],
)
def test_a_line_says_the_keys_that_it_names(typed: str, texts: dict[str, str]) -> None:
    assert also_line.read(typed, LINE) == texts
    assert also_line.read(also_line.write(texts), LINE) == texts


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("confidense=90%", r"did you mean confidence\? \(e shows them\)"),
        ("confidence", "confidence has no text"),
        ("confidence=90", "also, confidence"),
        ("slo-ttft=1s", "slo-ttft is no key of this line"),
        ("gpu=h100", "gpu is no key of this line: the line GPUs says it"),
        ("seed=1 seed=2", "seed is said twice"),
        ("name='of may", "a quote is open"),
    ],
)
def test_what_is_none_is_refused(typed: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        LINE.reader(typed, LINE)


def test_only_the_keys_that_mean_something_are_taken() -> None:
    line = also_line.line_beside(five_lines.PHRASES, {"budget", "rate"})
    assert line.keys == ("budget",)
