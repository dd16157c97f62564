"""The task `pareto`: what a kept plan's question trades for what, worked out anew from what the store holds of it."""

from __future__ import annotations

from typing import Any

from fleettui.domain.hardware import Profile
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.hardware import catalog
from fleettui.optimize.pareto import trade
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import checked, serving_profiles
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return the `tradeoff` of a scene's question, over the fleets of `profiles`, or all that its model fits on."""
    context.progress("reading the lengths")
    scene = scene_of(payload)
    question = checked(scene.question)
    known = from_plain(tuple[Profile, ...], payload["profiles"])
    found = trade(
        question,
        slices=scene.case.at(scene.rate),
        profiles=known or serving_profiles(question, catalog.model(question.model)),
        grid=question.splits or scene.case.grid(),
        context=scene.context,
        note=context.progress,
    )
    return {"tradeoff": to_plain(found)}
