"""A backtest in sentences: what was seen, which constant explains it, what to correct, and what to know of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fleettui.domain.backtest import STEP_TIMES, Figure, Fit
from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.reports import error_text, observed_figures
from fleettui.reports.backtest.finding import Backtest, inside, left
from fleettui.reports.studies import subject
from fleettui.reports.studies.subject import signed_percent

HOLDS = "the prediction holds"
"""How a backtest begins whose figures were seen where they were predicted."""
MEAN_TTFT, MEAN_TPOT, MEAN_E2E = (Figure(metric=metric) for metric in ("ttft", "tpot", "e2e"))
LITTLE = 0.1
"""Share by which a rate times a mean latency may miss what is running before the three are said to disagree."""
LENGTHS = 0.15
"""Share by which outputs as long as the mean latencies say may miss the workload's before that is said."""
APART = 0.01
"""By how much a figure must differ, as a share, to tell two explanations apart."""


def sentences(found: Backtest) -> Iterator[str]:
    """Yield whether the prediction holds; where it does not, what explains the gap and what to do about it."""
    if found.agrees:
        gaps = ", ".join(f"{observed_figures.words(row.figure)} {signed_percent(row.gap)}" for row in found.rows)
        yield f"{HOLDS}: what was seen is within chance of it ({gaps})"
        return
    gaps = ", ".join(
        f"{observed_figures.words(row.figure)} {signed_percent(row.gap)}{' (chance)' if inside(row) else ''}"
        for row in found.rows
    )
    yield f"seen against predicted: {gaps}"
    best = found.ranked[0]
    missed, where = left(best, found.rows)
    if found.coarse:
        yield (
            f"no one constant explains it to the digits; {_factor(best)} does but for {signed_percent(missed)} at "
            f"{where}: a coarse correction, which leaves that much open{_nearer(found, best)}"
        )
    elif not found.explained:
        off = f"{where} {signed_percent(missed)} off"
        yield f"no one constant explains it; {_factor(best)} comes nearest and leaves {off}"
    elif len(found.rows) == 1:
        many = len(found.equals)
        others = f", and so {'does one other' if many == 1 else f'do {many} others'}" if many else ""
        yield f"{_factor(best)} explains it{others}; one figure cannot tell constants apart: observe another two"
        return
    else:
        yield f"{_factor(best)} explains it; the most that is left is {signed_percent(missed)}, at {where}"
    for other in found.equals:
        yield _telling(found, best, other)
    if found.chosen is not None:
        yield _correct(found, found.chosen)


def _factor(fit: Fit) -> str:
    end = "least" if fit.factor.value < 1.0 else "most"
    tried = f", the {end} that is tried," if fit.bounded else ""
    value, low, high = _apart(fit.factor.value, fit.factor.low, fit.factor.high)
    return f"{fit.constant} x{value}{tried} [{low}, {high}]"


def _apart(*values: float) -> list[str]:
    """Return values in three digits, or in as many more, up to five, as tell them apart.

    >>> _apart(1.05, 1.02, 1.08), _apart(1.299, 1.292, 1.3043), _apart(4.0, 3.7, 4.0)
    (['1.05', '1.02', '1.08'], ['1.299', '1.292', '1.304'], ['4', '3.7', '4'])
    """
    told = [[f"{one:.{digits}g}" for one in values] for digits in (3, 4, 5)]
    return next((words for words in told if len({*words}) == len({*values})), told[-1])


def _nearer(found: Backtest, best: Fit) -> str:
    """Return why a constant that comes nearest is not corrected where the best is a coarse correction."""
    nearest = min(found.fits, key=lambda one: one.misfit)
    if nearest.misfit >= best.misfit:
        return ""
    return f"; {_factor(nearest)} comes nearer, but not to the digits either: it is not shown to be the cause"


def _telling(found: Backtest, best: Fit, other: Fit) -> str:
    """Return by which figure two constants that explain the same could be told apart."""
    start = len(found.rows)
    far = [abs(math.log(one / two)) for one, two in zip(best.figures[start:], other.figures[start:], strict=True)]
    at = max(range(len(far)), key=far.__getitem__, default=0)
    explains = f"{_factor(other)} explains it as well"
    if max(far, default=0.0) < APART:
        return f"{explains}: nothing that can be seen at this load tells them apart; test again at another"
    probe, one, two = found.probes[at], best.figures[start + at], other.figures[start + at]
    values = f"{observed_figures.value(probe, one)} with the first, {observed_figures.value(probe, two)} with this"
    return f"{explains}, if less likely: {observed_figures.name(probe)} would tell, {values}"


def _correct(found: Backtest, fit: Fit) -> str:
    """Return what to do about a constant."""
    if fit.constant == "arrival rate":
        return f"correction: plan for {subject.rate(found.plan.demand.rate * fit.factor.value)}"
    pool, *others = found.fleet.fleet.pools
    moved = "; ".join(f"{name} {was} -> {new}" for name, was, new in changes(pool, fit))
    more = f", and x{fit.factor.value:.3g} in {len(others)} more" if others else ""
    taken = "; plan --correct with this study's handle takes it in" if found.takes else ""
    text = f"correction: {moved} in the profile of pool {pool.name}{more}{taken}"
    if fit.constant != "base step time" or others or found.engine_overhead is None:
        return text
    overhead = found.engine_overhead + pool.profile.base_step_time * (fit.factor.value - 1.0)
    return f"{text}, or plan with --engine-overhead {_constant('base_step_time', overhead)}" if overhead > 0 else text


def changes(pool: Pool, fit: Fit) -> Iterator[tuple[str, str, str]]:
    """Yield (field, what it was, what it is) of what a fit changes in a pool's profile."""
    for name in ("kv_blocks",) if fit.constant == "KV blocks" else STEP_TIMES.get(fit.constant, ()):
        was = getattr(pool.profile, name)
        yield name, _constant(name, was), _constant(name, was * fit.factor.value)


def _constant(name: str, value: float) -> str:
    """Return a profile's constant as a fleet's file takes it."""
    if name == "kv_blocks":
        return f"{round(value)}"
    assert name in PoolProfile.__slots__, f"{name} is no constant of a profile"
    return f"{value * 1e6:.4g}us" if value < 1e-3 else f"{value * 1e3:.4g}ms"


def warnings(found: Backtest) -> Iterator[str]:
    """Yield what a reader must know of the prediction and of the correction."""
    if found.slices > 1:
        yield (
            f"of {found.slices} time slices of the workload the busiest is predicted, "
            f"{subject.rate(found.plan.demand.rate)}: hold only what was seen in that one to it"
        )
    yield from _by_littles_law(found)
    yield from _by_its_parts(found)
    proof = found.fleet.evidence
    if proof is not None and (proof.method, proof.verdict) == ("formula", "fail"):
        yield "the fleet as predicted cannot keep up: its figures grow for as long as it is simulated"
    faster, slower = found.fleet.step_factors
    chosen = found.chosen
    if chosen is not None and faster < slower and chosen.constant in STEP_TIMES:
        inside = faster <= chosen.factor.value <= slower
        yield (
            f"the profile's own error is {error_text.error(found.fleet)} ({error_text.known_by(found.fleet)}): "
            f"x{chosen.factor.value:.3g} is {'inside' if inside else 'outside'} that"
        )


def _by_littles_law(found: Backtest) -> Iterator[str]:
    """Yield that the rate, the mean E2E and what is running cannot all be, where they miss each other by a tenth."""
    seen = {observed_figures.name(row.figure): row.seen for row in found.rows}
    running, latency, rate = seen.get("running"), seen.get(observed_figures.name(MEAN_E2E)), found.plan.demand.rate
    if running is None or latency is None:
        return
    product = rate * latency.value
    if rate * latency.low <= running.high * (1.0 + LITTLE) and rate * latency.high >= running.low * (1.0 - LITTLE):
        return
    apart, waiting = running.value / product - 1.0, "; what waits is in E2E and not in running"
    yield (
        f"{subject.rate(rate)} x {observed_figures.value(MEAN_E2E, latency.value)} (e2e.mean) are {product:.4g} "
        f"requests by Little's law, and running={running.value:.4g} was seen, {subject.signed_percent(apart)}: "
        f"{subject.rate(running.value / latency.value)} or {running.value / rate:.3g} s would agree"
        f"{waiting if apart < 0 else ''}"
    )


def _by_its_parts(found: Backtest) -> Iterator[str]:
    """Yield that the mean latencies are of other outputs than the workload's, or of no request at all.

    What E2E has beyond TTFT is a TPOT for each token after the first: the mean ones say how many those were.
    """
    rows = {row.figure: row for row in found.rows}
    if not rows.keys() >= {MEAN_TTFT, MEAN_TPOT, MEAN_E2E}:
        return
    ttft, tpot, e2e = (rows[figure] for figure in (MEAN_TTFT, MEAN_TPOT, MEAN_E2E))
    if e2e.seen.high <= ttft.seen.low:
        yield "e2e.mean is not above ttft.mean: the two are not of the same requests"
        return
    planned = (e2e.predicted.value - ttft.predicted.value) / tpot.predicted.value
    least = max(e2e.seen.low - ttft.seen.high, 0.0) / tpot.seen.high
    most = (e2e.seen.high - ttft.seen.low) / tpot.seen.low
    if least <= planned * (1.0 + LENGTHS) and most >= planned * (1.0 - LENGTHS):
        return
    seen = (e2e.seen.value - ttft.seen.value) / tpot.seen.value
    yield (
        f"e2e.mean less ttft.mean is {seen:.4g} times tpot.mean, where the workload's outputs make it {planned:.4g}, "
        f"{signed_percent(seen / planned - 1.0)}: outputs were others, or the three are not of the same requests"
    )
