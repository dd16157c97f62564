"""From replays to figures: the pools of a run put together, means over runs, and differences run by run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from fleettui.domain.autoscale import SPAN, PolicyFigures, PoolReplay, PoolSite
from fleettui.domain.plan import Estimate
from fleettui.domain.pooled_histogram import percentile
from fleettui.simulation.statistics import LATENCY, SHARE, estimate

HOUR, DAY = 3600.0, 86_400.0
Run = Sequence[PoolReplay]
"""A run of every pool, in the order of the fleet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reckoning:
    """How replays are counted: the pools, the share of requests that the SLO asks for, when the first `event` was."""

    pools: Sequence[PoolSite]
    share: float
    event: float | None = None

    def figures(self, policy: str, runs: Sequence[Run], held_to: Sequence[Run]) -> PolicyFigures:
        """Return the figures of a policy's `runs`, each beside the one of `held_to` with the same requests."""

        def mean(of: Callable[[Run], float | None], ends: tuple[float, float] = LATENCY) -> Estimate:
            return estimate([of(run) for run in runs], ends=ends)

        def change(of: Callable[[Run], float]) -> Estimate:
            return estimate([of(run) - of(other) for run, other in zip(runs, held_to, strict=True)])

        days = self.pools[0].site.day.end / DAY
        return PolicyFigures(
            policy=policy,
            gpu_hours=mean(lambda run: self._gpu_hours(run, [one.billed for one in run])),
            cost_per_hour=mean(self.cost_per_hour),
            met=mean(_met, SHARE),
            worst=mean(_worst, SHARE),
            ttft=mean(self._ttft),
            rejected=mean(lambda run: sum(one.rejected for one in run) / _offered(run), SHARE),
            left=mean(lambda run: sum(one.left for one in run) / _offered(run), SHARE),
            lost=mean(lambda run: sum(one.lost for one in run) / _offered(run), SHARE),
            attempts=mean(lambda run: sum(one.attempts for one in run) / _offered(run)),
            over=mean(lambda run: self._gpu_hours(run, [one.over for one in run])),
            under=mean(lambda run: self._gpu_hours(run, [one.under for one in run])),
            least=mean(lambda run: self._gpu_hours(run, [one.least for one in run])),
            changes=mean(lambda run: sum(one.ups + one.downs for one in run) / days),
            flaps=mean(lambda run: sum(one.flaps for one in run) / days),
            missed=mean(self._missed),
            recovered=Estimate(value=None) if self.event is None else mean(self._recovered),
            cost_change=change(self.cost_per_hour),
            met_change=change(_met),
            by_pool=self._by_pool(runs[0]),
            spans=tuple(_spans(runs[0])),
            choices=tuple(one.choices for one in runs[0]),
        )

    def cost_per_hour(self, run: Run) -> float:
        """Return US dollars an hour, the mean over the day."""
        return sum(
            one.billed * own.gpus * own.price / own.site.day.end for one, own in zip(run, self.pools, strict=True)
        )

    def _gpu_hours(self, run: Run, seconds: Sequence[float]) -> float:
        assert len(run) == len(self.pools), "a run has every pool"
        return sum(one * own.gpus / HOUR for one, own in zip(seconds, self.pools, strict=True))

    def _ttft(self, run: Run) -> float | None:
        cells: Counter[int] = Counter()
        for one in run:
            cells.update(dict(one.ttft.cells))
        return percentile(sorted(cells.items()), self.share) if cells else None

    def _missed(self, run: Run) -> float:
        """Return the longest time on end in which each span met less than the SLO's share."""
        short = [self._is_short(span) for span in _spans(run)]
        return SPAN * max((len([*group]) for misses, group in groupby(short) if misses), default=0)

    def _recovered(self, run: Run) -> float:
        """Return the seconds from the event to the end of the spans on end after it that met less than the share."""
        assert self.event is not None, "asked only where there is one"
        spans, first = _spans(run), int(self.event / SPAN)
        short = [place for place in (first, first + 1) if place < len(spans) and self._is_short(spans[place])]
        if not short:
            return 0.0
        last = short[0]
        while last + 1 < len(spans) and self._is_short(spans[last + 1]):
            last += 1
        return (last + 1) * SPAN - self.event

    def _is_short(self, span: tuple[int, int]) -> bool:
        return span[1] < self.share * span[0]

    def _by_pool(self, run: Run) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(paid * pool.gpus for paid in one.paid) for one, pool in zip(run, self.pools, strict=True))


def _offered(run: Run) -> int:
    return max(sum(one.offered for one in run), 1)


def _met(run: Run) -> float:
    return sum(one.met for one in run) / _offered(run)


def _worst(run: Run) -> float:
    return min((met / offered for offered, met in _spans(run) if offered), default=1.0)


def _spans(run: Run) -> list[tuple[int, int]]:
    pools = zip(*(one.spans for one in run), strict=True)
    return [(sum(offered for offered, _ in parts), sum(met for _, met in parts)) for parts in pools]
