"""What runs prove of limits: pass, fail or unproven, and the sentence that says what decided (model.md §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import Estimate, Verdict

FAR = 2.0
"""Every run above so many times a limit proves a failure without an interval."""
LEAST_TO_FAIL = 4
"""Fewest runs after which an interval that lies wholly above a limit fails the fleet."""
NEAR = 0.02
"""Share of a limit within which a latency is near it: what then reaches both sides takes many runs to prove."""

Ruling = tuple[Verdict, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedLatency:
    """One latency of a pool by its name and the limit that it is held to, in seconds; `values` are one per run.

    Or a share of its requests, where it `is_share`. A value is None where no request of the run has that latency;
    `served` says whether every run served requests.
    """

    name: str
    limit: float
    values: tuple[float | None, ...]
    estimate: Estimate
    served: bool
    is_share: bool = False

    @property
    def far(self) -> bool:
        """Whether every run is far above the limit."""
        return all(value is not None and value > FAR * self.limit for value in self.values)

    @property
    def above(self) -> bool:
        """Whether enough runs put the whole interval above the limit."""
        low = self.estimate.low
        return len(self.values) >= LEAST_TO_FAIL and low is not None and low > self.limit

    @property
    def within(self) -> bool:
        """Whether the whole interval keeps the limit."""
        return self.estimate.high is not None and self.estimate.high <= self.limit

    @property
    def moot(self) -> bool:
        """Whether no request can break the limit, as where no answer has the second token that makes a TPOT."""
        return self.served and all(value is None for value in self.values)

    @property
    def undefined(self) -> bool:
        """Whether some run shows no value although others do, or has seen no request."""
        return not self.moot and any(value is None for value in self.values)

    @property
    def straddles(self) -> bool:
        """Whether the interval reaches both sides of the limit, which more runs can change."""
        return self.estimate.high is not None and not self.above and not self.within

    def told(self, value: float, digits: int) -> str:
        """Return a value with so many digits, without its unit."""
        return _seconds(100.0 * value if self.is_share else value, digits)

    @property
    def unit(self) -> str:
        """The unit of what is told."""
        return "%" if self.is_share else "s"

    @property
    def allowed(self) -> str:
        """The limit with its unit."""
        return f"{100.0 * self.limit if self.is_share else self.limit:g} {self.unit}"

    @property
    def lingers(self) -> bool:
        """Whether the interval reaches both sides of a limit that the value is NEAR."""
        value = self.estimate.value
        return self.straddles and value is not None and abs(value - self.limit) < NEAR * self.limit


def rule(held: Sequence[LimitedLatency], *, least: int, unstable: str) -> Ruling:
    """Return the verdict on a fleet and its reason.

    `least` is how many runs a pass takes; `unstable` says why no interval can be had, else it is empty. Without any
    limit what is seen passes.
    """
    if far := far_above(held):
        return "fail", f"{far}; {unstable}" if unstable else far
    if above := [one for one in held if one.above]:
        return "fail", _decided(_worst(above, _low), "above")
    if unstable:
        return "unproven", unstable
    if not held:
        return "pass", "no limit was given"
    return _of_intervals(held, least)


def far_above(held: Sequence[LimitedLatency]) -> str:
    """Return the sentence on the latency that is furthest above its limit in every run, if it is far; else ""."""
    far = [one for one in held if one.far]
    if not far:
        return ""
    worst = _worst(far, _value)
    runs = "one run" if len(worst.values) == 1 else "every run"
    return f"{worst.name}: {worst.told(_value(worst), 3)} {worst.unit}, in {runs} above {FAR:g} times {worst.allowed}"


def _of_intervals(held: Sequence[LimitedLatency], least: int) -> Ruling:
    """Return whether every interval keeps its limit; none lies above it."""
    for one in held:
        if one.undefined:
            return "unproven", f"{one.name} is undefined in some runs: too few requests"
    bound = [one for one in held if not one.moot]
    if not bound:
        return "pass", f"{held[0].name}: no request has one"
    runs = len(bound[0].values)
    if runs < least:
        worst = _worst(bound, _value)
        words = "1 run" if runs == 1 else f"{runs} runs"
        return "unproven", f"{worst.name}: {worst.told(_value(worst), 3)} {worst.unit} in {words} of at least {least}"
    worst = _worst(bound, _high)
    if worst.within:
        return "pass", _decided(worst, "within")
    return "unproven", _decided(worst, "on both sides of")


def _worst(held: Sequence[LimitedLatency], end: Callable[[LimitedLatency], float]) -> LimitedLatency:
    """Return the one whose `end` is the largest share of its limit."""
    return max(held, key=lambda one: end(one) / one.limit)


def _low(held: LimitedLatency) -> float:
    assert held.estimate.low is not None, "whoever asks has an interval"
    return held.estimate.low


def _high(held: LimitedLatency) -> float:
    assert held.estimate.high is not None, "whoever asks has an interval"
    return held.estimate.high


def _value(held: LimitedLatency) -> float:
    assert held.estimate.value is not None, "whoever asks has a value"
    return held.estimate.value


def _decided(held: LimitedLatency, side: str) -> str:
    """Return value, interval and limit, with so many digits that the end that decides differs from the limit."""
    end = _low(held) if side == "above" else _high(held)
    digits = next((d for d in (3, 4, 5) if float(f"{end:.{d}g}") != float(f"{held.limit:.{d}g}")), 6)
    value, low, high = (held.told(one, digits) for one in (_value(held), _low(held), _high(held)))
    return f"{held.name}: {value} {held.unit} [{low}, {high}] {side} {held.allowed}"


def _seconds(value: float, digits: int) -> str:
    """Return `value` with so many significant digits, zeros included, and no exponent for large ones.

    >>> _seconds(0.58, 3), _seconds(123.4, 3), _seconds(61234.5, 3)
    ('0.580', '123', '61234')
    """
    return f"{value:.0f}" if value >= 10.0**digits else f"{value:#.{digits}g}".rstrip(".")
