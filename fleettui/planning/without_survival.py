"""The fleet that a plan would come to if no replica had to be survived, beside which it is told what that costs.

What is simulated of a fleet is what is left of it with replicas down, so that the trials of the one search are those of
the other, too, but for what their fleets cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.domain.size_curve import constraints_broken, cost_of_sizes, filled
from fleettui.planning import smallest_fleet
from fleettui.planning.plan_trials import Trials
from fleettui.planning.settled import Settled
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes
from fleettui.planning.worth import Curves, best_first

if TYPE_CHECKING:
    from fleettui.planning.sized_shapes import Shape


async def without_survival(trials: Trials, shapes: Sequence[Shape], settled: Settled) -> Candidate | None:
    """Return the fleet of a question that survives no replica; None where none holds, and where nothing is survived.

    `settled` is the search with those that are survived, over `shapes`, whose trials are taken over. It is not looked
    for where a confidence is wished, whose fleets are larger than what holds, nor in a closed loop.
    """
    question = trials.question
    if not question.survive or question.confidence is not None or question.demand.form == "concurrency":
        return None
    free = replace(question, survive=0)
    source = replace(trials.prover.source, key=f"{trials.prover.source.key} survives none", question=free)
    prover = replace(trials.prover, source=source, question=free)
    bare = [replace(shape, fleet=_bare(shape.fleet)) for shape, _ in shapes]
    curves = await prover.curves([shape.fleet for shape in bare])
    seen = {(walk.shape.candidate, sizes): one for walk in settled.walks for sizes, one in walk.trials.items()}
    held = {shape.candidate: shape for shape, _ in shapes}

    async def attempt(shape: Candidate, sizes: Sizes) -> Trial:
        trial = seen.get((shape.candidate, sizes))
        if trial is None or trial.open:
            trial = await trials.attempt(held[shape.candidate], sizes)
        stage = await prover.stage(shape.fleet, sizes)
        return replace(trial, candidate=replace(stage.candidate, evidence=trial.evidence))

    pairs = sorted(map(_priced, bare, curves), key=lambda pair: pair[0].cost_per_hour)
    order = best_first([shape for shape, _ in pairs], free.objective, free.host_power)
    own = {shape.candidate: curves for shape, curves in pairs}
    found = await smallest_fleet.settle(
        [(shape, own[shape.candidate]) for shape in order],
        attempt,
        max_utilization=free.max_utilization,
        objective=free.objective,
        hosts=free.host_power,
        broken=lambda alike, sizes: constraints_broken(alike, sizes, free),
    )
    if found.answer is None or found.walk is None:
        return None
    shape, least = found.walk.shape, found.answer
    sizes = filled(own[shape.candidate], least.sizes, free)
    larger = least if sizes == least.sizes else await attempt(shape, sizes)
    return (larger if larger.good else least).candidate


def _bare(fleet: Fleet) -> Fleet:
    """Return a fleet none of whose replicas stand by."""
    return replace(fleet, pools=tuple(replace(pool, spares=0) for pool in fleet.pools))


def _priced(shape: Candidate, curves: Curves) -> Shape:
    """Return a shape at what it costs without those that stood by, and its curves."""
    cost = cost_of_sizes(curves, [pool.replicas for pool in shape.fleet.pools])
    return replace(shape, cost_per_hour=cost), curves
