"""Steps of attention/FFN disaggregation: micro-batches gain, uneven experts cost more the fewer tokens there are."""

import numpy as np
import pytest

from fleettui.optimize.mechanisms import afd_steps
from fleettui.optimize.mechanisms.afd_steps import ZIPF, fullest, rows, uneven


@pytest.fixture
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of a few layers, which are drawn sooner."""
    monkeypatch.setattr(afd_steps, "LAYERS", 12)


@pytest.mark.usefixtures("shallow")
def test_the_fullest_rank_has_the_more_the_fewer_tokens_and_the_more_popular_experts_are() -> None:
    """Of 256 experts in 32 ranks, 8 of them a token: 1.56 times the mean at 64 tokens, 1.13 at 1,024."""
    rng = np.random.default_rng(1)
    few, many = (float(fullest(tokens, 0.0, rng).mean()) for tokens in (64, 1024))
    assert few == pytest.approx(1.56, rel=0.03)
    assert many == pytest.approx(1.13, rel=0.03)
    assert float(fullest(64, ZIPF, rng).mean()) > 1.1 * few


@pytest.mark.thorough
@pytest.mark.usefixtures("shallow")
def test_uneven_experts_make_steps_longer_with_an_interval() -> None:
    few, many = uneven(16, 0.0, seed=1), uneven(1024, 0.0, seed=1)
    assert few.low is not None
    assert many.high is not None
    assert few.low > many.high
    assert many.low is not None
    assert many.low > 0.0


def test_more_micro_batches_shorten_a_step_and_what_is_not_ours_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afd_steps, "TOKENS", (16,))
    found = rows(1, lambda *_: None)
    assert [row.shown for row in found] == ["lower", "lower", "lower", "higher", "higher", ""]
    assert found[-1].ours is None
