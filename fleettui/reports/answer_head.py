"""The head of an answer: verdict and cost, what is left of the limits, how that is known, and the model's own error."""

from __future__ import annotations

from fleettui.domain.confidence import Confidence
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import counted
from fleettui.domain.plan import Answer, Candidate, Verdict
from fleettui.domain.remedy import done_instead
from fleettui.domain.scenario import Question
from fleettui.domain.uncertain import WAITS
from fleettui.domain.unit_served import cost_per_million
from fleettui.domain.unseen import unseen
from fleettui.domain.wish import unmet
from fleettui.reports import confidence_text, error_text, fleet_text, range_words, redundancy_text, stock_text, units
from fleettui.reports.headline_cost import about_per_month
from fleettui.reports.meter_text import power_words
from fleettui.reports.price_text import price_text
from fleettui.reports.proof_text import proof_text
from fleettui.reports.text_page import Line, fact
from fleettui.reports.unit_cost_text import told_by_unit
from fleettui.reports.verdict_words import VERDICT_WORDS, known_word, verdict_word


def answer_head(answer: Answer, question: Question, *, brief: bool = False, finished: bool = True) -> list[Line]:
    """Return the answer in lines: verdict, size and cost; what is left of the limits; the proof; the model's error;
    what of a fleet that was given is spare.

    `brief` keeps each to a line where it can: a pass needs no reason, and requests are told in millions. What is not
    `finished` is not proven yet.
    """
    if answer.answer is None:
        word = VERDICT_WORDS[answer.verdict]
        what = "no fleet is proven to hold" if answer.verdict == "unproven" else "no fleet holds"
        return [(f"{word}   ", f"{unmet(answer.why) or f'{what} every limit'}; the nearest are below")]
    sure = answer.confidence
    made = answer.plan.created
    best, disproved = answer.answer, not finished and _is_disproved(answer.answer)
    lines = fleet_head(
        best,
        answer.verdict,
        question,
        derived=answer.demand,
        brief=brief,
        finished=finished,
        sure=sure,
        made=made,
    )
    told = confidence_text.told(sure, answer.answer)
    words = fact("range", range_words.told(question.ranges))
    if not told and confidence_text.is_untold(answer.answer, question):
        words += fact("sure", confidence_text.UNTOLD)
    words += fact(
        "sure", told if brief or sure is None or not told else f"{told}; {_over(sure, answer.answer, question)}"
    )
    words += [] if answer.redundancy is None else fact("spares", redundancy_text.told(answer.redundancy))
    stock = [*fact("stock", stock_text.told(answer)), *fact("instead", done_instead(answer.why))]
    if disproved and answer.so_far:  # what fails is no headline where something holds
        lines[0] = ("", f"{VERDICT_WORDS['unproven']} YET   so far {answer.so_far}")
    else:
        lines[1:1] = [*fact("wish", unmet(answer.why)), *fact("so far", answer.so_far)]
    deciding = confidence_text.deciding(answer.decides, wished=question.confidence)
    return [*lines, *stock, *words, *fact("input", deciding)]


def _over(sure: Confidence, best: Candidate, question: Question) -> str:
    """Return over what it is told how sure a fleet is, beside a range that has waits in it, too.

    A load which was seen makes it surer, there alone.
    """
    in_range = f" (x{WAITS[0]:g} to x{WAITS[1]:g})" if _is_open(best) else ""
    told = confidence_text.over_all(sure, waits=in_range)
    return f"{told}; so sure only near the load that was measured" if _was_seen(best, question) else told


def fleet_head(
    best: Candidate,
    verdict: Verdict,
    question: Question,
    *,
    derived: DerivedDemand | None = None,
    brief: bool = False,
    finished: bool = True,
    sure: Confidence | None = None,
    made: str = "",
) -> list[Line]:
    """Return the same lines for any fleet of a plan and what is known of it; how `sure` it is qualifies a pass.

    `derived` is what the demand came to; `made` is when the plan was, from which the age of its prices counts.
    """
    word = known_verdict(best, verdict, question, sure)
    if verdict == "unproven" and not finished:
        word = f"{word} yet".upper()
    cost = f"{units.dollars_per_hour(best.cost_per_hour)}   {about_per_month(best.cost_per_hour)}"
    by_unit = told_by_unit(best, question, derived)
    per_million = "" if by_unit else f"   {units.dollars(cost_per_million(best))} per 1M output"
    rate = "" if brief or by_unit else " at this rate"
    proof, reason = proof_text(best, question, brief=brief)
    limits = "   ".join([*fleet_text.margins(best, question), power_words(best, question)])
    is_disproved = not finished and _is_disproved(best)
    size = fleet_text.gpu_total(best.fleet)
    head = (
        f"{size} fails as simulated: another fleet is needed" if is_disproved else f"{size}   {cost}{per_million}{rate}"
    )
    return [
        ("", f"{word}   {head}"),
        *fact("cost", "" if is_disproved else by_unit),
        *fact("prices", "" if is_disproved else price_text(best, question, made)),
        *fact("limits", limits),
        *fact("proof", proof),
        *fact("", "" if brief and verdict == "pass" else reason),
        *fact("model", _model_error(best, question, sure)),
    ]


def known_verdict(best: Candidate | None, verdict: Verdict, question: Question, sure: Confidence | None) -> str:
    """Return the word of a verdict; beside a pass stands what it is known by, or that it is at nominal speed only."""
    word = verdict_word(verdict, question.slo)
    if best is None or verdict != "pass":
        return word
    nominal = bool(confidence_text.caveat(sure, best, question))
    return known_word(word, nominal=nominal, by_formula=best.simulation is None)


def _is_disproved(best: Candidate) -> bool:
    return best.simulation is not None and best.simulation.verdict == "fail"


def _model_error(candidate: Candidate, question: Question, sure: Confidence | None) -> str:
    """Return the error of the speeds themselves, as the range of GPU counts that it allows.

    Where it is known how `sure` a fleet is, its own runs correct that range: those of others show it otherwise.
    """
    speeds = "the papers' own speeds" if question.preset == "paper" else error_text.known_by(candidate)
    if not candidate.model_error:
        return "the speeds are given: no error is known"
    counts, fit, lacking = gpu_counts(candidate), question.fit, unseen(candidate.fleet, question)
    if fit is not None and lacking:
        speeds = f"{speeds}, without {fit.words} (no {lacking})"
    less = ", less near a load that was seen" if _was_seen(candidate, question) else ""
    if counts and _is_open(candidate):
        by_runs = ", by runs" if sure is not None and candidate.simulation is not None else ""
        counts = f"{counts}{by_runs}"
    return f"{speeds}: {error_text.error(candidate)}{less}{f'  ->  {counts}' if counts else ''}"


def _was_seen(candidate: Candidate, question: Question) -> bool:
    """Return whether a load of some pool's replicas was seen in production, near which their steps are known better."""
    return any(own is not None and own.seen for own in map(question.fit_of, candidate.fleet.pools))


def _is_open(candidate: Candidate) -> bool:
    low, high = candidate.gpus_range
    return low != high


def waits_too(candidate: Candidate) -> str:
    """Return that waits may be off, too, at the ends of the GPU counts that the model's error allows."""
    return f", with waits x{WAITS[0]:g} to x{WAITS[1]:g}, too" if _is_open(candidate) else ""


def gpu_counts(candidate: Candidate, *, of_these: bool = True) -> str:
    """Return the GPU counts that the model's error allows of the same replicas, empty where they are not known.

    At the slower end a fleet of another shape may do with fewer, so a sentence says that they are `of_these`.
    """
    low, high = candidate.gpus_range
    if low is None and high is None:
        return ""
    if low == high and high is not None:
        return counted(high)
    least = "no fleet" if low is None else units.count(low)
    if high is None:
        return f"between {least} and more than can be had"
    return f"between {least} and {f'{units.count(high)} of these' if of_these else counted(high)}"
