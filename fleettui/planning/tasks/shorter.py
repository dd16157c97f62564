"""The task `shorter-prompts`: which pool of a fleet, its splits held, more requests of shorter prompts overload."""

from __future__ import annotations

from fleettui.domain.length_factors import Lengths
from fleettui.domain.plan import Answer
from fleettui.errors import InputError
from fleettui.optimize.held_fleet import HeldFleet, Situation
from fleettui.planning.anchors import anchors_of
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import scene_of

SHORTER = 0.9
"""What part of their length prompts are tried at."""


def prompts(context: Context, *, source: SceneSource, answer: Answer) -> str:
    """Return which pool of a proven answer takes more replicas where prompts are SHORTER, empty where none does.

    The fewer tokens of each take fewer; but more requests fall below a split that stays, into a pool sized for less.
    """
    context.check()
    best, scene = answer.answer, scene_of(source)
    if best is None or len(best.fleet.pools) == 1:
        return ""
    profiles = [scene.profile_of(pool) for pool in best.fleet.pools]
    try:
        held = HeldFleet.of(
            best.fleet, scene.question, profiles, scene.case.at(1.0), anchors_of(answer, scene.question)
        )
    except InputError:  # a fleet that was given need not be one that the formulas can size
        return ""
    hit = scene.question.prefix_hit
    needed = held.replicas(Situation(rate=scene.rate, lengths=Lengths(prompt=SHORTER), prefix_hit=hit))
    for pool, more in zip(best.fleet.pools, needed or (), strict=False):
        if more > pool.replicas:
            return (
                f"--prompt-length {SHORTER * scene.question.lengths.prompt:.3g}, split held: "
                f"pool {pool.name} takes ~{more} replicas, not {pool.replicas}"
            )
    return ""
