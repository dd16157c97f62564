from dataclasses import replace

import pytest

from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.reports.handoff.lengths import DRAWN, pool_lengths
from tests.store import samples


def of(lengths: LengthDistribution) -> Workload:
    return Workload(name="x", slices=(TimeSlice(start=0, duration=1, rate=1.0, lengths=lengths),))


POOL = samples.pool("all", "h100", 0, 4096, 1)


def test_lengths_come_as_often_as_their_weight() -> None:
    joint = of(LengthDistribution(kind="joint", atoms=((3.0, 100.0, 10.0), (1.0, 200.4, 20.0), (9.0, 9000.0, 1.0))))
    found = pool_lengths(joint, POOL)
    assert len(found) == DRAWN
    assert (found.count((100, 10)), found.count((200, 20))) == (750, 250)
    assert pool_lengths(joint, replace(POOL, above=300, up_to=400, context=400)) == ()


def test_totals_are_divided_by_their_share() -> None:
    total = of(LengthDistribution(kind="total", cdf=((1000, 0.5), (2000, 1.0)), output_share=0.2))
    found = pool_lengths(total, POOL)
    assert sum(prompt + output for prompt, output in found) / DRAWN == pytest.approx(1000, rel=0.01)
    assert all(output == pytest.approx(0.2 * (prompt + output), abs=1) for prompt, output in found)
    assert len(set(found)) > DRAWN / 2


def test_lengths_known_apart_have_no_pairs() -> None:
    apart = LengthDistribution(kind="marginals", prompt_cdf=((1000, 1.0),), output_cdf=((200, 1.0),))
    assert pool_lengths(of(apart), POOL) == ()
