"""What a check tested, one by one, for programs: a code, the limit, the value, and the sentence where it broke."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from fleettui.domain.confidence import AS_MUCH
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.confidence_text import surely
from fleettui.reports.verdict_words import NOMINAL

VERDICT, LATENCY, CONFIDENCE = "verdict", "latency", "confidence"
COST, BASELINE_GPUS, BASELINE_COST = "cost_above_maximum", "gpus_above_baseline", "cost_above_baseline"
BASELINE_FLEET = "baseline_fleet_fails"
"""The codes: what is tested; they stay, so that a job may go by them."""
ROUNDING = 1e-9
"""Share of a cost that is rounding."""
Own = tuple[Size | None, Size | None]
"""What two plans came to themselves, None where that is what is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was tested: `value` is held to `limit`, both in `unit`; `text` says what broke, if it did.

    `subject` is what was tested of several: a latency, or a workload of a joint plan. `limit_words` and `value_words`
    are what is told of the two where formulas say them of plans of which one is simulated, empty elsewhere.
    """

    code: str
    subject: str = ""
    limit: float | str | None
    value: float | str | None
    unit: str = ""
    holds: bool
    text: str = ""
    limit_words: str = ""
    value_words: str = ""

    @property
    def name(self) -> str:
        """What was tested, in one line."""
        return f"{self.code} {self.subject}".strip()


def of_verdict(verdict: Verdict, text: str) -> Finding:
    """Return whether the verdict is a pass; `text` says what else it is."""
    holds = verdict == "pass"
    return Finding(code=VERDICT, limit="pass", value=verdict, holds=holds, text="" if holds else text)


def holds_word(*, is_nominal: bool, by_formula: bool) -> str:
    """Return the word of what holds; one that does at nominal speed only says that, and so that no simulation saw it.

    >>> holds_word(is_nominal=False, by_formula=True), holds_word(is_nominal=True, by_formula=True)
    ('holds', '~holds at nominal speed')
    """
    return f"{'~' * by_formula}holds {NOMINAL}" if is_nominal else "holds"


def of_latencies(answer: Answer, question: Question) -> Iterator[Finding]:
    """Yield each latency limit with the high end of what is known of it in the worst pool."""
    best = answer.answer
    if best is None:
        return
    for limit, share in fleet_text.slo_margins(best, question.slo):
        found, name = fleet_text.worst(best, limit), fleet_text.ranked(limit, question.slo)
        value = None if found is None else fleet_text.high_end(found)
        broken = share is None or share < 0
        seconds = units.seconds(value), units.limit(limit.seconds)
        text = "{} {} is above {}".format(name, *seconds) if broken else ""
        yield Finding(
            code=LATENCY, subject=name, limit=limit.seconds, value=value, unit="s", holds=not broken, text=text
        )


def of_confidence(answer: Answer, question: Question) -> Iterator[Finding]:
    """Yield whether a fleet is as sure as the question wishes it to be, nothing where it wishes nothing."""
    wished, sure = question.confidence, answer.confidence
    if wished is None or sure is None:
        return
    holds = sure.holds >= wished - AS_MUCH
    text = "" if holds else f"it is {surely(sure.holds)} sure, {surely(wished)} is wished"
    yield Finding(code=CONFIDENCE, limit=wished, value=sure.holds, unit="share", holds=holds, text=text)


def of_maximum(cost: float, most: float) -> Finding:
    """Return whether a cost per hour is within what it may be."""
    above = cost - most
    holds = cost <= most * (1 + ROUNDING)
    told = map(units.cents_per_hour, (cost, above, most))
    text = "" if holds else "it costs {}, {} above the maximum of {}".format(*told)
    return Finding(code=COST, limit=most, value=cost, unit="USD/h", holds=holds, text=text)


def of_baseline(before: Size, after: Size, subject: str = "", own: Own = (None, None)) -> Iterator[Finding]:
    """Yield whether GPUs and cost per hour are no more than they were; more GPUs that cost less say that they do.

    `own` are what the two plans came to themselves where the sizes are by formula since only one is simulated.
    """
    named = f"{subject}: " if subject else ""
    more, saved = after.gpus > before.gpus, before.cost_per_hour - after.cost_per_hour
    less = f", which cost {units.cents_per_hour(saved)} less" if saved > ROUNDING * before.cost_per_hour else ""
    was, now = (_words(*pair, _gpus) for pair in zip((before, after), own, strict=True))
    yield Finding(
        code=BASELINE_GPUS,
        subject=subject,
        limit=before.gpus,
        value=after.gpus,
        unit="GPUs",
        holds=not more,
        text=f"{named}it needs more GPUs: {was} -> {now}{less}" if more else "",
        limit_words=was if any(own) else "",
        value_words=now if any(own) else "",
    )
    old, new = before.cost_per_hour, after.cost_per_hour
    dearer = new > old * (1 + ROUNDING)
    was, now = (_words(*pair, _cost) for pair in zip((before, after), own, strict=True))
    yield Finding(
        code=BASELINE_COST,
        subject=subject,
        limit=old,
        value=new,
        unit="USD/h",
        holds=not dearer,
        text=f"{named}it costs {units.cents_per_hour(new - old)} more: {was} -> {now}" if dearer else "",
        limit_words=was if any(own) else "",
        value_words=now if any(own) else "",
    )


def _words(size: Size, own: Size | None, told: Callable[[Size], str]) -> str:
    """Return a figure of a size, marked where it is by formula beside the plan's `own`, which is told if simulated."""
    if own is None or size.method == "simulation":
        return told(size)
    simulated = own.method == "simulation" and told(own) != told(size)
    return f"~{told(size)}{f' (simulated: {told(own)})' if simulated else ''}"


def _gpus(size: Size) -> str:
    return f"{size.gpus}"


def _cost(size: Size) -> str:
    return units.cents_per_hour(size.cost_per_hour)


def junit(suite: str, findings: Iterable[Finding], notes: Iterable[str] = ()) -> str:
    """Return the findings as JUnit XML: a test case each, those that broke as failures, under the name `suite`.

    What is to be known beside them, the `notes`, is the suite's output.
    """
    cases = list(findings)
    failed = sum(not one.holds for one in cases)
    root = ElementTree.Element("testsuites")
    totals = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    parent = ElementTree.SubElement(root, "testsuite", {"name": "fleettui check", **totals})
    for one in cases:
        case = ElementTree.SubElement(parent, "testcase", {"classname": suite, "name": one.name})
        if not one.holds:
            ElementTree.SubElement(case, "failure", {"type": one.code, "message": one.text}).text = one.text
    said = "\n".join(notes)
    if said:
        ElementTree.SubElement(parent, "system-out").text = said
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
