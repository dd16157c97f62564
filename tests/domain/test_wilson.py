import pytest
from scipy import stats

from fleettui.domain.wilson import wilson


@pytest.mark.parametrize(("found", "tried"), [(0, 1), (1, 1), (0, 74), (225, 300), (224, 224), (1, 100_000)])
def test_the_interval_is_wilsons(found: int, tried: int) -> None:
    ends = stats.binomtest(found, tried).proportion_ci(method="wilson")
    assert wilson(found, tried) == pytest.approx((ends.low, ends.high), abs=1e-12)
