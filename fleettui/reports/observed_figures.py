"""What a running fleet shows, as people type it: ttft.p99=380ms,tpot.p50=28ms,running=61."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from fleettui.domain.backtest import Figure, Seen
from fleettui.domain.limit import ALWAYS, METRICS
from fleettui.errors import Gathered, InputError
from fleettui.reports import units
from fleettui.reports.quantity import Quantity

EXAMPLE = "ttft.p99=380ms,tpot.p50=28ms,running=61"
ACCEPTED = f"ttft, tpot or e2e with .mean, .p50, .p99 or another, and running: {EXAMPLE}"
RANGE = ".."
OVER = " over "
HOUR = "1h"
"""How long something was seen for, unless it is said."""
RUNNING = Quantity(name="number of sequences", units={"": Fraction(1)}, accepted="a number above 0: 61, 58.5")
_NUMBER = re.compile(r"(\d+)(?:\.(\d*))?(.*)", re.DOTALL)


def read(text: str, where: str | None = None) -> tuple[Seen, ...]:
    """Return what was seen; raises InputError for all items that do not read, for none, and for one given twice.

    The ends of a value are those that its digits leave open, two at least (1s is 1.0s: nobody types it for 0.5 to
    1.5 s), or those that it names: ttft.p99=250ms..500ms, or where something is known of what is between,
    ttft.p99=250ms..310ms..500ms.

    >>> [(one.figure.metric, one.value, one.low, one.high) for one in read("ttft.p99=0.2s..0.8s,running=61")]
    [('ttft', 0.4, 0.2, 0.8), ('running', 61.0, 60.5, 61.5)]
    >>> [(one.value, one.low, one.high) for one in read("e2e.p50=5s..5.3s..10s")]
    [(5.3, 5.0, 10.0)]
    """
    aside, found = Gathered(), list[Seen]()
    for item in filter(None, (one.strip() for one in text.split(","))):
        with aside.aside():
            seen = _item(item, where)
            if any(one.figure == seen.figure for one in found):
                raise InputError("this is given twice", where=where, value=item)
            found.append(seen)
    with aside.aside():
        _check_rising(found, where)
    aside.check()
    if not found:
        raise InputError("nothing was observed", where=where, accepted=ACCEPTED)
    return tuple(found)


def _check_rising(found: Sequence[Seen], where: str | None) -> None:
    """Raise InputError where a latency at a lower percentile is above that at a higher one."""
    shares = [(one.figure.metric, one.figure.share, one) for one in found if one.figure.share is not None]
    for metric, share, one in shares:
        for other, further, beyond in shares:
            if metric == other and share < further and one.low > beyond.high:
                raise InputError(
                    "a lower percentile is above a higher one", where=where, value=f"{one.text},{beyond.text}"
                )


def read_line(text: str, where: str | None = None) -> tuple[tuple[Seen, ...], float]:
    """Return what was seen and for how many seconds, an hour unless a line ends in another: running=61 over 6h.

    >>> read_line("running=61")[1], read_line("running=61 over 6h")[1]
    (3600.0, 21600.0)
    """
    items, _, over = text.partition(OVER)
    return read(items, where), units.DURATION.parse(over or HOUR, where)


def name(figure: Figure) -> str:
    """Return what a figure is called where it is typed.

    >>> name(Figure(metric="ttft", share=0.99)), name(Figure(metric="e2e")), name(Figure(metric="running"))
    ('ttft.p99', 'e2e.mean', 'running')
    """
    if figure.metric == "running":
        return figure.metric
    return f"{figure.metric}.{'mean' if figure.share is None else f'p{units.write_percentile(figure.share)}'}"


def words(figure: Figure) -> str:
    """Return what a figure is called in a sentence.

    >>> words(Figure(metric="ttft", share=0.99)), words(Figure(metric="e2e")), words(Figure(metric="running"))
    ('P99 TTFT', 'mean E2E', 'what is running')
    """
    if figure.metric == "running":
        return "what is running"
    rank = "mean" if figure.share is None else f"P{units.write_percentile(figure.share)}"
    return f"{rank} {METRICS.named(figure.metric).label}"


def value(figure: Figure, seconds: float) -> str:
    """Return a figure's value in four digits, as it is typed.

    >>> value(Figure(metric="ttft"), 0.0485961), value(Figure(metric="running"), 1112.4)
    ('48.6ms', '1112')
    """
    return _quantity(figure).write(float(f"{seconds:.4g}"))


def _quantity(figure: Figure) -> Quantity:
    return RUNNING if figure.metric == "running" else units.DURATION


def _item(item: str, where: str | None) -> Seen:
    head, equals, text = item.partition("=")
    figure = _figure(head.strip().lower(), item, where)
    if not equals or not text.strip():
        raise InputError("no value is given", where=where, value=item, accepted=ACCEPTED)
    quantity = _quantity(figure)
    first, *further = text.strip().split(RANGE, 2)
    if not further:
        value = quantity.parse(first, where)
        half = min(_half_digit(first, quantity), 0.5 * 10.0 ** (math.floor(math.log10(value)) - 1))
        return Seen(figure=figure, text=item, value=value, low=value - half, high=value + half)
    low, *between, high = (quantity.parse(one, where) for one in (first, *further))
    value = between[0] if between else math.sqrt(low * high)
    if low >= high or not low <= value <= high:
        raise InputError("the ends do not rise", where=where, value=item, accepted="lower end first: 250ms..500ms")
    return Seen(figure=figure, text=item, value=value, low=low, high=high)


def _figure(text: str, item: str, where: str | None) -> Figure:
    head, dot, rank = text.partition(".")
    if head not in (*(metric.name for metric in ALWAYS), "running") or (head == "running") == bool(dot):
        raise InputError("this is nothing to observe", where=where, value=item, accepted=ACCEPTED)
    return Figure(metric=head, share=None if rank == "mean" or not dot else units.percentile(rank, where))


def _half_digit(text: str, quantity: Quantity) -> float:
    """Return half of the last digit that is written, in SI units: 0.0005 s of 28ms."""
    found = _NUMBER.match(text.strip())
    if found is None or "e" in text.lower():
        return 0.0
    return quantity.parse(f"1{found[3]}") * 0.5 * 10.0 ** -len(found[2] or "")
