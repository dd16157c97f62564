"""Erlang's formulas against textbook figures and against the plain recurrence."""

import numpy as np
import pytest

from fleettui.queueing.erlang import erlang_b, erlang_c, offered_load_for, servers_for


def by_recurrence(servers: int, load: float) -> tuple[float, float]:
    """Return Erlang B and C by the O(c) recurrence, which is stable."""
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = load * blocked / (count + load * blocked)
    return blocked, blocked / (1.0 - load / servers * (1.0 - blocked))


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
    lost, waits = by_recurrence(servers, load)
    if waits < 1e-250:
        pytest.skip("below the range of a double")
    assert float(erlang_b(servers, load)) == pytest.approx(lost, rel=1e-12)
    assert float(erlang_c(servers, load)) == pytest.approx(waits, rel=1e-12)


def test_ends_of_the_range() -> None:
    assert float(erlang_c(3, 0.0)) == 0.0
    assert float(erlang_c(3, 3.0)) == 1.0
    assert float(erlang_c(3, 7.0)) == 1.0


def test_broadcasts() -> None:
    waits = erlang_c(np.array([[2.0], [16.0]]), np.array([1.0, 1.5]))
    assert waits.shape == (2, 2)
    assert waits[0, 0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("load", [0.0, 0.4, 1.0, 13.6, 63.31, 1000.0, 1e6])
@pytest.mark.parametrize("probability", [0.5, 0.1, 0.01])
def test_servers_for_is_the_smallest_that_does(load: float, probability: float) -> None:
    servers = servers_for(load, probability)
    assert float(erlang_c(servers, load)) <= probability
    assert servers - 1 <= load or float(erlang_c(servers - 1, load)) > probability


@pytest.mark.parametrize("servers", [1, 16, 80, 5000, 100_000])
@pytest.mark.parametrize("probability", [0.9, 0.1, 0.01, 1e-6])
def test_inversion_to_1e_12(servers: int, probability: float) -> None:
    load = offered_load_for(servers, probability)
    nudge = 1e-12 * servers
    assert float(erlang_c(servers, load - nudge)) < probability < float(erlang_c(servers, load + nudge))
