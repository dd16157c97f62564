"""What stands beside an answer of hardware that the own fit has not seen: the best of what it has, simulated in short.

A correction of one kind of replicas makes others look cheap, whose steps are as they were. So it is told, too, what the
best were if it is right for each division of the same GPUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.beside_unseen import BesideUnseen
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.unseen import SEEN_NO, unseen
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.prove import Simulator
from fleettui.planning.shown_fleets import ShownFleets


async def with_seen_alone(simulator: Simulator, answer: Answer) -> Answer:
    """Return a proven answer that says what there is of the hardware that the own fit has seen, if its own is not.

    The candidates of `answer` are all fleets that were simulated for it. That stands in place of what the formulas say
    of each pool that the fit has not seen.
    """
    best, question = answer.answer, simulator.source.question
    if best is None or question.fit is None or answer.verdict != "pass" or not unseen(best.fleet, question):
        return answer
    looked = (look.candidate for look in answer.looks if look.rate == simulator.source.rate)
    shown = ShownFleets(simulator=simulator, answer=replace(answer, candidates=(*answer.candidates, *looked)))
    told = BesideUnseen(answer=best, seen=await _best(shown))
    for source in await simulator.workers.run("fitted-wider", list[SceneSource], source=simulator.source):
        told = replace(told, wider=await _wider(simulator, source, shown.seen), gpus=_more(source.question, question))
    kept = [one for one in answer.warnings if f"{question.fit.words}{SEEN_NO}" not in one]
    looks = tuple(dict.fromkeys((*answer.looks, *shown.looks)))
    return replace(answer, warnings=(*kept, told.told(question)), looks=looks)


async def _wider(simulator: Simulator, source: SceneSource, answer: Answer) -> Candidate | None:
    """Return the best fleet of a scene whose own fit has seen more than that of an `answer`."""
    question = simulator.source.question
    same = tuple(one for one in answer.candidates if question.has_measured(one.fleet))
    wide = Simulator(
        store=simulator.store,
        workers=simulator.workers,
        source=source,
        seed=simulator.seed,
        report=simulator.report,
    )
    return await _best(ShownFleets(simulator=wide, answer=replace(answer, candidates=same)))


async def _best(shown: ShownFleets) -> Candidate | None:
    """Return the best fleet of what the own fit has seen, None where none was shown to do."""
    simulator = shown.simulator

    async def find(seen: Answer) -> Sequence[Candidate]:
        return await simulator.workers.run("fitted-fleets", list[Candidate], source=simulator.source, answer=seen)

    return await shown.best(find, lambda one: simulator.source.question.has_measured(one.fleet))


def _more(wide: Question, question: Question) -> tuple[str, ...]:
    """Return the GPUs of which the own fit of a question has seen more than that of another."""
    assert wide.fit is not None, "it is wider"
    return tuple(dict.fromkeys(one.gpu for one in wide.fit.servers if question.fit_of(one) is None))
