"""A workload's lengths and its arrivals as charts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from fleettui.domain.borderline import Band
from fleettui.domain.workload import LengthDistribution, LengthStatistics, TimeSlice, Workload
from fleettui.reports import units
from fleettui.reports.chart import Axis, Chart, Mark, Point, Series
from fleettui.reports.length_curve import LengthCurve, curves

TOLD_AT = (4096, 8192)
"""Total tokens at which the share of requests is always told."""
FIRST_SHOWN = 0.005
"""The share of requests that the left end of the axis may cut off."""
LONG_SHARE = 0.05
"""Requests are called long above the largest power of two that at least this share of them passes."""
PIECES = 8
"""Straight pieces on a log axis for each interval over which requests are spread evenly."""
FINEST = 1 / 500
"""The least rise of a share that is drawn: no terminal has as many dots."""
DEVIATIONS = 2.0
"""Standard deviations of a Poisson count on each side of its mean that make the band."""
MOST_OUTSIDE = 0.1
"""The share of slices outside that band from which arrivals are called bursty; a Poisson stream has 5 %."""
BURSTS = ((1.25, "like Poisson"), (3.0, "somewhat bursty"), (10.0, "bursty"))
"""Up to which variance over mean of their counts arrivals are called what."""
BURSTIEST = "very bursty"

TIME_UNITS = ((2 * units.DAY, units.DAY, "days"), (3 * units.HOUR, units.HOUR, "hours"), (180, units.MINUTE, "minutes"))
"""From which span in seconds a time axis is in units of how many seconds, and their name."""


def lengths_chart(lengths: LengthDistribution, splits: Iterable[int] = (), gamma: float = 1.0) -> Chart:
    """Return the share of requests up to each number of tokens, total last; `splits` are marked where pools divide.

    With a `gamma` above 1 so is where the band of borderline requests above each split ends, and its share is noted.
    """
    found, splits = curves(lengths), tuple(sorted(set(splits)))
    bands = [Band(split=split, gamma=gamma) for split in splits] if gamma > 1.0 else []
    main = found[-1]
    low = min(2.0 ** math.floor(math.log2(max(curve.quantile(FIRST_SHOWN), 1.0))) for curve in found)
    high = 2.0 ** math.ceil(math.log2(max(low * 2, *(curve.points[-1][0] for curve in found))))
    known = main.name == "total"
    p50, p99 = _percentiles(main, lengths.total)
    percentiles = (Mark(value=p50, label=f"p50 {units.count(p50)}"), Mark(value=p99, label=f"p99 {units.count(p99)}"))
    return Chart(
        title="total tokens, share of requests" if known else "prompt and output tokens, share of requests",
        series=tuple(
            Series(name=one.name, points=_drawn(one, low, high), style="line" if one.even else "step") for one in found
        ),
        x=Axis(label="tokens", write=units.count, log=True, base=2, low=low, high=high),
        y=Axis(label="share of requests", write="{:.1f}".format, low=0.0, high=1.0),
        stops=(
            *(percentiles if known else ()),
            *(Mark(value=split, label=f"split {units.count(split)}") for split in splits),
            *(Mark(value=band.up_to, label=f"γ {units.count(band.up_to)}") for band in bands),
        ),
        notes=(*_notes(main, lengths.total, splits), *_borderline_notes(main, bands)) if known else (),
        summary=_total_in_words(main, lengths, splits) + _borderline_words(main, bands)
        if known
        else _apart_in_words(found, lengths),
    )


def _borderline_notes(curve: LengthCurve, bands: Sequence[Band]) -> Iterator[str]:
    for band in bands:
        yield f"F({units.count(band.up_to)}) {_share(curve.share(band.up_to))}"
        yield f"band {units.percent(_within(curve, band))}"


def _borderline_words(curve: LengthCurve, bands: Sequence[Band]) -> str:
    """Return which share of the requests is borderline, empty where nothing is compressed."""
    ends = (f"{units.count(band.split + 1)} to {units.count(band.up_to)}" for band in bands)
    pairs = zip(bands, ends, strict=True)
    return "".join(f"; {units.percent(_within(curve, band))} are borderline, {words}" for band, words in pairs)


def _within(curve: LengthCurve, band: Band) -> float:
    return curve.share(band.up_to) - curve.share(band.split)


def rate_chart(workload: Workload) -> Chart | None:
    """Return the rate by time slice, or how bursty the arrivals are by window; None where neither is known."""
    timed = [(part, part.rate) for part in workload.slices if part.rate is not None and part.duration > 0]
    if len(timed) > 1:
        return _rates(timed)
    known = tuple(sorted((window, ratio) for window, ratio in workload.arrivals.dispersion if ratio is not None))
    return _bursts(workload, known) if known else None


def _drawn(curve: LengthCurve, low: float, high: float) -> tuple[Point, ...]:
    """Return the curve's points from `low` to `high`; evenly spread requests bend on a log axis, so in small pieces."""
    if not curve.even:
        return ((low, curve.share(low)), *_rising(curve.points), (high, 1.0))
    ends = [low, *(tokens for tokens, _ in curve.points if low < tokens < high), high]
    between = (start * (end / start) ** (piece / PIECES) for start, end in pairwise(ends) for piece in range(PIECES))
    return tuple((tokens, curve.share(tokens)) for tokens in (*between, high))


def _rising(points: Iterable[Point]) -> Iterator[Point]:
    """Yield the points at which the share has risen by as much as an eye could see."""
    drawn = 0.0
    for tokens, share in points:
        if share - drawn >= FINEST:
            yield tokens, share
            drawn = share


def _percentiles(curve: LengthCurve, known: LengthStatistics | None) -> tuple[float, float]:
    """Return P50 and P99: of the original requests where they are known, else as the curve has them."""
    return (curve.quantile(0.5), curve.quantile(0.99)) if known is None else (known.p50, known.p99)


def _notes(curve: LengthCurve, known: LengthStatistics | None, splits: Sequence[int]) -> tuple[str, ...]:
    p50, p99 = _percentiles(curve, known)
    longest = curve.points[-1][0] if known is None else known.maximum
    shares = [(f"F({units.count(at)})", _share(curve.share(at))) for at in sorted({*TOLD_AT, *splits})]
    tokens = [("p50", units.count(p50)), ("p99", units.count(p99)), ("longest", units.count(longest))]
    widest, digits = max(len(name) for name, _ in (*shares, *tokens)), max(len(text) for _, text in tokens)
    return (
        *(f"{name.ljust(widest)} {text}" for name, text in shares),
        *(f"{name.ljust(widest)} {text.rjust(digits)}" for name, text in tokens),
    )


def _total_in_words(curve: LengthCurve, lengths: LengthDistribution, splits: Sequence[int]) -> str:
    p50, p99 = _percentiles(curve, lengths.total)
    words = f"total tokens: p50 {units.count(p50)}, p99 {units.count(p99)}"
    at = splits[0] if splits else _long_from(curve)
    above = 1 - curve.share(at)
    if above <= 0:
        return f"{words}; none above {units.count(at)}"
    carried = units.percent(curve.carried_above(at))
    return f"{words}; {units.percent(above)} above {units.count(at)} carry {carried} of the tokens"


def _long_from(curve: LengthCurve) -> float:
    longest = math.floor(math.log2(max(curve.points[-1][0], 2.0)))
    powers = (2.0**power for power in range(longest, 0, -1))
    return next((power for power in powers if 1 - curve.share(power) >= LONG_SHARE), 1.0)


def _apart_in_words(found: Sequence[LengthCurve], lengths: LengthDistribution) -> str:
    known = {"prompt": lengths.prompt, "output": lengths.output}
    parts = []
    for curve in reversed(found):
        p50, p99 = _percentiles(curve, known[curve.name])
        parts.append(f"{curve.name} p50 {units.count(p50)}, p99 {units.count(p99)}")
    return f"tokens: {'; '.join(parts)}; how they pair is not known"


def _rates(timed: Sequence[tuple[TimeSlice, float]]) -> Chart:
    """Return the rate of each slice over the range in which a Poisson stream of the mean rate would keep it."""
    slices, rates = [part for part, _ in timed], [rate for _, rate in timed]
    mean = math.fsum(part.duration * rate for part, rate in timed) / math.fsum(part.duration for part in slices)
    room = [DEVIATIONS * math.sqrt(mean * part.duration) / part.duration for part in slices]
    span = slices[-1].start + slices[-1].duration - slices[0].start
    size, unit = next(((size, unit) for least, size, unit in TIME_UNITS if span >= least), (1, "seconds"))
    edges = [(part.start - slices[0].start) / size for part in slices] + [span / size]
    bands = (("high end of Poisson", [mean + one for one in room]), ("low end", [max(mean - one, 0.0) for one in room]))
    return Chart(
        title="requests/s by time slice",
        series=tuple(
            Series(name=name, points=tuple(zip(edges, (*values, values[-1]), strict=True)), style="step")
            for name, values in (*bands, ("rate", rates))
        ),
        x=Axis(label=f"time, {unit}", write="{:,.6g}".format, low=0.0, high=span / size),
        y=Axis(label="requests/s", write=units.per_second),
        notes=tuple(
            f"{name.ljust(7)} {units.per_second(value)}/s"
            for name, value in (("highest", max(rates)), ("mean", mean), ("lowest", min(rates)))
        ),
        summary=_rates_in_words(rates, mean, room),
    )


def _rates_in_words(rates: Sequence[float], mean: float, room: Sequence[float]) -> str:
    outside = sum(abs(rate - mean) > one for rate, one in zip(rates, room, strict=True))
    word = "bursty" if outside > len(rates) * MOST_OUTSIDE else "like Poisson"
    least, most = units.per_second(min(rates)), units.per_second(max(rates))
    return f"{least} to {most} requests/s; {outside} of {len(rates)} slices outside the Poisson band: {word}"


def _bursts(workload: Workload, known: tuple[tuple[float, float], ...]) -> Chart:
    """Return variance over mean of the counts by window; a Poisson stream has 1 at every one."""
    rate = workload.arrivals.mean_rate
    sizes = [units.limit(window) for window, _ in known]
    ratios = [f"{ratio:,.1f}" for _, ratio in known]
    widest, digits = max(map(len, sizes)), max(map(len, ratios))
    rows = [f"{size.rjust(widest)}  {ratio.rjust(digits)}" for size, ratio in zip(sizes, ratios, strict=True)]
    told = [f"{ratio} in {size}" for size, ratio in zip(sizes, ratios, strict=True)]
    worst = max(ratio for _, ratio in known)
    word = next((word for most, word in BURSTS if worst <= most), BURSTIEST)
    return Chart(
        title="variance over mean of the counts of arrivals, by window",
        series=(Series(name="variance over mean", points=known),),
        x=Axis(label="window", write=units.limit, log=True, low=known[0][0], high=known[-1][0]),
        y=Axis(label="variance over mean", write="{:,.6g}".format, log=True),
        levels=(Mark(value=1.0, label="Poisson 1"),),
        notes=(*rows, *(() if rate is None else (f"{units.per_second(rate)} requests/s",))),
        summary=f"{word}: variance/mean {', '.join(told)} (Poisson 1)",
    )


def _share(value: float) -> str:
    """Return a share with three decimals, and with more where they would hide that it is not all.

    >>> _share(0.917), _share(0.99989), _share(1.0)
    ('.917', '.9999', '1')
    """
    if value >= 1:
        return "1"
    digits = 3 if value < 0.9995 else 4
    return f"{min(value, 0.9999):.{digits}f}".removeprefix("0")
