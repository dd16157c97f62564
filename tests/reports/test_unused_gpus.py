"""What is typed of GPUs that no fleet may have is told, since nobody sees that it changes nothing."""

from dataclasses import replace

from fleettui.domain.offers import PriceTerms
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.table import WIDTH
from fleettui.reports.unused_gpus import unused

ASKED = Question(slo=Slo(ttft=1.0), prices=(("b300", 3.0), ("h100", 2.0)))


def test_prices_and_stocks_of_gpus_that_no_fleet_may_have_are_told_in_a_row_each() -> None:
    assert list(unused(ASKED, ("h100", "l40s"), {"h100", "a100"})) == [
        "--price b300: no effect, no fleet may have it",
        "--max-gpus l40s: no effect, no fleet may have it",
    ]
    assert list(unused(ASKED, ("h100",), {"h100", "b300"})) == []
    many = list(unused(ASKED, ("rtx-pro-6000", "mi300x", "l40s", "t4"), {"h100", "b300"}))
    assert many == ["--max-gpus rtx-pro-6000, mi300x and 2 more: no effect, no fleet may have it"]
    assert all(len(f"! {one}") <= WIDTH for one in many)


def test_a_gpu_that_is_named_and_fits_nowhere_is_told() -> None:
    named = replace(ASKED, prices=(), gpus=("h100", "a100", "./mine.toml"))
    assert list(unused(named, (), {"h100"})) == ["--gpu a100: left out, no replica fits; alone it says why"]
    assert list(unused(named, (), {"h100", "a100"})) == []
    assert list(unused(replace(named, gpus=("all",)), (), {"h100"})) == []


def test_nothing_is_said_of_the_prices_of_a_list() -> None:
    listed = replace(ASKED, price_terms=PriceTerms(price_class="on-demand", provider="aws"))
    assert list(unused(listed, (), {"h100"})) == []
