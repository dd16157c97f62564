"""What a reader of the answer must know about its inputs."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.optimize.router_words import caution
from fleettui.planning.tasks.serving_profiles import unpriced
from fleettui.planning.tasks.workload_slices import Case
from fleettui.scheduling import SCHEDULERS
from fleettui.workloads.arrivals import ARRIVALS, asked
from fleettui.workloads.busiest import told


def caveats(
    question: Question,
    workload: Workload,
    cases: Sequence[Case],
    answers: Sequence[Answer],
    rate: float,
    *,
    given: bool = False,
) -> tuple[str, ...]:
    """Return the warnings that the inputs call for, one sentence each.

    The reader's own notes (times that were ticks, requests left out) come first. `answers` are those of `cases`, in
    the same order; `rate` is what is planned for, in requests per second. A fleet that is `given` has one size.
    """
    found = (
        _other_arrivals(question, workload, rate),
        *([] if question.verify else _of_formulas(question, answers)),
        _unlimited(question),
        _unpriced(question),
        _dropped(cases),
        _pairing(cases, answers, given=given),
    )
    return workload.notes + tuple(sentence for sentence in found if sentence)


def _other_arrivals(question: Question, workload: Workload, rate: float) -> str | None:
    """Return what arrivals other than Poisson's are taken to be."""
    if question.arrivals == ARRIVALS.default.name:
        return None
    arrivals, first = asked(question.arrivals), workload.slices[0]
    if arrivals.file is not None and len(workload.slices) > 1:
        return f"arrivals: {arrivals.told}, whose lengths change"
    if arrivals.file is not None:
        return f"arrivals: {arrivals.told}, sized by {told(first.start, first.duration)}, {rate:.4g}/s"
    if arrivals.process.tell is None:
        return f"arrivals: {arrivals.told}"
    return f"arrivals: {arrivals.process.tell(arrivals.stream(rate, question.record))}"


def _of_formulas(question: Question, answers: Sequence[Answer]) -> tuple[str | None, ...]:
    """Return what the formulas leave out, where no simulation follows that has it."""
    return *_cautions(answers), _bounded(question), _moved_out(question)


def _cautions(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return what a reader must know where the formulas assume another router or scheduler."""
    fleet = next((answer.answer.fleet for answer in answers if answer.answer), None)
    if fleet is None:
        return ()
    return caution(fleet), _looks(fleet), SCHEDULERS.named(fleet.admission).caution


def _looks(fleet: Fleet) -> str:
    """Return what a reader must know where the router knows loads of some time ago only."""
    if not fleet.router_refresh:
        return ""
    return (
        f"the formulas take the loads as known at once; router {fleet.router} looks each "
        f"{fleet.router_refresh:g} s, and sends what comes in between to the same replicas, so real waits are longer"
    )


def _bounded(question: Question) -> str | None:
    """Return what a reader must know where requests are turned away or leave."""
    if not question.bounds.any:
        return None
    return (
        "the formulas let every request wait; the simulation turns away and lets leave: its latencies are of served "
        "requests, and its verdict counts all others as misses of every limit"
    )


def _moved_out(question: Question) -> str | None:
    """Return what a reader must know where the cache of preempted sequences is moved out."""
    if not question.kv_offload:
        return None
    return "the formulas know nothing of preemption, so that --kv-offload is in the simulation alone"


def _unlimited(question: Question) -> str | None:
    """Return what a reader must know of class batch where it has no limit."""
    if question.batch_share is None or any(one.batch for one in question.slo.limits()):
        return None
    return "class batch has no limit, so it waits as long as it must: --limit batch.ttft=60s gives it one"


def _unpriced(question: Question) -> str | None:
    names = unpriced(question)
    if not names:
        return None
    return f"no price is known of {', '.join(names)}: not among all GPUs unless --price gives one"


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
        return f"how prompts and outputs pair is unknown, and no fleet holds if they pair so: {', '.join(infeasible)}"
    least, most = min(sizes.values()), max(sizes.values())
    unknown = "how lengths pair is unknown"
    if least < most:
        return f"{unknown}: {least} to {most} GPUs, the most shown; a trace tells"
    busy = [max(pool.utilization for pool in answer.answer.pools) for answer in answers if answer.answer]
    least_busy, most_busy = (f"{one:.2f}" for one in (min(busy), max(busy)))
    if not given or least_busy == most_busy:
        return None
    return f"{unknown}: {least_busy} to {most_busy} busy, the busiest taken"
