"""The tasks of the study `disagg`: both ways to a kept plan's need by formula, and where the cheaper one changes."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.disagg import (
    Axis,
    DisaggFigures,
    DisaggFleet,
    Disaggregated,
    DisaggStage,
    Flip,
    Handover,
    Lost,
)
from fleettui.domain.hardware import Profile
from fleettui.domain.roles import DECODE, PREFILL
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps
from fleettui.domain.simulation import PoolLength, PoolTraffic, Replication, Traffic
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.optimize.disagg import LinksOf, pair_of
from fleettui.optimize.disagg_or_not import Asked, asked_values, flip, lost
from fleettui.optimize.disagg_pair import Pair, Way
from fleettui.planning.disagg_ask import DisaggAsk
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import checked
from fleettui.planning.tasks.simulation_inputs import KEPT, scene_of
from fleettui.planning.tasks.task_cache import Recent
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation import lengths, tandem_run
from fleettui.simulation.lengths import Queue
from fleettui.workloads.arrivals import asked

ROWS = 6
"""Disaggregated fleets that are handed out: the best of each two GPU types."""

_recent = Recent[Asked](KEPT)
_pairs = Recent[tuple[Pair, tuple[Profile, Profile]]](KEPT)


def run(context: Context, *, ask: DisaggAsk) -> Disaggregated:
    """Return both ways to the need of a scene; raises InputError for a GPU whose network nobody knows."""
    wanted = _asked(ask)
    context.progress("searching fleets whose replicas do both, at every token budget")
    both = wanted.colocated
    context.progress("searching fleets that prefill and decode apart")
    found = wanted.disaggregated(ROWS)
    all_on = wanted.narrowed().staying(0).best if wanted.handover.short else None
    return Disaggregated(
        rows=tuple(one.figures for one in found),
        colocated=both,
        flips=(),
        lost=lost(wanted.narrowed(), found[0], found[0].figures) if found else None,
        left_out=ask.left_out,
        passing_all=None if all_on is None else all_on.figures.cost,
    )


def loses(context: Context, *, ask: DisaggAsk, figures: DisaggFigures) -> Lost:
    """Return what of the best fleet's cost buys nothing at the sizes of `figures`."""
    context.check()
    wanted = _asked(ask)
    assert wanted.best is not None, "there are sizes of a fleet that was found"
    return lost(wanted.narrowed(), wanted.best, figures)


def axes(context: Context, *, ask: DisaggAsk) -> tuple[tuple[Axis, float], ...]:
    """Return the inputs that may be moved, with their values; none where no disaggregated fleet holds."""
    context.check()
    wanted = _asked(ask)
    best = wanted.best
    return () if best is None else tuple(asked_values(wanted, best.pair.links.each).items())


def flips(context: Context, *, ask: DisaggAsk, axis: Axis, value: float) -> Flip:
    """Return where the cheaper way changes as one input moves from its `value`."""
    narrowed = _recent.get(f"narrowed {ask.key}", _asked(ask).narrowed)
    return flip(narrowed, axis, value, context.check)


def _asked(ask: DisaggAsk) -> Asked:
    return _recent.get(ask.key, lambda: _make(ask))


def _make(ask: DisaggAsk) -> Asked:
    scene = scene_of(ask.source)
    question = checked(scene.question)
    profiles = [one for one in scene.profiles if one.gpu not in ask.left_out]
    model = catalog.model(question.model)
    found = Asked(
        question=question,
        slices=scene.case.at(scene.rate),
        profiles=profiles,
        both=[one for one in profiles if one.gpu in ask.near],
        grid=question.splits or scene.case.grid(),
        context=scene.context,
        cache_of=lambda dtype: cache_size(model, dtype),
        links_of=lambda typed: _links(question, profiles, typed),
        link=ask.link,
        handover=Handover(parts=model.layers if ask.overlap else 1, first_token=ask.first_token, short=ask.short or 0),
    )
    return found.conditional() if ask.short is None else found


def _links(question: Question, profiles: Sequence[Profile], typed: float | None) -> LinksOf:
    """Return the links of two profiles by the GPUs of the question, else of the catalogue."""
    known = {one.name: one for one in catalog.asked_gpus(question.gpus, dict(question.prices))}
    gpus = {one.gpu: known.get(one.gpu) or catalog.gpu(one.gpu) for one in profiles}
    return lambda prefill, decode: links_between(prefill, decode, gpus, typed)


def stage(context: Context, *, source: SceneSource, fleet: DisaggFleet) -> DisaggStage:
    """Score a fleet as it stands and say how long it must be simulated, under the time slice that asks most of it."""
    context.check()
    scene, sizes = scene_of(source), (fleet.prefill.replicas, fleet.decode.replicas)
    pair, _ = _pair(source, fleet)
    figures, ways = pair.figures(*sizes), pair.ways(*sizes)
    found = lengths.in_tandem(_queues(ways[_busiest(ways)], scene.question))
    busy = max(figures.prefill_busy, figures.decode_busy)
    return DisaggStage(
        figures=figures,
        within=busy <= scene.question.max_utilization * (1.0 + 1e-9) and pair.allowed(*sizes),
        lengths=found.pools,
        look=lengths.look(found.pools),
        unstable=found.unstable,
    )


def replicate(
    context: Context, *, source: SceneSource, fleet: DisaggFleet, length: PoolLength, seed: int, index: int
) -> Replication:
    """Run replication `index` of a fleet for `length`, under the time slice that asks most of it."""
    make_ready(context.progress)
    context.check()
    scene = scene_of(source)
    pair, profiles = _pair(source, fleet)
    busiest = _busiest(pair.ways(fleet.prefill.replicas, fleet.decode.replicas))
    rate, atoms = scene.case.at(scene.rate)[busiest]
    traffic = Traffic(
        pools=(PoolTraffic(arrival_rate=rate, atoms=atoms),),
        prefix_hit=scene.question.prefix_hit,
        arrivals=scene.question.arrivals,
        record=scene.question.record,
    )
    return tandem_run.replicate(
        fleet,
        traffic,
        length,
        admission=scene.question.admission,
        profiles=profiles,
        slo=scene.question.slo,
        seed=seed,
        index=index,
    )


def _pair(source: SceneSource, fleet: DisaggFleet) -> tuple[Pair, tuple[Profile, Profile]]:
    """Return the profiles of a fleet as a pair, and them."""

    def make() -> tuple[Pair, tuple[Profile, Profile]]:
        scene = scene_of(source)
        prefill, decode = (scene.profile_of(pool) for pool in fleet.pools)
        slices = scene.case.at(scene.rate)
        pair = pair_of(fleet, scene.question, slices=slices, profiles=(prefill, decode), context=scene.context)
        return pair, (pair.prefill.profile, pair.decode.profile)

    return _pairs.get(f"{source.key} {dumps(fleet)}", make)


def _busiest(ways: Sequence[Way]) -> int:
    """Return the place of the time slice in which some part of the way is busiest."""

    def busy(way: Way) -> float:
        return max(way.prefill.utilization, float(way.decode.occupancy.utilization[0]), way.link_busy)

    return max(range(len(ways)), key=lambda place: busy(ways[place]))


def _queues(way: Way, question: Question) -> list[Queue]:
    """Return both pools of a way as queues."""
    process = asked(question.arrivals)
    variation = process.process.vary(process.stream(way.stretch.rate, question.record))
    first, then = way.prefill, way.decode
    service, moments, occupancy = then.service, then.moments, then.occupancy
    scv = moments.work_scv(service.base, service.concurrency * service.per_context, 0.0)
    common: dict[str, float] = {"gaps": 1.0 + variation.excess, "memory": variation.memory}
    return [
        Queue(
            name=PREFILL,
            servers=int(first.servers),
            service=first.mean,
            scv=first.scv,
            utilization=first.utilization,
            arrival_rate=first.rate,
            **common,
        ),
        Queue(
            name=DECODE,
            servers=int(then.sharing[0] * service.concurrency[0]),
            service=float(moments.steps[0] * occupancy.full_step[0]),
            scv=float(scv[0]),
            utilization=float(occupancy.utilization[0]),
            arrival_rate=float(then.arrival_rate[0]),
            **common,
        ),
    ]
