"""Sensitivity as a study: the tornado, and how many GPUs a joint draw of the inputs needs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeVar

from fleettui.domain.confidence import Confidence
from fleettui.domain.fleet import counted
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.domain.whatif import Axis, Sample, Swing
from fleettui.reports import confidence_text, units
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.subject import About
from fleettui.reports.studies.sweep import value

Figure = TypeVar("Figure", int, float)
RANKS = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_BINS = 12


def sensitivity_study(about: About, swings: Sequence[Swing], sample: Sample, formula: int | None, seed: int) -> Study:
    """Return the study of the swings, the widest first, and of a joint sample; `formula` is the formula's own count."""
    return Study.of(
        about.plan.plan,
        kind="sensitivity",
        title=f"{about.plan.plan.called}: how far its inputs move the GPUs",
        question=about.asked,
        seed=seed,
        sentences=(_widest(swings), *_drawn(about, sample), _alone(about, sample.confidence)),
        tables=(_tornado(about, swings), _ranks(about, sample), _histogram(sample), _distributions(sample)),
        warnings=about.warnings(formula),
    )


def _widest(swings: Sequence[Swing]) -> str:
    first = swings[0]
    if not first.width:
        return "no input moves the number of GPUs alone"
    low, high = (_gpus(gpus) for gpus in first.gpus)
    *others, last = (one.name for one in swings if one.width == first.width)
    if others:
        far = "to where none holds" if math.isinf(first.width) else f"by {counted(round(first.width), 'GPU')}"
        return f"{', '.join(others)} and {last} move it most, each alone {far}, by formula"
    least, most = _end(first, first.low), _end(first, first.high)
    return f"{first.name} alone moves it most: {low} at {least}, {high} at {most}, by formula"


def _gpus(count: int | None) -> str:
    return "no number of GPUs" if count is None else f"{count:,} GPUs"


def _end(swing: Swing, at: float) -> str:
    """Return an end as a value, or as a change where it is one."""
    if swing.quantity == "share" and swing.low < 0:
        return words.signed_percent(at)
    return value(Axis(name=swing.name, quantity=swing.quantity, values=()), at)


def _tornado(about: About, swings: Sequence[Swing]) -> StudyTable:
    held = "shape" if len(about.fleet.fleet.pools) == 1 else "shape and split"
    return table_of(
        "tornado",
        swings,
        ("input", "text", lambda one: one.name),
        ("low", "text", lambda one: _end(one, one.low)),
        ("high", "text", lambda one: _end(one, one.high)),
        ("gpus_low", "count", lambda one: one.gpus[0]),
        ("gpus_high", "count", lambda one: one.gpus[1]),
        ("cost_low", "dollars per hour", lambda one: one.cost[0]),
        ("cost_high", "dollars per hour", lambda one: one.cost[1]),
        note=f"by formula; each input alone, the fleet's {held} held, sized anew; a plan of its own may need fewer; "
        "GPU compute and bandwidth are what steps reach of the datasheet, and part of what the model error of the step "
        "time stands for",
    )


def rank(needed: Sequence[Figure | None], share: float) -> Figure | None:
    """Return the smallest figure that suffices in at least `share` of the draws, None where none does.

    >>> rank([44, 52, 52, None], 0.5), rank([44, None], 0.95)
    (52, None)
    """
    ordered = sorted(needed, key=lambda one: math.inf if one is None else one)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)]


def suffices(sample: Sample, replicas: Sequence[int]) -> float:
    """Return the share of the draws in which every pool needs at most these replicas."""
    held = [
        sizes is not None and all(need <= have for need, have in zip(sizes, replicas, strict=True))
        for sizes in sample.replicas
    ]
    return sum(held) / len(held)


def _drawn(about: About, sample: Sample) -> tuple[str, ...]:
    low, middle, high = (rank(sample.gpus, share) for share in (0.05, 0.5, 0.95))
    own = suffices(sample, [pool.replicas for pool in about.fleet.fleet.pools])
    half = "half cannot be served" if middle is None else f"half need {_gpus(middle)} or fewer"
    most = "or more" if high is None else f"to {high:,}"
    spread = "" if low is None else f", nine in ten {low:,} {most}"
    sentences = [
        f"of {len(sample.gpus)} joint draws {half}{spread}",
        f"the plan's {about.gpus} GPUs suffice in {units.percent(own)} of them",
    ]
    if high is not None and own < RANKS[-1]:
        apart = ", each divided in its own way" if len(about.fleet.fleet.pools) > 1 else ""
        sentences[-1] += f"; 95% of them need {high:,} or fewer{apart}"
    unserved = sum(one is None for one in sample.gpus)
    if unserved:
        sentences.append(
            f"in {units.percent(unserved / len(sample.gpus))} of them no number of GPUs of this shape holds"
        )
    return tuple(sentences)


def _alone(about: About, sure: Confidence) -> str:
    """Return what the error of the step times and the typed ranges alone do, as the plan's own page says it."""
    told = f"{confidence_text.holding(sure, about.fleet)}, {confidence_text.for_more(sure, about.fleet)}"
    return f"{confidence_text.over(sure, about.fleet)} alone, {told}"


def _ranks(about: About, sample: Sample) -> StudyTable:
    rows: list[tuple[str, float | None, float | None]] = [
        (f"P{units.write_percentile(share)}", rank(sample.gpus, share), rank(sample.cost, share)) for share in RANKS
    ]
    own = units.percent(suffices(sample, [pool.replicas for pool in about.fleet.fleet.pools]))
    return table_of(
        "GPUs that this share of the draws needs at most",
        [*rows, (f"the plan ({own})", about.gpus, about.fleet.cost_per_hour)],
        ("percentile", "text", itemgetter(0)),
        ("gpus", "count", itemgetter(1)),
        ("cost_per_hour", "dollars per hour", itemgetter(2)),
        note="by formula, but for the plan's own",
    )


def _histogram(sample: Sample) -> StudyTable:
    """Return the counts in at most 12 bins of equal width, each with its share and all up to it."""
    counts = Counter(one for one in sample.gpus if one is not None)
    rows: list[tuple[int, int, float, float]] = []
    if counts:
        low, high = min(counts), max(counts)
        width, done = max(1, math.ceil((high - low + 1) / MOST_BINS)), 0
        for start in range(low, high + 1, width):
            inside = sum(number for count, number in counts.items() if start <= count < start + width)
            done += inside
            if inside:
                rows.append((start, min(start + width - 1, high), inside / len(sample.gpus), done / len(sample.gpus)))
    return table_of(
        f"GPUs of {len(sample.gpus)} joint draws",
        rows,
        ("gpus_from", "count", itemgetter(0)),
        ("gpus_to", "count", itemgetter(1)),
        ("share", "share", itemgetter(2)),
        ("share_so_far", "share", itemgetter(3)),
    )


def _distributions(sample: Sample) -> StudyTable:
    return table_of(
        "what was drawn", sample.drawn, ("input", "text", itemgetter(0)), ("distribution", "text", itemgetter(1))
    )
