"""A joint plan on one page for whoever decides: all workloads over one stock, how sure that is, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fleettui.domain.plan import Verdict
from fleettui.domain.study import Study, StudyTable
from fleettui.reports import confidence_text, fleet_text, moments, units
from fleettui.reports.joint_check import Total, sizes, totals_of
from fleettui.reports.joint_sure import SURE, SUREST
from fleettui.reports.report.build import asked
from fleettui.reports.report.model import Kept, Report, Section, sentence
from fleettui.reports.report.outlook import shortened
from fleettui.reports.report.risk import risk
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import Head, Table
from fleettui.reports.verdict_words import NOMINAL, VERDICT_WORDS

LIMITED, LIMITS, PAYS = "What limits each", "Shared limits", "What each pays"
"""Tables of a joint plan's study."""
FLEETS = "Fleets"
SAME = 0.005
"""US dollars an hour by which costs are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldJoint:
    """All that is told of a joint plan: its study, its workloads' plans by name, its newest growth study, if any."""

    study: Study
    members: Mapping[str, Kept]
    growth: Study | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierJoint:
    """A joint plan that stands beside a later one, and the causes: what each workload is asked for otherwise now."""

    study: Study
    causes: tuple[str, ...] = ()


def joint_report(kept: ToldJoint, earlier: EarlierJoint | None = None) -> Report:
    """Return the page on a joint plan, beside an `earlier` one where there is one."""
    study, verdict = kept.study, kept.study.verdict or "unproven"
    first, *others = study.sentences
    tables = {one.title: one for one in study.tables}
    nominal = any(confidence_text.is_nominal(one.answer.confidence) for one in kept.members.values())
    return Report(
        title=study.title,
        verdict=verdict,
        word=f"{VERDICT_WORDS[verdict]}{f' {NOMINAL}' * (nominal and verdict == 'pass')}",
        answer=sentence(first.partition(": ")[2] or first),
        sections=tuple(
            section
            for section in (
                Section(title="Question", sentences=(sentence(study.question), *_asked(kept))),
                Section(title="Answer", tables=_told(tables, FLEETS, PAYS, LIMITS)),
                *_then_and_now(study, earlier),
                Section(
                    title="How sure this is",
                    sentences=(*_sure(kept, study, others),),
                    tables=_told(tables, SURE, SUREST),
                ),
                Section(title="What to do next", sentences=tuple(_steps(kept, verdict))),
                Section(title="What limits each", tables=_told(tables, LIMITED)),
                _growth(kept),
            )
            if section.sentences or section.tables
        ),
        foot=_foot(kept),
    )


def _asked(kept: ToldJoint) -> tuple[str, ...]:
    return tuple(f"{name}: {asked(one)}" for name, one in kept.members.items())


def _told(tables: Mapping[str, StudyTable], *titles: str) -> tuple[Table, ...]:
    return tuple(study_table(tables[title]) for title in titles if title in tables)


def _sure(kept: ToldJoint, study: Study, others: list[str]) -> Iterator[str]:
    """Yield what the joint plan says beside its answer, the risk of each workload in a sentence, and the warnings."""
    yield from map(sentence, others)
    for name, one in kept.members.items():
        yield f"{name}: {risk(one)[0]}"
    yield from map(sentence, study.warnings)


def _steps(kept: ToldJoint, verdict: Verdict) -> Iterator[str]:
    """Yield what to do next: what may be rented, what is to be measured, and what growth asks to order."""
    if verdict != "pass":
        yield f"Do not rent this: fleettui why {kept.study.handle} says what would hold."
        return
    for name, one in kept.members.items():
        best, sure = one.answer.answer, one.answer.confidence
        if best is None:
            continue
        if best.simulation is None:
            yield f"Prove {name} before you rent it: fleettui verify {one.handle} simulates it."
        elif sure is not None and confidence_text.is_nominal(sure):
            yield f"Measure {name} before you rent it: {confidence_text.holding(sure, best)}."
        else:
            yield f"Rent {fleet_text.gpu_total(best.fleet)} for {name}: fleettui report {one.handle} tells its page."
    if kept.growth is not None:
        yield from (sentence(one) for one in kept.growth.sentences[1:] if "order" in one)


def _growth(kept: ToldJoint) -> Section:
    if kept.growth is None:
        words = f"Not worked out yet: fleettui whatif {kept.study.handle} --growth 8%/month --lead-time 12w."
        return Section(title="Growth", sentences=(words,))
    tables = tuple(study_table(shortened(one, kept.growth.handle)) for one in kept.growth.tables)
    return Section(title="Growth", sentences=tuple(map(sentence, kept.growth.sentences[:2])), tables=tables)


def _then_and_now(study: Study, earlier: EarlierJoint | None) -> tuple[Section, ...]:
    """Return GPUs and costs of each workload then and now, nothing without an earlier joint plan."""
    if earlier is None:
        return ()
    return (
        Section(
            title="Then and now",
            sentences=tuple(map(sentence, (*joint_changes(earlier.study, study), *earlier.causes))),
            tables=(_beside(earlier.study, study),),
        ),
    )


def joint_changes(old: Study, new: Study) -> Iterator[str]:
    """Yield how the whole of one joint plan differs from an earlier one, and which workloads came and went."""
    before, after = sizes(old), sizes(new)
    then, now = totals_of(old, new)
    yield from _verdicts(old, new)
    if before and after and then and now:
        more = now[1] - then[1]
        change = (
            "the same cost" if abs(more) <= SAME else f"{units.dollars(abs(more))}/h {'more' if more > 0 else 'less'}"
        )
        yield f"{then[0]} GPUs{_in_use(old, then)} then, {now[0]}{_in_use(new, now)} now: {change}"
    if old.question != new.question:
        yield f"asked then: {old.question}; now: {new.question}"
    come, gone = ([name for name in one if name not in other] for one, other in ((after, before), (before, after)))
    if come:
        yield f"new: {', '.join(come)}"
    if gone:
        yield f"no longer there: {', '.join(gone)}"


def _verdicts(old: Study, new: Study) -> Iterator[str]:
    """Yield what both came to where that differs, or where the new one passes no more than the old; and why."""
    if old.verdict is None or new.verdict is None or (old.verdict == new.verdict == "pass"):
        return
    then, now = map(_word, (old, new))
    reason = "" if new.verdict == "pass" else new.sentences[0].partition(": ")[2]
    yield f"{then} then, {now} now{f': {reason}' if reason else ''}"


def _word(study: Study) -> str:
    """Return the word of a joint plan's verdict, with what its first sentence says of the speed."""
    nominal = study.verdict == "pass" and NOMINAL in study.sentences[0].partition(":")[0]
    return f"{VERDICT_WORDS[study.verdict or 'unproven']}{f' {NOMINAL}' * nominal}"


def _in_use(study: Study, total: Total) -> str:
    """Return how many of the GPUs of a total serve, empty where all do."""
    used = sum(gpus for gpus, _ in sizes(study).values())
    return f" paid for ({used} in use)" if used < total[0] else ""


def _beside(old: Study, new: Study) -> Table:
    before, after = sizes(old), sizes(new)
    columns = (
        Head(title="workload"),
        Head(title="GPUs then", align="right"),
        Head(title="now", align="right"),
        Head(title="$/h then", align="right"),
        Head(title="now", align="right"),
    )
    rows = []
    for name in dict.fromkeys((*before, *after)):
        pair = [one.get(name) for one in (before, after)]
        gpus = ["-" if one is None else str(one[0]) for one in pair]
        cost = ["-" if one is None else units.dollars(one[1]) for one in pair]
        rows.append((name, *gpus, *cost))
    return Table(columns=columns, rows=tuple(rows))


def _foot(kept: ToldJoint) -> tuple[tuple[str, str], ...]:
    study = kept.study
    return (
        ("joint plan", f"{study.handle}, made {moments.minute(study.created)} UTC"),
        ("engine", str(study.engine_version)),
        ("seed", str(study.seed)),
        ("again", f"fleettui show {study.handle}"),
    )
