"""What is typed of GPUs that no fleet may have is told, since nobody sees that it changes nothing."""

from dataclasses import replace

from fleettui.domain.offers import PriceTerms
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.table import WIDTH
from fleettui.reports.unused_gpus import unused

ASKED = Question(slo=Slo(ttft=1.0), prices=(("b300", 3.0), ("h100", 2.0)))


def test_prices_and_stocks_of_gpus_that_no_fleet_may_have_are_told_in_a_row_each() -> None:
    assert list(unused([ASKED], ("h100", "l40s"), {"h100", "a100"})) == [
        "--price b300: no effect, no fleet may have it",
        "--max-gpus l40s: no effect, no fleet may have it",
    ]
    assert list(unused([ASKED], ("h100",), {"h100", "b300"})) == []
    many = list(unused([ASKED], ("rtx-pro-6000", "mi300x", "l40s", "t4"), {"h100", "b300"}))
    assert many == ["--max-gpus rtx-pro-6000, mi300x and 2 more: no effect, no fleet may have it"]
    assert all(len(f"! {one}") <= WIDTH for one in many)


def test_a_gpu_that_is_named_and_fits_nowhere_is_told() -> None:
    named = replace(ASKED, prices=(), gpus=("h100", "a100", "./mine.toml"))
    assert list(unused([named], (), {"h100"})) == ["--gpu a100: left out, no replica fits; alone it says why"]
    assert list(unused([named], (), {"h100", "a100"})) == []
    assert list(unused([replace(named, gpus=("all",))], (), {"h100"})) == []


def test_nothing_is_said_of_the_prices_of_a_list() -> None:
    listed = replace(ASKED, price_terms=PriceTerms(price_class="on-demand", provider="aws"))
    assert list(unused([listed], (), {"h100"})) == []


def test_what_a_gpu_lacks_is_told_where_it_is_that() -> None:
    """Found: "no replica fits" stood at A100 beside fp8 weights, which fit its memory and for which it has no units."""
    asked = replace(ASKED, prices=(), gpus=("h100", "a100", "a10g", "l40s"))
    assert list(unused([replace(asked, dtype="fp8")], ("a100",), {"h100"})) == [
        "--gpu a100, a10g: left out, no fp8 units",
        "--gpu l40s: left out, no replica fits; alone it says why",
        "--max-gpus a100: no effect, no fp8 units",
    ]
    cached = list(unused([replace(asked, kv_dtype="fp8")], (), {"h100", "l40s"}))
    assert cached == ["--gpu a100, a10g: left out, no fp8 units to read the cache"]
    blocks = replace(asked, gpus=("h100", "mi300x", "mi355x"), dtype="nvfp4")
    assert list(unused([blocks], (), {"b200"})) == [
        "--gpu h100, mi300x: left out, no fp4 units",
        "--gpu mi355x: left out, nvfp4 is NVIDIA's",
    ]


def test_what_a_gpu_lacks_for_some_workloads_alone_is_no_reason() -> None:
    both = [replace(ASKED, prices=(), gpus=("h100", "a100"), dtype=dtype) for dtype in ("fp8", "bf16")]
    assert list(unused(both, (), {"h100"})) == ["--gpu a100: left out, no replica fits; alone it says why"]
    assert list(unused(both[:1] * 2, (), {"h100"})) == ["--gpu a100: left out, no fp8 units"]
