"""Erlang's formula against textbook figures, the plain recurrence, and its parts in many digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from fleettui.queueing import erlang
from fleettui.queueing.erlang import erlang_c


def by_recurrence(servers: int, load: float) -> float:
    """Return Erlang C by the O(c) recurrence of Erlang B, which is stable."""
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = load * blocked / (count + load * blocked)
    return blocked / (1.0 - load / servers * (1.0 - blocked))


@pytest.mark.parametrize(
    ("servers", "load", "printed", "digits"),
    [(2, 1.0, 0.333333, 6), (16, 13.6, 0.433221, 6), (80, 63.31, 0.027974, 6), (27, 20.0, 0.0961, 4)],
)
def test_textbook_figures(servers: int, load: float, printed: float, digits: int) -> None:
    assert round(float(erlang_c(servers, load)), digits) == printed


@pytest.mark.parametrize("servers", [1, 2, 5, 15, 16, 17, 64, 300, 1000, 5000, 20_000])
@pytest.mark.parametrize("utilization", [0.3, 0.7, 0.85, 0.95, 0.999])
def test_agrees_with_the_recurrence_to_1e_12(servers: int, utilization: float) -> None:
    load = servers * utilization
    waits = by_recurrence(servers, load)
    if waits < 1e-250:
        pytest.skip("below the range of a double")
    assert float(erlang_c(servers, load)) == pytest.approx(waits, rel=1e-12)


@pytest.mark.parametrize("utilization", [1e-9, 0.2, 0.7, 0.999])
def test_one_server_is_busy_for_its_load_and_two_have_a_closed_form(utilization: float) -> None:
    assert float(erlang_c(1, utilization)) == pytest.approx(utilization, rel=1e-13)
    two = 2 * utilization**2 / (1 + utilization)
    assert float(erlang_c(2, 2 * utilization)) == pytest.approx(two, rel=1e-13)


def test_ends_of_the_range() -> None:
    assert float(erlang_c(3, 0.0)) == 0.0
    assert float(erlang_c(3, math.nextafter(3.0, 0.0))) < 1.0
    assert float(erlang_c(3, 3.0)) == 1.0
    assert float(erlang_c(3, 7.0)) == 1.0


def test_broadcasts() -> None:
    waits = erlang_c(np.array([[2.0], [16.0]]), np.array([1.0, 1.5]))
    assert waits.shape == (2, 2)
    assert waits[0, 0] == pytest.approx(1 / 3)


def stirling_error(servers: int) -> Decimal:
    """Return ln c! − (½ ln(2πc) + c ln c − c) in 50 digits."""
    with localcontext() as context:
        context.prec = 50
        c, pi = Decimal(servers), Decimal("3.14159265358979323846264338327950288419716939937510582")
        return Decimal(math.factorial(servers)).ln() - ((2 * pi * c).ln() / 2 + c * c.ln() - c)


@pytest.mark.parametrize("servers", [16, 17, 20])
def test_stirlings_error_is_wrong_by_the_first_term_that_is_left_out(servers: int) -> None:
    found = Decimal(float(erlang._stirling_error(np.array(float(servers)))))
    first = 691 / 360_360 / servers**11
    assert float(found - stirling_error(servers)) == pytest.approx(first, rel=0.04, abs=1e-18)


@pytest.mark.parametrize("servers", [1, 2, 9, 15])
def test_stirlings_error_is_direct_for_few(servers: int) -> None:
    found = float(erlang._stirling_error(np.array(float(servers))))
    assert found == pytest.approx(float(stirling_error(servers)), rel=1e-12)


@pytest.mark.parametrize("ratio", [-0.5, -0.1, -0.0999, -0.01, 1e-9, 0.05, 0.0999, 0.1, 0.9])
def test_the_deviance_is_exact_near_and_far(ratio: float) -> None:
    c, a = 1000.0 * (1 + ratio), 1000.0 * (1 - ratio)  # so that (c − a)/(c + a) is the ratio
    with localcontext() as context:
        context.prec = 50
        exact = Decimal(c) * (Decimal(c) / Decimal(a)).ln() + Decimal(a) - Decimal(c)
    found = float(erlang._deviance(np.array(c), np.array(a)))
    assert found == pytest.approx(float(exact), rel=1e-13, abs=0.0)
