"""What a fleet behind a compressor says of it, and the compressor's time in its TTFT."""

from dataclasses import replace

import pytest

from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.optimize.compressor_words import compressor_warnings, compressor_words
from tests.optimize.samples import atoms, plan, profile, question

MEASURED = MeasuredShare(study="e40e", share=0.75, low=0.7, high=0.8, split=2000, gamma=1.5, seconds=0.004)
ASSUMED = question(ttft=2.0, pools=(2,), splits=(2000,), gamma=(1.5, 1.5), compressible=0.75, admission="reserved")


def answer(asked: Question) -> Candidate:
    found = plan(asked, 30.0, atoms(5), [profile("fast")]).answer
    assert found is not None
    return found


def test_the_compressors_time_is_in_the_ttft_of_the_pool_that_takes_its_prompts() -> None:
    assumed, measured = answer(ASSUMED), answer(replace(ASSUMED, compressor=MEASURED))
    assert measured.fleet.gamma == assumed.fleet.gamma == 1.5
    (short, long), (before, same) = measured.pools, assumed.pools
    assert short.ttft - before.ttft == pytest.approx(0.004, rel=1e-6)
    assert (long.ttft, short.tpot) == (same.ttft, before.tpot)


def test_what_is_assumed_and_what_is_measured_is_said() -> None:
    found = answer(ASSUMED)
    assert compressor_words(found, ASSUMED) == ""
    (assumed,) = compressor_warnings(found, ASSUMED)
    assert assumed == "gamma 1.5: 75% are taken to bear compression: fleettui compress measures"
    asked = replace(ASSUMED, compressor=MEASURED)
    measured = compressor_words(found, asked)
    assert "as study e40e measured (70.0% to 80.0%); its P99 of 4 ms is in every TTFT of pool short" in measured
    assert measured.endswith("the cost of its processors is not counted")
    assert [*compressor_warnings(found, asked)] == [
        "gamma 1.5: the compressor's processors are not in the cost: --core-price 0.04/h"
    ]
    priced = replace(found, compressor_cost=0.02), replace(asked, core_price=0.04)
    assert "its 0.5 busy cores cost $0.02/h at $0.04/h each" in compressor_words(*priced)
    assert [*compressor_warnings(*priced)] == []


@pytest.mark.parametrize("other", [{"split": 4096}, {"gamma": 1.25}])
def test_a_share_of_another_band_is_said_to_be_that(other: dict[str, float]) -> None:
    measured = replace(MEASURED, **other)  # type: ignore[arg-type]
    _, warning = compressor_warnings(answer(ASSUMED), replace(ASSUMED, compressor=measured))
    assert warning == "study e40e is of other lengths: fleettui compress PROMPTS --split 2000 --gamma 1.5"
