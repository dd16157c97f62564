from dataclasses import replace

import pytest

from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.reports.handoff.lengths import DRAWN, TOO_LONG, pool_lengths, prompt_ranges
from tests.reports.handoff.plans import subject
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


ATOMS = ((50.0, 100.0, 100.0), (49.0, 1000.0, 200.0), (1.0, 1500.0, 900.0), (60.0, 3000.0, 100.0), (9.0, 200.0, 4000.0))
"""Of 169 requests 100 are within 2,048 tokens in all but one; 9 have a short prompt and a long answer."""


def workload(*atoms: tuple[float, float, float]) -> Workload:
    lengths = LengthDistribution(kind="joint", atoms=atoms)
    return Workload(name="x", slices=(TimeSlice(start=0, duration=1, rate=1.0, lengths=lengths),))


def pools(up_to: int):
    short, long = (one.pool for one in subject("two pools").pools)
    return (replace(short, up_to=up_to), replace(long, above=up_to))


def test_prompts_are_told_apart_where_few_answers_make_them_too_long() -> None:
    short, long = prompt_ranges(workload(*ATOMS[:4]), pools(2048))
    assert (short.least, short.most, long.least) == (0, 1500, 1501)
    assert short.too_long == pytest.approx(1 / 100)
    assert short.elsewhere == 0.0
    assert long.elsewhere == pytest.approx(1 / 61)


def test_there_is_no_range_where_short_prompts_have_long_answers_or_nothing_is_known_of_them() -> None:
    assert TOO_LONG < 9 / 59
    short, _ = prompt_ranges(workload(*ATOMS), pools(2048))
    assert short.most == 100  # beyond, 9 answers of 59 are too long
    assert prompt_ranges(workload((1.0, 10.0, 4000.0), (1.0, 3000.0, 10.0)), pools(2048)) == ()
