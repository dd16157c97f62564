"""The sentence of a plan that says what compressing saves there, or that it saves nothing."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.optimize.compression_worth import worth_words
from tests.optimize.samples import atoms, plan, profile, question

FAST = profile("fast", blocks=3000)
ASKED = question(ttft=2.0, pools=(1, 2), gamma=(1.0, 2.0), compressible=0.9)


def told(found: Answer) -> list[str]:
    return [one for one in found.why if one.startswith("under ")]


@pytest.mark.parametrize(("admission", "least"), [("paged", 1.0), ("reserved", 1.0), ("paged", 1.5)])
def test_a_plan_says_what_its_factor_saves_under_its_admission(admission: str, least: float) -> None:
    asked = replace(ASKED, admission=admission, pools=(2,))
    searched = plan(asked, 120.0, atoms(5), [FAST])
    found = plan(replace(asked, gamma=(least, 2.0)), 120.0, atoms(5), [FAST])
    assert found.answer is not None
    assert found.answer.fleet.gamma > 1.0
    (sentence,) = told(found)
    assert sentence.startswith(f"under {admission} admission gamma {found.answer.fleet.gamma:g} takes ")
    plain = next(
        one
        for one in searched.candidates
        if one.fleet.gamma == 1.0 and one.fleet.pools[0].up_to == found.answer.fleet.pools[0].up_to
    )

    def work(one: Candidate) -> float:
        pairs = zip(one.pools, one.fleet.pools, strict=True)
        return sum(figures.utilization * pool.replicas for figures, pool in pairs)

    change = work(found.answer) / work(plain) - 1.0
    assert f"{abs(change):.1%} {'more' if change > 0 else 'less'} work than the same split without it" in sentence
    assert " work than one pool (" in sentence


def test_a_plan_that_does_not_compress_says_that_it_saves_nothing() -> None:
    found = plan(ASKED, 2.0, atoms(5), [FAST])
    assert found.answer is not None
    assert found.answer.fleet.gamma == 1.0
    (sentence,) = told(found)
    assert sentence.startswith("under paged admission compressing saves nothing: gamma ")


def test_a_question_without_compression_is_told_nothing_of_it() -> None:
    found = plan(replace(ASKED, gamma=(1.0, 1.0)), 60.0, atoms(5), [FAST])
    assert found.answer is not None
    assert told(found) == list(worth_words(found.answer, found.candidates, replace(ASKED, gamma=(1.0, 1.0)))) == []
