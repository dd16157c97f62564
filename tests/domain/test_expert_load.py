"""How experts are chosen, as it is said and kept, and beside what it is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.expert_load import MEAN, ExpertLoad, expert_load, measured
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog

ASKED = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), step_law="kernels")
MIXTRAL = catalog.model("mixtral-8x7b")


@pytest.mark.parametrize("text", ["uniform", "zipf:0.5", "zipf:3", "measured:1000/500/1500", "measured:0/2000"])
def test_a_load_is_kept_as_it_is_read(text: str) -> None:
    assert expert_load(text).text == text
    assert replace(ASKED, expert_load=text).expert_load == text


def test_counts_are_kept_over_their_mean() -> None:
    assert measured([3.0, 1.0, 4.0, 0.0], None).counts == (1500, 500, 2000, 0)
    many = measured([1.0] * 512, None)
    assert set(many.counts) == {MEAN}
    assert expert_load(many.text) == many


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("even", "says no load of experts"),
        ("uniform:1", "says no load of experts"),
        ("zipf:0", "no such power"),
        ("zipf:4", "no such power"),
        ("zipf:-1", "no such power"),
        ("zipf", "no such power"),
        ("measured:5", "says no load of experts"),
        ("measured:1/x", "says no load of experts"),
        ("measured:0/0", "no expert had a token"),
        ("measured:" + "/".join(["1"] * 1025), "so many experts"),
    ],
)
def test_what_is_no_load_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        expert_load(text)


def test_a_load_is_of_as_many_experts_as_the_model_has() -> None:
    ExpertLoad().check(MIXTRAL)
    measured([1.0] * 8, None).check(MIXTRAL)
    with pytest.raises(InputError, match="tokens of 6 experts were counted, and mixtral-8x7b has 8"):
        measured([1.0] * 6, None).check(MIXTRAL)
    with pytest.raises(InputError, match="1 experts had tokens, and each token of mixtral-8x7b uses 2"):
        measured([1.0, *[0.0] * 7], None).check(MIXTRAL)
    with pytest.raises(InputError, match=r"llama-3\.1-8b has no routed experts"):
        ExpertLoad().check(catalog.model("llama-3.1-8b"))


def test_a_load_needs_kernels_and_stands_as_it_is_written() -> None:
    with pytest.raises(InputError, match="roofline's line does not know how unevenly"):
        replace(ASKED, expert_load="uniform", step_law="roofline")
    with pytest.raises(InputError, match="not as it is written"):
        replace(ASKED, expert_load="measured:1/3")


def test_a_question_without_a_load_has_the_digest_that_it_had() -> None:
    assert "expert_load" not in to_plain(ASKED)
    assert digest(ASKED) != digest(replace(ASKED, expert_load="uniform"))
