"""Whether simulations may find a fleet within limits that none keeps by formula: what a plan by formula says of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import is_constrained, least_of_each, without_constraints
from fleettui.domain.scenario import Question
from fleettui.optimize.evaluate import broken_constraints
from fleettui.planning.tasks.simulation_inputs import Scene
from fleettui.planning.walk import least_sizes
from fleettui.planning.walked_shapes import walked_shapes

FEWER = 0.85
"""The share of a pool's replicas by formula that may suffice as simulated; one fewer may in any case."""
MAY_KEEP = "as simulated a fleet may keep the limits: plan without --no-verify"

Find = Callable[[Question], Answer]
"""Answers another question about a scene's lengths by formula."""


def may_keep(answer: Answer, scene: Scene, find: Find) -> tuple[str, ...]:
    """Return the sentence that simulations may find a fleet within the limits, nothing where it takes none for that."""
    if not is_constrained(answer, scene.question) or scene.question.preset == "paper":
        return ()
    return (MAY_KEEP,) if any(_keeps(one, scene) for one in _past_limits(scene.question, find)) else ()


def _past_limits(question: Question, find: Find) -> Iterator[Candidate]:
    for asked in (without_constraints(question), *least_of_each(question)):
        found = find(asked)
        if found.answer is not None:
            holding = [one for one in found.candidates if not one.shortfalls]
            yield from walked_shapes(holding, found.answer, asked)


def _keeps(one: Candidate, scene: Scene) -> bool:
    """Return whether a fleet with some replicas fewer, as few as its load allows, keeps the limits on it."""
    least = least_sizes(one, scene.question.max_utilization)
    pairs = zip(least, one.fleet.pools, strict=True)
    sizes = [max(low, 1, min(pool.replicas - 1, math.ceil(FEWER * pool.replicas))) for low, pool in pairs]
    scored, profiles = scene.resize(one.fleet, sizes, ranged=False)
    return not broken_constraints(scored.candidate, scene.question, profiles)
