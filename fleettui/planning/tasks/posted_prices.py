"""What posted prices make of an answer, beside fleets that are as sure as it where the question wishes that."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.optimize.offers import Anchors
from fleettui.planning.tasks.confidence import known_by
from fleettui.planning.tasks.simulation_inputs import Scene
from fleettui.planning.tasks.sure_fleet import sized_shapes
from fleettui.planning.tasks.unlike_prices import holding, may_be_cheaper, unlike_prices
from fleettui.reports.posted_prices import PostedPrices


def posted_prices(
    answer: Answer,
    scene: Scene,
    candidates: Sequence[Candidate],
    anchors: Anchors,
    *,
    more: Collection[Fleet] = (),
    shown: Sequence[Candidate] = (),
) -> PostedPrices | None:
    """Return which of the fleets would cost less than an answer at posted prices, None where none would.

    Where the question wishes to be surer than by nominal step times, the cheapest of each choice of GPU types, and of
    each make of replica in one pool, is sized for that: no size of the cheapest need be as sure. Else the fleets are as
    they are; those that take `more` are told as the least. Those that are `shown` to be what is asked for are as they
    are in any case.
    """
    best, question = answer.answer, scene.question
    if best is None or question.confidence is None:
        return unlike_prices(best, (*shown, *candidates), question, more)
    if not may_be_cheaper(best, (*shown, *candidates), question):
        return None
    each: dict[Hashable, Candidate] = {}
    for one in sorted(holding(best, candidates, question), key=lambda one: one.cost_per_hour):
        pools = one.fleet.pools
        each.setdefault(tuple(sorted(one.fleet.gpus_by_type)) if len(pools) > 1 else pools[0].replica_key, one)
    sized = sized_shapes(replace(answer, candidates=tuple(each.values())), scene, known_by(anchors))
    return unlike_prices(best, (*shown, *sized), question)
