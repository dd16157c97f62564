"""Values cross as JSON and come back equal; equal content has one digest."""

import math
from dataclasses import dataclass, replace

import pytest
from pydantic import ValidationError

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest, handle_of, said
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import decode, dumps, encode, from_plain, later, to_plain
from fleettui.domain.slo import Slo
from fleettui.workloads.context_limit import Longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    first: int
    second: float = later(0.5)


ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    prices=(("h100", 2.1),),
    max_num_seqs=256,
    token_budget=2048,
)


def test_there_and_back() -> None:
    assert from_plain(Question, to_plain(ASKED)) == ASKED
    assert decode(Question, encode(Question, ASKED)) == ASKED
    searched = replace(ASKED, token_budget="auto", parallel="auto")
    assert from_plain(Question, to_plain(searched)) == decode(Question, encode(Question, searched)) == searched


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValidationError):
        from_plain(Question, {**to_plain(ASKED), "max_num_seqs": "many"})


def test_what_is_not_finite_becomes_null() -> None:
    assert to_plain((math.nan, math.inf, 1.0)) == [None, None, 1.0]


def test_a_tuple_with_names_is_told_with_them() -> None:
    told = {"share": 0.25, "requests": 3}
    assert to_plain([Longer(0.25, 3)]) == [told]
    assert from_plain(Longer, told) == Longer(0.25, 3)


def test_equal_content_has_one_digest() -> None:
    assert digest({"a": 60.0}) == digest({"a": 60})
    assert digest(ASKED) == digest(from_plain(Question, to_plain(ASKED)))
    assert digest(ASKED) != digest(from_plain(Question, {**to_plain(ASKED), "seed": 2}))
    assert dumps({"b": (1.5, None), "a": "é"}) == '{"a":"é","b":[1.5,null]}'


def test_a_question_keeps_its_digest() -> None:
    """Stored plans are found by it: a new field is `later(default)`, which leaves this digest as it is."""
    assert digest(ASKED) == "c74797289ea9ca23c0b5765356d24ee629e0fd8a7c639a63a56c172a14d8ce44"


def test_a_field_that_came_later_is_told_where_it_is_used() -> None:
    assert dumps(Grown(first=1)) == '{"first":1}'
    assert dumps((Grown(first=1, second=2),)) == '[{"first":1,"second":2}]'
    assert to_plain(Grown(first=1)) == {"first": 1}
    assert decode(Grown, '{"first":1}') == Grown(first=1)
    assert decode(Grown, encode(Grown, Grown(first=1, second=2))) == Grown(first=1, second=2)


def test_a_handle_is_the_start_of_the_digest_of_the_id() -> None:
    assert handle_of("x", 6).startswith(handle_of("x"))


def test_what_an_answer_says_is_without_its_names() -> None:
    one, other = {"handle": "41a7", "pools": [{"id": "a", "gpus": 8}]}, {"pools": [{"gpus": 8.0}], "created": "2027"}
    assert said(one) == said(other) == '{"pools":[{"gpus":8}]}'
