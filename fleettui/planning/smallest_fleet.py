"""From the formula's fleets to the smallest that holds in simulation: which to try next, and when to stop.

The formulas rank the fleets; what trials show of their error corrects the ranking, pool by pool (`pool_facts`). Tried
is first what is expected to be better than the best so far, then one replica fewer of that, then, the likeliest first,
what could be better if the formulas erred to the safe side by some times as much as they were seen to differ. A size
beyond the utilization limit is out without a trial, since utilization is offered work over capacity. A fleet whose
latency lingers at its limit is put off: the search goes on as if it did not hold, and takes it up again where it would
be better than what was found.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Objective
from fleettui.planning.next_fleet import Search
from fleettui.planning.pool_facts import Known
from fleettui.planning.settled import MOST_TRIED, Settled
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes, Walk
from fleettui.planning.worth import Broken, Curves, Worth, nothing

ROUNDS = 3
"""So often where pools divide is looked at more finely."""

Try = Callable[[Candidate, Sizes], Awaitable[Trial]]
"""Simulates a candidate's fleet at other sizes."""
Shapes = Sequence[tuple[Candidate, Curves]]
More = Callable[[Settled], Awaitable[Shapes]]
"""Returns more shapes to search among, once it is known where the search among the others ended."""


async def settle(
    shapes: Shapes,
    attempt: Try,
    *,
    max_utilization: float,
    objective: Objective = "cost",
    hosts: float = 0.0,
    broken: Broken = lambda _curves, _sizes: frozenset(),
    begin: Callable[[int, int], None] = lambda _number, _most: None,
    finish: Try | None = None,
    pause: Callable[[Settled, Trial], Awaitable[None]] | None = None,
    share: Worth = nothing,
    finer: More | None = None,
    past_limits: More | None = None,
    less_known: More | None = None,
) -> Settled:
    """Return the fleet that passes and has least of what the objective names, of those that a Search tries.

    `shapes` are the formula's fleets, best first, each with the curves of its pools. A fleet that breaks a constraint
    (its `shortfalls`) is no answer; one by which some are `broken` is tried only where no other is left. `begin` hears
    the number of each fleet before it is simulated, and how many there may be at most, 0 where that is not known yet.
    `hosts` are as in `worth_of`. `finish` simulates on what `attempt` has left open, after `pause` has heard what was
    found by then and which fleet that is. `share` is how near to the constraints a fleet comes. The search goes on
    among shapes that divide `finer` than these, then by what they show, hold or fail, among others, before it finishes
    what is open beside an answer, then among those `past_limits`. Where it had no answer it first comes there to what
    it would without constraints: where that keeps them it is the answer, else the search goes on within them. Last come
    shapes that are `less_known`.
    """
    known = Known()
    walks = [Walk.of(shape, curves, known, max_utilization=max_utilization) for shape, curves in shapes]
    search = Search(walks=walks, objective=objective, broken=broken, begun=[], hosts=hosts, share=share)

    async def briefly() -> None:
        while (step := search.next()) is not None:
            begin(search.tried + 1, search.most)
            search.learn(step, await attempt(step.walk.shape, step.sizes))

    async def to_its_end() -> None:
        while True:
            await briefly()
            left = search.put_off()
            if finish is None or left is None:
                break
            if pause is not None:
                await pause(search.found, left.walk.trials[left.sizes])
            begin(search.tried, search.tried)
            left.walk.settle(await finish(left.walk.shape, left.sizes))

    async def and_finer() -> None:
        await briefly()
        if search.found.answer is None:
            await to_its_end()
        for _ in range(ROUNDS):
            found = search.found
            if finer is None or not (more := await finer(found)):
                break
            search.on_finer([Walk.of(*shape, known, max_utilization=max_utilization) for shape in more])
            await briefly()
            if search.tried == found.tried:
                break
        await to_its_end()

    await and_finer()
    within = search.found
    more = () if past_limits is None else await past_limits(within)
    if more:
        known = known if within.answer is not None else Known()
        search = search.past([Walk.of(*shape, known, max_utilization=max_utilization) for shape in more])
        await to_its_end()
    if search.past_limits:
        search.past_limits, search.came_back = False, True
        await and_finer()
    if less_known is not None and (more := await less_known(search.found)):
        search.came_back, known = True, Known() if search.found.answer is None else known
        search.on([Walk.of(*shape, known, max_utilization=max_utilization) for shape in more], MOST_TRIED)
        await and_finer()
    return replace(search.found, walks=(*dict.fromkeys((*within.walks, *search.begun)),), untried=search.untried())
