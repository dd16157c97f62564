"""What a reader of the answer must know about its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import OF_ARRIVALS, UNKNOWN_PAIRING, Answer
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.hardware import catalog
from fleettui.hardware.model_config import GUESSED
from fleettui.optimize.router_words import caution, of_caches
from fleettui.planning.busy_minutes import simulated_by
from fleettui.planning.tasks.serving_profiles import unpriced
from fleettui.planning.tasks.workload_slices import Case
from fleettui.scheduling import SCHEDULERS
from fleettui.workloads.arrivals import ARRIVALS, asked
from fleettui.workloads.busiest import told

FEW = 2
"""GPU types that are named; of more it is said how many there are."""


def caveats(
    question: Question,
    workload: Workload,
    cases: Sequence[Case],
    answers: Sequence[Answer],
    *,
    given: bool = False,
) -> tuple[str, ...]:
    """Return the warnings that the inputs call for, each of one line: the size of the effect, and what mends it.

    The reader's own notes (times that were ticks, requests left out) come first. `answers` are those of `cases`, in
    the same order. A fleet that is `given` has one size.
    """
    found = (
        *([] if question.verify else _of_formulas(question, answers)),
        *_guessed(question),
        _unlimited(question),
        _unpriced(question),
        _caches(question, answers),
        _dropped(cases),
        _pairing(cases, answers, given=given),
    )
    return workload.notes + tuple(sentence for sentence in found if sentence)


def with_arrivals(answer: Answer, question: Question, workload: Workload) -> Answer:
    """Return an answer whose last reason says what arrivals other than Poisson's are taken to be.

    Of Poisson's it says which have the workload's bursts in them, where it is warned of these.
    """
    rate = answer.demand.rate
    if question.arrivals != ARRIVALS.default.name:
        told = _other_arrivals(question, workload, rate)
    elif answer.answer is None or question.preset == "paper":
        told = ""
    else:
        told = simulated_by(question, workload, rate)
    return replace(answer, why=(*answer.why, f"{OF_ARRIVALS}{told}")) if told else answer


def _other_arrivals(question: Question, workload: Workload, rate: float) -> str:
    arrivals, first = asked(question.arrivals), workload.slices[0]
    if arrivals.file is not None and len(workload.slices) > 1:
        return f"{arrivals.told}, whose lengths change"
    if arrivals.file is not None:
        return f"{arrivals.told}, sized by {told(first.start, first.duration)}, {rate:.4g}/s"
    if arrivals.process.tell is None:
        return arrivals.told
    return arrivals.process.tell(arrivals.stream(rate, question.record))


def _of_formulas(question: Question, answers: Sequence[Answer]) -> tuple[str | None, ...]:
    """Return what the formulas leave out, where no simulation follows that has it."""
    gains = (feature.gains for feature, _ in question.features.said())
    return *_cautions(answers), _bounded(question), _moved_out(question), *gains


def _cautions(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return what a reader must know where the formulas assume another router or scheduler."""
    fleet = _fleet(answers)
    if fleet is None:
        return ()
    return caution(fleet), _looks(fleet), SCHEDULERS.named(fleet.admission).caution


def _fleet(answers: Sequence[Answer]) -> Fleet | None:
    """Return the first fleet of the answers, whose routers and schedulers are alike, None where none has one."""
    return next((answer.answer.fleet for answer in answers if answer.answer), None)


def _caches(question: Question, answers: Sequence[Answer]) -> str | None:
    """Return what a reader must know of the router where prefixes are cached."""
    fleet = _fleet(answers)
    return of_caches(fleet) if fleet is not None and question.prefix_cache else None


def _looks(fleet: Fleet) -> str:
    """Return what a reader must know where the router knows loads of some time ago only."""
    if not fleet.router_refresh:
        return ""
    return f"router {fleet.router} looks each {fleet.router_refresh:g} s: waits are longer than told; verify tells"


def _bounded(question: Question) -> str | None:
    """Return what a reader must know where requests are turned away or leave."""
    if not question.bounds.any:
        return None
    return "by formula every request waits; verify counts those that are lost as misses"


def _moved_out(question: Question) -> str | None:
    """Return what a reader must know where the cache of preempted sequences is moved out."""
    if not question.kv_offload or question.prefix_cache:
        return None
    return "by formula nothing is preempted: what --kv-offload gains, verify tells"


def _guessed(question: Question) -> tuple[str, ...]:
    """Return what was taken for granted of the model, whose file does not say it."""
    return tuple(one.source for one in catalog.model(question.model).citations if one.field == GUESSED)


def _unlimited(question: Question) -> str | None:
    """Return what a reader must know of class batch where it has no limit."""
    if question.batch_share is None or any(one.batch for one in question.slo.limits()):
        return None
    return "class batch has no limit and may wait for ever: --limit batch.ttft=60s"


def _unpriced(question: Question) -> str | None:
    names = unpriced(question)
    if not names:
        return None
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"left out, no price: {', '.join(names[:FEW])}{more}; --price {names[0]}=... adds it"


def _dropped(cases: Sequence[Case]) -> str | None:
    share = max(case.dropped for case in cases)
    if share <= 0:
        return None
    return f"up to {share:.2%} of the requests are longer than the context, and not served"


def _pairing(cases: Sequence[Case], answers: Sequence[Answer], *, given: bool) -> str | None:
    if len(cases) == 1:
        return None
    sizes = {case.pairing: answer.answer.gpus for case, answer in zip(cases, answers, strict=True) if answer.answer}
    infeasible = [case.pairing for case in cases if case.pairing not in sizes]
    if infeasible:
        return f"{UNKNOWN_PAIRING}: no fleet holds if {' or '.join(infeasible)}; a trace tells"
    least, most = min(sizes.values()), max(sizes.values())
    if least < most:
        return f"{UNKNOWN_PAIRING}: ~{least} to ~{most} GPUs, for the most of which this is sized; a trace tells"
    busy = [answer.answer.busiest.utilization for answer in answers if answer.answer]
    least_busy, most_busy = (f"{one:.2f}" for one in (min(busy), max(busy)))
    if not given or least_busy == most_busy:
        return None
    return f"{UNKNOWN_PAIRING}: {least_busy} to {most_busy} busy, the busiest taken"
