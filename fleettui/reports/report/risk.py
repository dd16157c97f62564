"""How sure a plan is, in a sentence: how it is known, the tightest limit, and what the model's error makes of it."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import confidence_text, error_text, fleet_text, redundancy_text, units
from fleettui.reports.answer_head import gpu_counts, waits_too
from fleettui.reports.proof_text import proof_text
from fleettui.reports.report.model import Kept, sentence


def risk(kept: Kept) -> tuple[str, ...]:
    """Return the risk in one sentence, and after it each warning of the plan."""
    best, question = kept.answer.answer, kept.scenario.question
    if best is None:
        first = "; ".join(kept.answer.why[:1]) or "every fleet that was searched breaks a limit"
    else:
        sure = kept.answer.confidence
        told = ", ".join(filter(None, (confidence_text.told(sure, best), confidence_text.over(sure, best))))
        first = "; ".join(filter(None, (_of_fleet(best, question), told)))
    return tuple(map(sentence, (first, *_tested(kept), *redundancy_text.cautions(kept.answer, question))))


def _tested(kept: Kept) -> Iterator[str]:
    """Yield what the plan's newest backtest came to."""
    if study := kept.study("backtest"):
        yield f"in production ({study.created[:10]}, study {study.handle}): {study.sentences[0]}"


def _of_fleet(best: Candidate, question: Question) -> str:
    if best.simulation is None:
        known = f"known by formula only, not simulated: {', '.join(_formula(best, question))}"
    else:
        known = f"simulated token by token in {proof_text(best, question)[0]} (95 % intervals)"
    return "; ".join(filter(None, (known, _tightest(best, question), _speeds(best, question))))


def _formula(best: Candidate, question: Question) -> list[str]:
    worst = [(limit, fleet_text.worst(best, limit)) for limit in question.slo.limits()]
    return [
        f"{fleet_text.ranked(limit, question.slo)} {units.seconds(one.value if one else None)}" for limit, one in worst
    ]


def _tightest(best: Candidate, question: Question) -> str:
    """Return the latency limit of which least is left; where none is limited, what is left of the others."""
    left = [(share, limit) for limit, share in fleet_text.slo_margins(best, question.slo) if share is not None]
    if not left:
        return ", ".join(fleet_text.margins(best, question))
    share, limit = min(left, key=lambda pair: (pair[0], pair[1].name))
    room = f"{units.percent(abs(share))} {'left' if share >= 0 else 'too much'}"
    return f"the tightest limit is {fleet_text.ranked(limit, question.slo)}, with {room}"


def _speeds(best: Candidate, question: Question) -> str:
    """Return how well the hardware's speeds are known, and how many GPUs it may take for that."""
    if not best.model_error:
        return "the speeds are taken as given"
    where = f"worked out ({best.speeds})" if best.speeds else "worked out from datasheets"
    if question.has_measured(best.fleet):
        where = f"by measurements of yours ({best.speeds})"
    if question.preset == "paper":
        where = "from the papers"
    counts = gpu_counts(best)
    may = f": it may take {counts}{_dollars(best, question)}{waits_too(best)}" if counts else ""
    return f"the speeds are {where}, to {error_text.error(best)}{may}"


def _dollars(best: Candidate, question: Question) -> str:
    """Return what the counts that the model's error allows cost, where all GPUs cost the same."""
    if len(best.fleet.gpus_by_type) > 1 or question.whole_nodes or None in best.gpus_range:
        return ""
    ends = [units.dollars_per_hour(count * best.cost_per_hour / best.gpus) for count in best.gpus_range if count]
    return f", {' to '.join(dict.fromkeys(ends))}"
