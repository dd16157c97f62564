import math
from dataclasses import replace

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.length_factors import Lengths
from fleettui.domain.typed_range import RANGED, TypedRange
from fleettui.errors import InputError
from fleettui.reports.question.conversion import given_at, parse, summary, to_question, to_texts
from fleettui.reports.question.five_lines import read, write
from fleettui.reports.question.keys import BY_NAME
from tests.reports.question.test_conversion import asked


def test_a_range_is_read_planned_in_its_middle_and_written_back() -> None:
    question = asked(rate="80/s:120/s", prefix_hit="20%:60%")
    assert question.demand.rate == math.sqrt(80.0 * 120.0)
    assert question.prefix_hit == pytest.approx(0.4)
    assert question.ranges == (
        TypedRange(key="prefix-hit", low=0.2, high=0.6),
        TypedRange(key="rate", low=80.0, high=120.0),
    )
    texts = to_texts(question)
    assert (texts["rate"], texts["prefix-hit"]) == ("80/s:120/s", "20%:60%")
    assert digest(to_question(parse(given_at(texts, "again")))) == digest(question)


def test_lengths_are_planned_as_recorded_and_may_lie_in_a_range() -> None:
    plain, question = asked(), asked(output_length="0.8:1.5")
    assert question.ranges == (TypedRange(key="output-length", low=0.8, high=1.5),)
    assert question == replace(plain, ranges=question.ranges)
    assert to_texts(question) == {**to_texts(plain), "output-length": "0.8:1.5"}
    assert asked(prompt_length="1") == plain
    with pytest.raises(InputError, match="as recorded") as refusal:
        asked(prompt_length="1.2:1.5")
    assert "a range around 1" in str(refusal.value)


def test_a_factor_on_lengths_is_planned_with() -> None:
    """Found: 0.9 was refused where a page spoke of prompts a tenth shorter."""
    question = asked(prompt_length="0.9")
    assert (question.lengths, question.ranges) == (Lengths(prompt=0.9), ())
    assert to_texts(question) == {**to_texts(asked()), "prompt-length": "0.9"}
    assert summary(question).startswith("azure-2023-conv prompts x0.9  ")
    assert asked(output_length="0.8:1.5", prompt_length="0.9").lengths == question.lengths
    for text in ("0", "-1"):
        with pytest.raises(InputError, match="factor"):
            asked(prompt_length=text)
    for other in ("prefix_cache", "drop_longer"):
        with pytest.raises(InputError, match="lengths that were recorded"):
            asked(prompt_length="0.9", **{other: "true"})


@pytest.mark.parametrize(
    ("texts", "low", "high"),
    [
        ({"rate": "80:120/s"}, 80.0, 120.0),
        ({"rate": "4800/min : 120/s"}, 80.0, 120.0),
        ({"tokens": "2:4B/day"}, 2e9 / 86400, 4e9 / 86400),
        ({"users": "10k:30,000", "requests-per-user": "6/h"}, 10_000.0, 30_000.0),
    ],
)
def test_a_unit_may_be_said_once(texts: dict[str, str], low: float, high: float) -> None:
    name = next(iter(texts))
    (typed,) = asked(**texts).ranges
    assert typed.key == name
    assert (typed.low, typed.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("rate", "120/s:80/s", "the range is empty"),
        ("rate", "80/s:", "rate"),
        ("rate", "80/s:100/s:120/s", "rate"),
        ("peak-factor", "0.5:2", "is below the average"),
        ("prefix-hit", "50%:120%", "share is above 1"),
        ("slo-ttft", "300ms:500ms", "duration"),
    ],
)
def test_what_is_no_range_is_refused_at_its_place(name: str, text: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as refusal:
        BY_NAME[name].read(text, f"--{name}")
    assert f"--{name}" in str(refusal.value)


def test_every_key_with_a_range_says_so() -> None:
    assert [name for name, key in BY_NAME.items() if "low:high" in key.full_help and key.is_ranged] == [
        name for name in BY_NAME if name in RANGED
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("demand", "80/s:120/s"),
        ("demand", "20000:30000 users x 4/h:8/h x 2:3"),
        ("demand", "2e9:4e9 tokens/day peak 9%:12%"),
        ("lengths", "azure-2023-conv hit 20%:60%"),
    ],
)
def test_the_lines_of_the_app_take_ranges(line: str, text: str) -> None:
    texts = {name: said for name, said in read(line, text).items() if said}
    assert any(":" in said for said in texts.values())
    assert read(line, write(line, texts)) == read(line, text)
