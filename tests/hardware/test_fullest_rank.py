"""What the fullest rank has of the experts' tokens: against the law of large numbers, and figures known before."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.domain.expert_load import ExpertLoad, measured
from fleettui.hardware.fullest_rank import SIZES, fullest_rank

EVEN, ZIPF = ExpertLoad(), ExpertLoad(power=0.5)


def test_even_choice_over_32_ranks_is_as_uneven_as_draws_elsewhere_had_it() -> None:
    """256 experts of which 8 are used: the factors that were drawn independently, for other code."""
    found = fullest_rank(EVEN, count=256, used=8, ranks=32)
    assert found.factor([16, 64, 256, 1024, 4096]) == pytest.approx([2.16, 1.56, 1.27, 1.13, 1.06], abs=0.02)


def test_popular_experts_make_one_rank_fuller_at_every_size() -> None:
    even, popular = (fullest_rank(one, count=256, used=8, ranks=32) for one in (EVEN, ZIPF))
    assert np.all(popular.factor(SIZES[6:]) > even.factor(SIZES[6:]))
    assert 1.75 < float(popular.factor(4096)) < float(popular.factor(16)) < 2.6
    assert np.all(popular.experts(SIZES) <= even.experts(SIZES) + 1e-9)


def test_ranks_that_have_all_experts_are_as_full_as_each_other_and_touch_as_many_as_chance_has_it() -> None:
    found = fullest_rank(EVEN, count=256, used=8, ranks=1)
    assert found.factor([1, 7, 500, 1e6]) == pytest.approx(1.0)
    tokens = np.array([1, 4, 16, 64, 256])
    assert found.experts(tokens) == pytest.approx(256 * (1.0 - (1.0 - 8 / 256) ** tokens), rel=0.02)


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_counted_experts_fill_the_ranks_that_hold_them_in_their_order(ranks: int) -> None:
    """No expert has more than all tokens: those in the first half have three times the tokens of the others."""
    load = measured([3.0] * 32 + [1.0] * 32, None)
    found = fullest_rank(load, count=64, used=4, ranks=ranks)
    assert float(found.factor(16_384)) == pytest.approx(1.5, rel=0.01)
    mixed = fullest_rank(measured([3.0, 1.0] * 32, None), count=64, used=4, ranks=ranks)
    assert float(mixed.factor(16_384)) == pytest.approx(1.0, abs=0.03)


def test_an_expert_that_every_token_uses_has_every_token_once() -> None:
    """Seven experts share what is left when the first has more than its part of all choices."""
    found = fullest_rank(measured([90.0] + [1.0] * 7, None), count=8, used=2, ranks=8)
    assert float(found.factor(16_384)) == pytest.approx(4.0)
    assert float(found.factor(1)) == pytest.approx(4.0)


def test_experts_without_tokens_are_not_touched() -> None:
    found = fullest_rank(measured([1.0] * 4 + [0.0] * 4, None), count=8, used=2, ranks=1)
    assert float(found.experts(16_384)) == pytest.approx(4.0)


def test_the_same_load_is_the_same_to_the_bit() -> None:
    one = fullest_rank(ZIPF, count=64, used=4, ranks=8)
    again = fullest_rank.__wrapped__(ZIPF, count=64, used=4, ranks=8)
    assert np.array_equal(one.factors, again.factors)
    assert np.array_equal(one.touched, again.touched)
