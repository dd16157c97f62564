"""The task `advice`: what another question takes beside a proven answer, by formula as its simulations correct it."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.advice import Advice
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer
from fleettui.domain.serialization import decode
from fleettui.domain.workload import Workload
from fleettui.planning.anchors import by_replica
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import paid_for, tried_of
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(context: Context, *, source: SceneSource, answer: Answer) -> list[Advice]:
    """Return what would change `answer`, whose candidates are all that was simulated for it."""
    context.check()
    scene = scene_of(source)
    anchors = by_replica(answer.candidates, scene.question, scene.rate)
    tried = tried_of(answer, scene, answer.candidates, anchors)
    return [*tried.advice(decode(Workload, source.workload))]


def paid(context: Context, *, source: SceneSource, fleets: Sequence[Fleet]) -> list[int]:
    """Return how many GPUs each fleet is paid for."""
    context.check()
    scene = scene_of(source)
    return [paid_for(one, scene) for one in fleets]
