"""The task `pareto`: what a kept plan's question trades for what, worked out anew from what the store holds of it."""

from __future__ import annotations

from fleettui.domain.anchor import Anchor
from fleettui.domain.hardware import Profile
from fleettui.domain.pareto import SeenFleet, Tradeoff
from fleettui.domain.replica import ReplicaKey
from fleettui.hardware import catalog
from fleettui.optimize.pareto import trade
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import checked, serving_profiles
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(
    context: Context,
    *,
    source: SceneSource,
    profiles: tuple[Profile, ...],
    anchors: tuple[tuple[ReplicaKey, Anchor], ...] = (),
    seen: tuple[SeenFleet, ...] = (),
) -> Tradeoff:
    """Return the trade-off of a scene's question, over the fleets of `profiles`, or all that its model fits on.

    `anchors` are what simulations showed of replicas of a kind, `seen` the fleets that were simulated.
    """
    context.progress("reading the lengths")
    scene = scene_of(source)
    question = checked(scene.question)
    return trade(
        question,
        slices=scene.case.at(scene.rate),
        profiles=profiles or serving_profiles(question, catalog.model(question.model)),
        grid=question.splits or scene.case.grid(),
        context=scene.context,
        anchors=dict(anchors),
        seen=seen,
        note=context.progress,
    )
