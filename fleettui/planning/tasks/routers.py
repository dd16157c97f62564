"""The task `routers`: what the runs of several routers, which met the same requests, say of each."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.limit import TPOT, TTFT, Latency
from fleettui.domain.plan import Estimate
from fleettui.domain.routers import Played
from fleettui.domain.simulation import Replication
from fleettui.domain.storm import Storm
from fleettui.optimize.terms import Terms
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.simulation.statistics import ANY, change_of_runs, estimate_of_runs, judge

Runs = Sequence[Replication]


def run(
    context: Context,
    *,
    source: SceneSource,
    names: tuple[str, ...],
    runs: tuple[tuple[Replication, ...], ...],
    unstable: tuple[str, ...],
    own: str,
    precision: float,
    seed: int,
) -> tuple[Played, ...]:
    """Return what each router's `runs` come to, beside those of the router `own`, which is among `names`."""
    context.check()
    limits, plain = Terms.of(scene_of(source).question).limits, runs[names.index(own)]
    found = []
    for name, these, why in zip(names, runs, unstable, strict=True):
        hits = found_of(these)
        evidence = judge(these, limits, precision=precision, seed=seed, unstable=why)
        found.append(
            Played(
                router=name,
                ttft=estimate_of_runs(_worst(these, TTFT.latency), ANY, why),
                tpot=estimate_of_runs(_worst(these, TPOT.latency), ANY, why),
                ttft_change=_change(these, plain, TTFT.latency, why),
                tpot_change=_change(these, plain, TPOT.latency, why),
                attainment=evidence.attainment,
                verdict=evidence.verdict,
                unstable=why,
                spilled=_spilled(these),
                hit=None if None in hits else estimate_of_runs(hits, ANY, why),
                storm=_storm(these),
                hit_change=None if None in hits else change_of_runs(hits, found_of(plain), why),
            )
        )
    return tuple(found)


def _worst(runs: Runs, latency: Latency) -> list[float | None]:
    """Return the latency of each run's worst pool, None where no request of it has one."""
    known = [[pool.at(latency) for pool in one.pools] for one in runs]
    return [max((value for value in pools if value is not None), default=None) for pools in known]


def _spilled(runs: Runs) -> float:
    """Return the share of measured requests that were served in a pool of other lengths."""
    pools = [pool for one in runs for pool in one.pools]
    return sum(pool.spilled for pool in pools) / max(sum(pool.offered for pool in pools), 1)


def _storm(runs: Runs) -> Storm | None:
    """Return the worst minutes of the pool that fares worst in them, None where nobody comes again."""
    known = [pool.storm for one in runs for pool in one.pools if pool.storm is not None]
    return min(known, key=lambda one: one.met, default=None)


def found_of(runs: Runs) -> list[float | None]:
    """Return the share of prompt tokens that each run's pools found in caches, by their requests; None where none are.

    What a request of one pool weighs is as much as of another.
    """
    shares: list[float | None] = []
    for run in runs:
        kept = [(pool.hit, pool.completed) for pool in run.pools if pool.hit is not None]
        served = sum(count for _, count in kept)
        shares.append(sum(hit * count for hit, count in kept) / served if served else None)
    return shares


def _change(runs: Runs, own: Runs, latency: Latency, unstable: str) -> Estimate:
    return change_of_runs(_worst(runs, latency), _worst(own, latency), unstable)
