from __future__ import annotations

import math

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.workloads.atoms import integer_lengths
from fleettui.workloads.synthetic import CUT_AT, fit_lognormal, lognormal_marginals

OUTPUT = ((0.5, 200.0), (0.99, 1500.0))


def quantile(cdf, share):
    tokens, fractions = np.array(cdf).T
    return float(np.interp(share, fractions, tokens))


def test_two_percentiles_are_met():
    lengths = lognormal_marginals(((0.99, 8000.0), (0.5, 900.0)), OUTPUT)
    assert lengths.kind == "marginals"
    assert quantile(lengths.prompt_cdf, 0.5 / CUT_AT) == pytest.approx(900, rel=0.001)
    assert quantile(lengths.prompt_cdf, 0.99 / CUT_AT) == pytest.approx(8000, rel=0.001)
    assert quantile(lengths.output_cdf, 0.99 / CUT_AT) == pytest.approx(1500, rel=0.001)


def test_the_law_is_cut_at_the_stated_share():
    mu, sigma = fit_lognormal("--output", OUTPUT)
    lengths = lognormal_marginals(OUTPUT, OUTPUT)
    tokens, fraction = lengths.output_cdf[-1]
    assert fraction == 1.0
    assert tokens == pytest.approx(math.exp(mu + 3.719016485 * sigma), rel=1e-6)


def test_more_percentiles_are_fitted_by_least_squares():
    mu, sigma = fit_lognormal(
        "--prompt", ((0.5, math.e**2), (0.8413447460685429, math.e**3), (0.9772498680518208, math.e**5))
    )
    slope, level = np.polyfit([0.0, 1.0, 2.0], [2.0, 3.0, 5.0], 1)
    assert (mu, sigma) == (pytest.approx(level), pytest.approx(slope))


def test_no_length_is_below_one_token():
    lengths = lognormal_marginals(((0.5, 1.0), (0.99, 40.0)), OUTPUT)
    assert lengths.prompt_cdf[0][0] > 1
    assert lengths.prompt_cdf[0][1] > 0.45
    assert lognormal_marginals(((0.5, 0.01), (0.99, 0.02)), OUTPUT).prompt_cdf == ((1.0, 1.0),)


@pytest.mark.parametrize(
    ("percentiles", "what"),
    [
        (((0.5, 900.0),), r"--prompt: two percentiles are needed.*\n.*p50=900,p99=8k"),
        ((), "--prompt: two percentiles are needed"),
        (((0.5, 900.0), (0.5, 950.0)), "--prompt: lengths must rise with the percentile"),
        (((0.5, 900.0), (0.9, 900.0), (0.99, 950.0)), "--prompt: lengths must rise with the percentile"),
        (((0.5, 900.0), (0.99, 100.0)), "--prompt: lengths must rise"),
        (((0.5, 900.0), (1.0, 1000.0)), "--prompt percentile must be below 1 and above 0"),
        (((0.0, 900.0), (0.9, 1000.0)), "--prompt percentile must be below 1 and above 0"),
        (((0.5, 0.0), (0.9, 1000.0)), "--prompt tokens must be above zero"),
        (((0.5, 10.0), (0.9, float("nan"))), "--prompt tokens must be above zero"),
        (((0.5, 10.0), (0.6, 10_000.0)), "beyond any context"),
    ],
)
def test_percentiles_that_say_too_little_are_refused(percentiles, what):
    with pytest.raises(InputError, match=what):
        lognormal_marginals(percentiles, OUTPUT)


def test_the_value_seen_is_shown():
    with pytest.raises(InputError, match=r"\(got 'p50=900'\)"):
        fit_lognormal("--prompt", ((0.5, 900.0),))


@pytest.mark.parametrize("tokens", [1.0, 256.0, 2048.0])
def test_equal_percentiles_are_one_length_for_all(tokens: float) -> None:
    lengths = lognormal_marginals(((0.5, tokens), (0.99, tokens)), ((0.5, 900.0), (0.99, 8000.0)))
    found, shares = integer_lengths(lengths.prompt_cdf)
    assert (found.tolist(), shares.tolist()) == ([tokens], [1.0])
