"""Bursts as the workload's own: a Poisson process of two rates, fitted to how far its counts vary.

A rate that changes between two values at exponential times gives counts whose variance over mean in windows of t
seconds is 1 + A(1 - (1 - exp(-t/m))/(t/m)): m is its memory, A the excess in the long run. Both are fitted to what was
recorded; of the processes that have them it is the one of two states of equal time, and where these would not vary as
far, the one whose lower rate is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.workloads.arrivals.copies import excess_left, merged, scaling
from fleettui.workloads.arrivals.process import ArrivalProcess, Stream, Variation

SHORTEST, TRIED = 0.05, 400
"""The shortest memory in seconds, and how many are tried."""
LONGEST_SHARE = 0.1
"""The longest memory as a share of the record: of longer ones it holds too few to tell."""
SURPLUS = 6.0
"""Standard deviations above the mean of how many are drawn at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRates:
    """A rate that is `high` for the share `burst` of the time and `low` else, both per second, with its variation."""

    variation: Variation
    burst: float
    high: float
    low: float

    def dispersion(self, seconds: float) -> float:
        """Return the variance over mean of counts in windows of so many seconds."""
        return 1.0 + self.variation.excess * seen(seconds, self.variation.memory)

    @property
    def stays(self) -> tuple[float, float]:
        """Mean seconds for which the rate stays high, and low."""
        return self.variation.memory / (1.0 - self.burst), self.variation.memory / self.burst


def seen(seconds: float, memory: float) -> float:
    """Return the share of the long run's excess that windows of so many seconds have.

    >>> round(seen(60.0, 60.0), 6)
    0.367879
    """
    past = seconds / memory
    return 1.0 + math.expm1(-past) / past


def fit(record: ArrivalRecord) -> TwoRates:
    """Return the two rates whose counts vary most nearly as recorded, by the sum of squares of what they are off."""
    return _fitted(record.rate, record.duration, record.dispersion)


@cache
def _fitted(rate: float, duration: float, dispersion: tuple[tuple[float, float], ...]) -> TwoRates:
    known = [(seconds, ratio - 1.0) for seconds, ratio in dispersion if ratio > 1.0]
    none = (0.0, Variation(excess=0.0, memory=1.0))
    variation = min(_tried(duration, known), default=none, key=lambda one: one[0])[1]
    spread = variation.excess / (2.0 * variation.memory * rate)  # variance over mean² of the rate
    burst = min(0.5, 1.0 / (1.0 + spread))
    high = rate * (1.0 + math.sqrt(spread * (1.0 - burst) / burst))
    return TwoRates(variation=variation, burst=burst, high=high, low=max((rate - burst * high) / (1.0 - burst), 0.0))


def _tried(duration: float, known: list[tuple[float, float]]) -> Iterator[tuple[float, Variation]]:
    """Yield how far off a memory is, with its best excess, for each that is tried."""
    if not known:
        return
    longest = max(LONGEST_SHARE * duration, 2.0 * SHORTEST)
    for place in range(TRIED):
        memory = SHORTEST * (longest / SHORTEST) ** (place / (TRIED - 1))
        shares = [seen(seconds, memory) / excess for seconds, excess in known]
        found = sum(shares) / sum(share * share for share in shares)
        yield sum((found * share - 1.0) ** 2 for share in shares), Variation(excess=found, memory=memory)


def times(draws: Any, requests: int, stream: Stream, /) -> Any:
    """Return copies of the fitted process over each other."""
    found = fit(stream.recorded)

    def copy(own: Any, seconds: float, /) -> Any:
        return _drawn(own, seconds, found)

    return merged(draws, requests, copy, rate=stream.rate, own_rate=stream.recorded.rate)


def _drawn(draws: Any, seconds: float, found: TwoRates) -> Any:
    """Return the times of one copy: unit gaps, run through at the rate of the state that it is in."""
    states, gaps = draws.spawn(2)
    burst_first = draws.random() < found.burst
    order = 1 if burst_first else -1
    means, rates = found.stays[::order], (found.high, found.low)[::order]
    xp = draws.random(0).__array_namespace__()
    pair = _sums(states, seconds, sum(means) / 2.0, means)
    lengths = xp.diff(pair, prepend=0.0)
    done = (lengths.reshape(-1, 2) * rates).ravel().cumsum()
    ends, done = (xp.concatenate(([0.0], one)) for one in (pair, done))
    whole = float(xp.interp(seconds, ends, done))
    passed = _sums(gaps, whole, 1.0, (1.0, 1.0))
    return xp.interp(passed[passed < whole], done, ends)


def _sums(draws: Any, until: float, mean: float, means: tuple[float, ...]) -> Any:
    """Return sums of exponential times whose means alternate between two, at least up to `until`."""
    state = draws.bit_generator.state
    pairs = math.ceil((until / mean + SURPLUS * math.sqrt(until / mean)) / 2.0) + 4
    while True:
        draws.bit_generator.state = state
        found = (draws.standard_exponential((pairs, 2)) * means).ravel().cumsum()
        if found[-1] >= until:
            return found
        pairs *= 2


def vary(stream: Stream, /) -> Variation:
    """Return the fitted variation, of which that many copies leave a part."""
    own = fit(stream.recorded).variation
    left = excess_left(stream.rate / stream.recorded.rate)
    return Variation(excess=own.excess * left, memory=own.memory)


def tell(stream: Stream, /) -> str:
    """Return the fit beside the record, and what another rate makes of it."""
    record = stream.recorded
    found = fit(record)
    counts = ", ".join(
        f"{seconds:g} s {found.dispersion(seconds):.3g} (recorded {ratio:.3g})" for seconds, ratio in record.dispersion
    )
    high, low = found.stays
    return (
        f"two rates fitted to the workload's, {found.high / record.rate:.3g} times the mean for {high:.3g} s and "
        f"{found.low / record.rate:.3g} times for {low:.3g} s on average; variance over mean of the counts {counts}; "
        f"{scaling(stream.rate / record.rate)}"
    )


PROCESS = ArrivalProcess(
    name="bursty",
    help="two rates in turn, fitted to the workload's bursts",
    noun="A burst process fitted to the workload's",
    times=times,
    vary=vary,
    needs="counts",
    tell=tell,
)
