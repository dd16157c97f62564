"""Special functions against SciPy's, whose accuracy they have."""

import numpy as np
import pytest
from scipy import special as oracle

from fleettui.queueing import special
from fleettui.queueing.erlang import poisson

RNG = np.random.default_rng(7)
MANY = 2000
COUNTS = {
    "few": RNG.integers(1, 20, MANY).astype(float),
    "parts": RNG.uniform(0.01, 20.0, MANY),
    "some": RNG.uniform(20.0, 1000.0, MANY),
    "many": 10.0 ** RNG.uniform(3.0, 5.0, MANY),
}


def near(count: np.ndarray) -> np.ndarray:
    """Return means so near to a count that neither part of Poisson's numbers is small, nor SciPy off by more."""
    found: np.ndarray = np.maximum(count + RNG.uniform(-3.0, 3.0, MANY) * np.sqrt(count), 1e-6)
    return found


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("place", ["near", "below", "above", "far below"])
def test_the_parts_of_poissons_numbers_are_incomplete_gamma_functions(name: str, place: str) -> None:
    count, share = COUNTS[name], RNG.uniform(size=MANY)
    mean = {
        "near": near(count),
        "below": count * np.minimum(share, 1.0 - 6.0 / np.sqrt(count + 50.0)),
        "above": count * (1.0 + 2.0 * share),
        "far below": count * 10.0 ** (-6.0 * share - 0.5),
    }[place]
    below, reached = special.poisson_parts(count, mean, poisson(count, mean))
    assert below == pytest.approx(oracle.gammaincc(count, mean), abs=2e-11, rel=0.0)
    assert reached == pytest.approx(oracle.gammainc(count, mean), abs=2e-11, rel=0.0)
    assert below + reached == pytest.approx(1.0, abs=1e-13)


def test_small_parts_have_their_digits() -> None:
    count, mean = np.array([40.0, 300.0, 3.0, 12.5]), np.array([8.0, 150.0, 60.0, 90.0])
    below, reached = special.poisson_parts(count, mean, poisson(count, mean))
    assert reached[:2] == pytest.approx(oracle.gammainc(count, mean)[:2], rel=1e-12)
    assert below[2:] == pytest.approx(oracle.gammaincc(count, mean)[2:], rel=1e-12)


def test_nobody_comes_where_the_mean_is_none() -> None:
    below, reached = special.poisson_parts(np.array([0.5, 1.0, 9.0]), np.zeros(3), np.zeros(3))
    assert (below.tolist(), reached.tolist()) == ([1.0] * 3, [0.0] * 3)


@pytest.mark.parametrize("largest", [1.0, 2.0, 3.0, 4.0])
def test_the_share_below_of_a_beta_distribution(largest: float) -> None:
    a, b = 1.0 + 10.0 ** RNG.uniform(0.0, largest, MANY), 1.0 + np.floor(10.0 ** RNG.uniform(0.0, largest, MANY))
    mean = a / (a + b)
    x = np.clip(mean + RNG.normal(size=MANY) * 3.0 * np.sqrt(mean * (1.0 - mean) / (a + b)), 1e-6, 1.0 - 1e-6)
    density = np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - oracle.betaln(a, b))
    assert special.beta_below(x, a, b, density) == pytest.approx(oracle.betainc(a, b, x), abs=1e-10, rel=0.0)


def test_an_even_beta_distribution() -> None:
    one = np.ones(1)
    assert special.beta_below(0.25 * one, one, one, one) == pytest.approx([0.25], rel=1e-14)


def test_the_normal_distribution() -> None:
    x = np.concatenate([RNG.normal(size=MANY) * 6.0, [-np.inf, np.inf]])
    assert special.normal_below(x) == pytest.approx(oracle.ndtr(x), rel=1e-13, abs=1e-300)
    for share in (1e-9, 0.01, 0.5, 0.99, 0.999_999):
        assert special.normal_quantile(share) == pytest.approx(oracle.ndtri(share), rel=1e-13, abs=1e-15)


def test_the_gamma_function() -> None:
    x = 10.0 ** RNG.uniform(-2.0, 9.0, MANY)
    assert special.log_gamma(x) == pytest.approx(oracle.gammaln(x), rel=1e-13, abs=1e-14)


def test_lamberts_function() -> None:
    x = np.concatenate([[0.0], 10.0 ** RNG.uniform(-15.0, 300.0, MANY)])
    assert special.lambert(x) == pytest.approx(oracle.lambertw(x.tolist()).real, rel=1e-14, abs=0.0)


def test_the_logistic_function() -> None:
    x = np.concatenate([RNG.normal(size=MANY) * 40.0, [-np.inf, np.inf]])
    assert special.logistic(x) == pytest.approx(oracle.expit(x), rel=1e-14, abs=0.0)
