"""Recorded streams at other rates: copies that keep the clock, and what they make of the bursts."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.errors import InputError
from fleettui.workloads.arrivals import ARRIVALS
from fleettui.workloads.arrivals.bursty import fit, tell
from fleettui.workloads.arrivals.process import Stream
from tests.workloads.arrivals.test_process import RECORD

SLOW = ArrivalRecord(rate=4.0, duration=3_600.0, dispersion=((1.0, 2.2), (10.0, 8.9), (60.0, 18.1)))
"""An excess of 20 in the long run, remembered for eight seconds."""
INTERRUPTED = ArrivalRecord(rate=2.57, duration=3_436.0, dispersion=((1.0, 13.2), (10.0, 71.9), (60.0, 166.9)))
WINDOWS = (1.0, 10.0, 60.0)


def drawn(name: str, record: ArrivalRecord, rate: float, requests: int) -> np.ndarray:
    return np.asarray(ARRIVALS.named(name).times(np.random.default_rng(5), requests, Stream(rate=rate, record=record)))


def dispersion(times: np.ndarray, window: float) -> float:
    counts = np.histogram(times, np.arange(0.0, times[-1], window))[0]
    return float(counts.var() / counts.mean())


@pytest.mark.parametrize("record", [SLOW, INTERRUPTED])
def test_two_rates_have_the_mean_and_the_dispersion_that_were_recorded(record: ArrivalRecord) -> None:
    found = fit(record)
    assert found.burst * found.high + (1.0 - found.burst) * found.low == pytest.approx(record.rate)
    assert 0.0 <= found.low < record.rate < found.high
    times = drawn("bursty", record, record.rate, 500_000)
    assert len(times) / times[-1] == pytest.approx(record.rate, rel=0.04)
    for window, ratio in record.dispersion:
        assert found.dispersion(window) == pytest.approx(ratio, rel=0.12)
        assert dispersion(times, window) == pytest.approx(found.dispersion(window), rel=0.08)


def test_a_stream_no_burstier_than_poisson_s_is_poisson_s() -> None:
    even = ArrivalRecord(rate=4.0, duration=3_600.0, dispersion=((1.0, 0.9), (10.0, 1.0), (60.0, 0.4)))
    assert fit(even).high == fit(even).low == 4.0
    assert dispersion(drawn("bursty", even, 9.0, 200_000), 10.0) == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(("times", "left"), [(0.25, 0.25), (1.0, 1.0), (2.5, 2.25 / 2.5), (7.0, 1.0)])
def test_more_copies_keep_the_dispersion_and_a_part_has_that_part(times: float, left: float) -> None:
    found = drawn("bursty", SLOW, times * SLOW.rate, 400_000)
    for window in WINDOWS:
        assert dispersion(found, window) == pytest.approx(1.0 + left * (fit(SLOW).dispersion(window) - 1.0), rel=0.1)


def test_replay_at_its_own_rate_is_the_record_from_somewhere_on_and_around() -> None:
    own = len(RECORD.times) - 1
    found = drawn("replay", RECORD, own / RECORD.times[-1], 2 * own)
    gaps = np.sort(np.diff(RECORD.times))
    assert np.isin(np.diff(found).round(7), gaps.round(7)).mean() > 0.999
    assert found[-1] == pytest.approx(2 * RECORD.times[-1], rel=0.01)


def test_replay_lays_copies_over_each_other_and_never_squeezes_the_clock() -> None:
    slow = ArrivalRecord(
        rate=4.0, duration=50_000.0, dispersion=SLOW.dispersion, times=tuple(drawn("bursty", SLOW, 4.0, 200_000))
    )
    for times, left in ((0.5, 0.5), (6.0, 1.0)):
        found = drawn("replay", slow, times * 4.0, 300_000)
        assert len(found) / found[-1] == pytest.approx(times * 4.0, rel=0.03)
        assert dispersion(found, 10.0) == pytest.approx(1.0 + left * (fit(SLOW).dispersion(10.0) - 1.0), rel=0.15)


def test_more_copies_than_can_be_drawn_are_refused() -> None:
    with pytest.raises(InputError, match="too low a rate"):
        ARRIVALS.named("bursty").vary(Stream(rate=1e6, record=SLOW))


def test_the_fit_is_told_beside_the_record() -> None:
    told = tell(Stream(rate=8.0, record=SLOW))
    assert f"10 s {fit(SLOW).dispersion(10.0):.3g} (recorded 8.9)" in told
    assert told.endswith("at 2 times their rate copies of them come at times of their own, the clock as it is")
