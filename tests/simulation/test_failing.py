"""Hardware that fails at random is down as often as the binomial form says, in nodes, racks and spans of several."""

from itertools import pairwise

import numpy as np
import pytest

from fleettui.domain.stretch import Change
from fleettui.queueing.availability import Group
from fleettui.simulation.failing import Unit, changes, share_with, units
from tests.repeated import few

REPAIR, LOAD, BETWEEN, DAYS, RUNS = 3.0, 1.0, 20.0, 12_000.0, 20
UP = BETWEEN / (BETWEEN + REPAIR + LOAD)


def shares(on: list[Unit], held: int, seed: int) -> list[float]:
    """Return the share of a long time with at least so many of `held` up, for each number."""
    found = changes(on, held, np.random.default_rng(seed), DAYS)
    return [share_with(found, held, least, 0.0, DAYS) for least in range(1, held + 1)]


def own(held: int, together: int = 1, each: int = 1, between: float = BETWEEN) -> list[Unit]:
    return units(held, together=together, each=each, between=between, repair=REPAIR, load=LOAD)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("on", "group"),
    few(
        [
            (own(6), Group(replicas=1, up=UP)),
            (own(6, together=4), Group(replicas=4, up=UP)),
            (own(6, each=3), Group(replicas=1, up=UP**3)),
            (
                own(6) + own(6, together=3, between=80.0),
                Group(replicas=1, up=UP, in_rack=3, rack_up=80.0 / (80.0 + REPAIR + LOAD)),
            ),
        ],
        1,
    ),
)
def test_enough_replicas_are_up_for_as_long_as_the_binomial_form_says(on: list[Unit], group: Group) -> None:
    runs = np.array([shares(on, 6, seed) for seed in range(RUNS)])
    spread = runs.std(axis=0, ddof=1) / np.sqrt(RUNS)
    for least, mean, off in zip(range(1, 7), runs.mean(axis=0), spread, strict=True):
        assert mean == pytest.approx(group.all_up(least, 6), abs=max(5.0 * off, 2e-4))


def test_a_run_begins_as_any_other_moment() -> None:
    starts = [changes(own(1), 1, np.random.default_rng(seed), 1.0)[:1] for seed in range(4000)]
    down = sum(bool(one) and one[0].moment == 0.0 for one in starts) / len(starts)
    assert down == pytest.approx(1.0 - UP, abs=4.0 * np.sqrt(UP * (1.0 - UP) / len(starts)))


def test_changes_follow_in_order_and_every_one_changes_something() -> None:
    found = changes(own(5, together=2), 5, np.random.default_rng(3), 500.0)
    counts = [5, *(one.serving for one in found)]
    assert all(0 <= one <= 5 for one in counts)
    assert all(before != after for before, after in pairwise(counts))
    assert [one.moment for one in found] == sorted({one.moment for one in found})


@pytest.mark.parametrize(
    ("start", "end", "shares"),
    [
        (0.0, 8.0, (1.0, 0.75, 0.25)),
        (1.0, 5.0, (1.0, 0.75, 0.25)),
        (2.0, 4.0, (1.0, 1.0, 0.0)),
        (3.5, 10.0, (1.0, 4.5 / 6.5, 0.0)),
        (5.0, 6.0, (1.0, 0.0, 0.0)),
        (8.0, 9.0, (1.0, 1.0, 0.0)),
    ],
)
def test_a_share_is_of_the_time_between_two_moments(start: float, end: float, shares: tuple[float, ...]) -> None:
    """Of 5 one goes at 2 s, another at 4, and that comes back at 6: 3, 4 and 5 of them serve for such a share."""
    found = (Change(moment=2.0, serving=4), Change(moment=4.0, serving=3), Change(moment=6.0, serving=4))
    assert tuple(share_with(found, 5, least, start, end) for least in (3, 4, 5)) == pytest.approx(shares)
