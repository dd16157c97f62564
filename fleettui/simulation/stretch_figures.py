"""From runs of a stretch to figures: the pools of a run put together, and means over the runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from fleettui.domain.plan import Estimate
from fleettui.domain.pooled_histogram import percentile
from fleettui.domain.simulation import Histogram
from fleettui.domain.stretch import PHASES, Moment, Phase, PhaseFigures, PoolFigures, PoolStretch, StretchFigures
from fleettui.simulation.statistics import LATENCY, SHARE, estimate

Run = Sequence[PoolStretch]
"""A run of every pool, in the order of the fleet."""
WHOLE = "all pools"


def stretch_figures(runs: Sequence[Run], *, share: float, step: float) -> StretchFigures:
    """Return what the `runs` of a fleet come to; `share` is the SLO's percentile, `step` the seconds of a bin."""
    return StretchFigures(
        phases=tuple(_phase(place, runs, share) for place in range(len(PHASES))),
        pools=tuple(_pools(runs)),
        worst=estimate([_worst(run) for run in runs], ends=SHARE),
        moments=tuple(_moments(runs, step)),
    )


def _phase(place: int, runs: Sequence[Run], share: float) -> PhaseFigures:
    parts = [[pool.phases[place] for pool in run] for run in runs]

    def mean(of: Callable[[Sequence[Phase]], float | None], ends: tuple[float, float] = LATENCY) -> Estimate:
        return estimate([value for one in parts if (value := of(one)) is not None], ends=ends)

    return PhaseFigures(
        name=PHASES[place],
        seconds=mean(lambda pools: pools[0].seconds),
        rate=mean(lambda pools: sum(one.offered for one in pools) / pools[0].seconds if pools[0].seconds else None),
        met=mean(lambda pools: _share((one.offered, one.met) for one in pools), SHARE),
        ttft=mean(lambda pools: _percentile([one.ttft for one in pools], share)),
        tpot=mean(lambda pools: _percentile([one.tpot for one in pools], share)),
    )


def _share(counts: Iterable[tuple[int, int]]) -> float | None:
    """Return the share of the offered that was met, None where nothing was offered."""
    offered, met = map(sum, zip(*counts, strict=True))
    return met / offered if offered else None


def _percentile(histograms: Iterable[Histogram], share: float) -> float | None:
    cells: Counter[int] = Counter()
    for one in histograms:
        cells.update(dict(one.cells))
    return percentile(sorted(cells.items()), share) if cells else None


def _pools(runs: Sequence[Run]) -> Iterable[PoolFigures]:
    """Yield the figures of each pool, and of all together where there are several."""
    for own in zip(*runs, strict=True):
        yield _figures(own[0].name, [one.waiting for one in own], [one.recovered for one in own])
    if len(runs[0]) > 1:
        waiting = [
            max(map(sum, zip(*([one.waiting for one in pool.bins] for pool in run), strict=True))) for run in runs
        ]
        yield _figures(WHOLE, waiting, [_slowest(run) for run in runs])


def _figures(name: str, waiting: Sequence[float], recovered: Sequence[float | None]) -> PoolFigures:
    return PoolFigures(
        name=name,
        waiting=estimate(waiting, ends=LATENCY),
        recovered=estimate(recovered, ends=LATENCY),
        unrecovered=sum(one is None for one in recovered),
    )


def _slowest(run: Run) -> float | None:
    """Return when the last pool had recovered, None where one had not."""
    known = [one.recovered for one in run if one.recovered is not None]
    return max(known) if len(known) == len(run) else None


def _worst(run: Run) -> float:
    spans = zip(*(pool.spans for pool in run), strict=True)
    return min((share for span in spans if (share := _share(span)) is not None), default=1.0)


def _moments(runs: Sequence[Run], step: float) -> Iterable[Moment]:
    for place in range(len(runs[0][0].bins)):
        bins = [[pool.bins[place] for pool in run] for run in runs]
        slowest = [max(known) for run in bins if (known := [one.ttft for one in run if one.ttft is not None])]
        counts = [(one.offered, one.met) for run in bins for one in run]
        yield Moment(
            start=place * step,
            rate=sum(offered for offered, _ in counts) / (step * len(runs)),
            waiting=sum(one.waiting for run in bins for one in run) / len(runs),
            ttft=sum(slowest) / len(slowest) if slowest else None,
            met=_share(counts),
        )
