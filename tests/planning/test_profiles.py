from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning.profiles import show_profile, validate

MEASURED = Path(__file__).parents[2] / "../shared/data/measured-h100.csv"


async def test_a_profile_is_worked_out() -> None:
    found = await show_profile("h100", "llama-3.1-70b", "fp8", 4)
    assert (found.dtype, found.tp) == ("fp8", 4)


async def test_what_does_not_fit_says_what_would() -> None:
    with pytest.raises(InputError) as caught:
        await show_profile("a10g", "llama-3.1-405b", "bf16", 1)
    assert caught.value.remedy


@pytest.mark.thorough
@pytest.mark.skipif(not MEASURED.exists(), reason="the measured points are not beside the checkout")
async def test_predictions_are_held_to_measurements() -> None:
    found = await validate([str(MEASURED)])
    llama = [one for one in found.summaries if (one.model, one.dtype) == ("llama-3.1-70b", "fp8")]
    assert {one.tp for one in llama} == {2, 4, 8}
    assert sum(one.points for one in found.summaries) == len(found.comparisons)
    assert any(one.kv_bound for one in llama)
