"""What the dollars of a fleet rest on, in the head of an answer and its JSON."""

import dataclasses
from datetime import timedelta

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog
from fleettui.reports.answer_head import answer_head
from fleettui.reports.plan_json import plan_json
from fleettui.reports.price_text import age, price_tags, price_text
from fleettui.reports.text_page import lines

MADE = "2026-11-23T10:00:00Z"


@pytest.fixture
def priced(best: Candidate) -> Candidate:
    """Return 24 H100 at the catalogue's price."""
    return dataclasses.replace(best, cost_per_hour=24 * 2.95)


def test_a_price_says_its_class_its_date_and_its_age(priced: Candidate, question: Question) -> None:
    told = "H100 $2.95/h median of providers; 2026-05"
    assert price_text(priced, question) == price_text(priced, question, "2026-06-02T10:00:00Z") == told
    assert price_text(priced, question, MADE) == f"{told}, 6 months old"


@pytest.mark.parametrize(("price", "told"), [(2.0, "$2.00"), (2.655, "$2.655")])
def test_a_typed_price_is_the_readers_own(best: Candidate, question: Question, price: float, told: str) -> None:
    """All its digits are told, so that the sum can be done by hand."""
    asked = dataclasses.replace(question, prices=(("h100", price),))
    typed = dataclasses.replace(best, cost_per_hour=24 * price)
    assert price_text(typed, asked, MADE) == f"H100 {told}/h as typed"


def test_a_plan_at_prices_that_are_no_longer_the_catalogues_has_no_class(best: Candidate, question: Question) -> None:
    assert best.cost_per_hour != 24 * 2.95
    assert price_text(best, question, MADE) == ""
    nameless = dataclasses.replace(best.fleet.pools[0], gpu="mine")
    own = dataclasses.replace(best, fleet=dataclasses.replace(best.fleet, pools=(nameless,)))
    assert price_tags(own, question) == ()


@pytest.mark.parametrize(
    ("dated", "days"), [("2026-05", 176), ("2025-12-31", 327), ("2025-08 or later", 449), ("2026", None), ("?", None)]
)
def test_a_price_is_as_old_as_it_is_at_least(dated: str, days: int | None) -> None:
    assert age(dated, MADE) == (None if days is None else timedelta(days=days))


def test_it_stands_below_the_dollars_and_in_the_data(answer: Answer, priced: Candidate, question: Question) -> None:
    plan = dataclasses.replace(answer.plan, created=MADE)
    seen = dataclasses.replace(answer, answer=priced, plan=plan)
    for brief in (True, False):
        told = lines(answer_head(seen, question, brief=brief))
        assert "prices  H100 $2.95/h median of providers; 2026-05, 6 months old" in told
    (tag,) = plan_json(seen, question=question)["prices"]
    assert (tag["gpu"], tag["per_hour"], tag["offer"]["basis"]) == ("h100", 2.95, "median")


def test_the_catalogues_prices_have_a_class_and_lie_within_what_was_posted() -> None:
    for gpu in catalog.gpus():
        if gpu.price is not None:
            assert gpu.price.basis, gpu.name
            low, high = gpu.price.posted or (0.0, 1e6)
            assert low <= gpu.price.per_hour <= high, gpu.name


def test_a_price_of_a_class_names_class_seller_date_and_age(best: Candidate, question: Question) -> None:
    from fleettui.domain.offers import PriceTerms
    from fleettui.hardware.price_list import offered

    terms = offered(PriceTerms(price_class="reserved-1y", provider="coreweave"))
    asked = dataclasses.replace(question, prices=tuple(terms.prices().items()), price_terms=terms)
    listed = dataclasses.replace(best, cost_per_hour=24 * 2.25)
    assert price_text(listed, asked, MADE) == "H100 $2.25/h reserved-1y coreweave; 2026-03, 8 months old"
    (tag,) = price_tags(listed, asked)
    assert tag.is_listed
