"""What a plan pays that typed no price is told beside what another one typed."""

from dataclasses import replace

from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.paid_prices import paid

PLAIN = Question(slo=Slo(ttft=0.2), gpus=("h100", "a100"))
TYPED = replace(PLAIN, prices=(("h100", 2.0),))
CATALOGUE = {"h100": 2.95, "a100": 1.8}


def test_a_price_that_one_question_typed_stands_beside_the_catalogues() -> None:
    told = paid([TYPED, PLAIN], [{**CATALOGUE, "h100": 2.0}, CATALOGUE])
    assert told == ("h100 $2.00/h typed", "h100 $2.95/h catalogue")


def test_prices_that_both_typed_alike_are_left_out_and_others_told() -> None:
    both = replace(PLAIN, prices=(("a100", 1.0), ("h100", 2.0)))
    assert paid([TYPED, both], [CATALOGUE, CATALOGUE]) == ("a100 $1.80/h catalogue", "a100 $1.00/h typed")
    dearer = replace(both, prices=(("a100", 1.0), ("h100", 3.0)))
    assert paid([TYPED, dearer], [CATALOGUE, CATALOGUE])[1] == "a100 $1.00/h typed, h100 $3.00/h typed"


def test_prices_have_one_form_whether_one_typed_them_or_both() -> None:
    """Seen: "h100=2" in one comparison, "h100 $2.00/h typed" in the next."""
    dearer = replace(TYPED, prices=(("h100", 3.0),))
    assert paid([TYPED, dearer], [CATALOGUE, CATALOGUE]) == ("h100 $2.00/h typed", "h100 $3.00/h typed")


def test_nothing_is_told_where_all_typed_the_same_or_nothing() -> None:
    assert paid([TYPED, TYPED], [CATALOGUE, CATALOGUE]) == ()
    assert paid([PLAIN, PLAIN], [CATALOGUE, CATALOGUE]) == ()


def test_a_question_without_the_gpu_has_no_price_of_it_and_not_none_at_all() -> None:
    """Seen: "price none -> h200 $3.60/h typed" of a plan with three typed prices that stayed as they were."""
    assert paid([TYPED, PLAIN], [CATALOGUE, {"a100": 1.8}]) == ("h100 $2.00/h typed", "none of h100")
