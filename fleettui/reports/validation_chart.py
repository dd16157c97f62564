"""Predicted against measured as a chart: the ratio of the two at each measured run, with the band."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fleettui.domain.uncertain import Factors
from fleettui.domain.validation import Comparison, Validation
from fleettui.reports import units
from fleettui.reports.chart import Axis, Chart, Mark, Series

FEWEST = 3
"""Runs that count from which on a picture says more than the table."""
LOG_FROM = 4.0
"""Ratios further apart than this factor are drawn on a log axis."""


def validation_chart(validation: Validation) -> Chart | None:
    """Return predicted over measured TPOT at each run that counts, None where too few do.

    The band that is drawn is that of most runs; each is in or outside its own.
    """
    counted = [one for one in validation.comparisons if one.state == "unsaturated"]
    if len(counted) < FEWEST:
        return None
    band, of_band = Counter(one.band for one in counted).most_common(1)[0]
    inside = [one for one in counted if one.is_in_band]
    outside = [one for one in counted if not one.is_in_band]
    ratios = [one.predicted_tpot / one.point.tpot for one in counted]
    return Chart(
        title="predicted over measured TPOT",
        series=(_series("in its band", inside), _series("outside", outside)),
        x=Axis(label="measured TPOT", write=units.seconds, log=True),
        y=Axis(label="predicted over measured", write="{:.3g}".format, log=max(ratios) > LOG_FROM * min(ratios)),
        levels=(*_edges(band), Mark(value=1.0, label="exact")),
        notes=() if of_band == len(counted) else (f"band of {of_band} runs of {len(counted)}",),
        summary=_said(counted, inside, len(validation.comparisons)),
    )


def _edges(band: Factors) -> tuple[Mark, ...]:
    """Return where a prediction lies whose run took the least and the most of it that the band allows."""
    faster, slower = band
    ends = ((1.0 / slower, "band"), (1.0 / faster, "band"))
    return tuple(Mark(value=value, label=f"{label} {value:.2f}") for value, label in ends if value != 1.0)


def _series(name: str, runs: Sequence[Comparison]) -> Series:
    points = tuple((one.point.tpot, one.predicted_tpot / one.point.tpot) for one in runs)
    return Series(name=name, points=points, style="points")


def _said(counted: Sequence[Comparison], inside: Sequence[Comparison], runs: int) -> str:
    """Return how many lie where, and to which side the predictions lean."""
    short = sum(one.predicted_tpot < one.point.tpot for one in counted)
    told = f"{len(inside)} of {len(counted)} runs in their band; {short} predicted shorter than measured"
    apart = runs - len(counted)
    return f"{told}; {apart} that do not count left out" if apart else told
