"""Of hardware not known alike that which costs less to be 90 % sure is the answer: asked once more as simulated.

A search begins among what that is by formula; what it ends with may take more for it than what is known better.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.seen_fleets import of_one_each
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.wished_confidence import SURER, with_better

if TYPE_CHECKING:
    from fleettui.planning.plan_trials import Trials

Among = Callable[[Sequence[Shape]], Awaitable[Settled]]
"""Returns where a search by simulation ends among these shapes alone."""


async def surer_for_less(trials: Trials, shapes: Sequence[Shape], settled: Settled, among: Among) -> Settled:
    """Return where a search ends that is held to what of its `shapes` is known much better than its answer.

    It is among these alone where the plan would tell that one of them takes clearly less to be as good as sure, as
    simulated; without such a one, or where none of them holds, it stays as it was. So it does where it costs less than
    the best of these and is clearly surer.
    """
    best, question = settled.answer, trials.question
    if best is None or question.objective != "cost":
        return settled
    known = [one for one in shapes if not one[0].shortfalls and question.sets_aside(best.candidate, one[0])]
    if not known:
        return settled
    answer = replace(trials.plan, verdict="pass", answer=best.candidate, candidates=settled.simulated)
    sure = (await with_better(trials, shapes, await trials.prover.with_confidence(answer))).confidence
    if sure is None or sure.instead is None:
        return settled
    instead = of_one_each(sure.instead.fleet)
    if all(of_one_each(one.fleet) != instead for one, _ in known):
        return settled
    found = await among(known)
    stays = found.answer is None
    if found.answer is not None:
        other = replace(answer, answer=found.answer.candidate, candidates=(*found.simulated, *settled.simulated))
        its = (await trials.prover.with_confidence(other)).confidence
        stays = its is not None and sure.holds >= its.holds + SURER
    kept, left = (settled, found) if stays else (found, settled)
    return replace(kept, aside=(*settled.aside, *left.walks), tried=settled.tried + found.tried)
