"""What a question limits beside its latencies, in words: money, stock, power, nodes, failures and certainty."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.fleet import counted
from fleettui.domain.scenario import Question
from fleettui.reports import units
from fleettui.reports.confidence_text import STEP_TIMES
from fleettui.reports.range_words import span


def constraints(question: Question) -> str:
    """Return the limits beside latencies, empty where there are none.

    >>> from fleettui.domain.scenario import Slo
    >>> constraints(Question(workload="w", slo=Slo(ttft=1.0), budget=60.0, max_gpus=(("h100", 40),)))
    'within $60.00/h and 40 H100'
    """
    return ", ".join(filter(None, (within(question), *_more(question))))


def within(question: Question) -> str:
    """Return the limits on what a fleet costs, draws and takes, empty where there are none."""
    words = [*_within(question)]
    return f"within {_joined(words)}" if words else ""


def _joined(words: list[str]) -> str:
    """Return words with commas between, the last after an and."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _within(question: Question) -> Iterator[str]:
    if question.budget is not None:
        yield units.cents_per_hour(question.budget)
    if question.max_total_gpus is not None:
        yield f"{units.count(question.max_total_gpus)} GPUs in all"
    yield from (f"{units.count(most)} {gpu.upper()}" for gpu, most in question.max_gpus)
    if question.max_power is not None:
        yield f"{units.watts(question.max_power)} of the GPUs"
    if question.max_feed is not None:
        yield f"{units.watts(question.max_feed)} at the meter"


def _more(question: Question) -> Iterator[str]:
    if question.whole_nodes:
        yield "on whole nodes"
    if question.availability is not None or question.failures is not None:
        yield f"with all that each pool needs up {100 * question.availability_target:.6g}% of the time"
    if question.survive:
        yield f"with any {counted(question.survive, 'replica')} of each pool down"
    if question.confidence is not None:
        yield f"{units.percent(question.confidence)} sure over {STEP_TIMES}"
    yield from (f"for {span(one)}" for one in question.ranges)
