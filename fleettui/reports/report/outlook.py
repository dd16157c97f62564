"""What comes after a plan: what to do next, when more GPUs are needed, and what would change the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from fleettui.domain.fleet import counted
from fleettui.domain.plan import Candidate, cheaper_gpus, compares_gpus, only_describes
from fleettui.domain.study import Cell, StudyTable
from fleettui.reports import confidence_text, error_text, fleet_text, units
from fleettui.reports.proof_text import undecided
from fleettui.reports.report.model import Kept, Section, sentence
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import Table

MOST_ROWS = 9
"""Rows of a growth table that a page has room for; the last is always told."""
LITTLE = 0.05
"""Share of a limit below which what is left of it is little."""
MOST_SAID = 4
"""Sentences of a study of reasons that a page has room for."""
OF_ORDERS = frozenset({"order_by", "needed_from", "order", "note"})
LATE = "already late"
"""What a row of an order says that is due before today."""
OF_FLIPS = frozenset({"gpu", "now", "flips", "price", "then"})
OF_REPLICAS = frozenset({"pool", "replicas", "more_per_hour", "breaks"})
"""Names of the columns by which tables of reasons are known."""


def steps(kept: Kept) -> tuple[str, ...]:
    """Return what to do next, one sentence a step."""
    best = kept.answer.answer
    if not kept.finished:
        return ("Let the plan finish: fleettui jobs shows how to go on with it.",)
    if best is None:
        return (f"See which limit to relax, and by how much: fleettui why {kept.handle}.",)
    return tuple(_of_fleet(best, kept))


def _of_fleet(best: Candidate, kept: Kept) -> Iterator[str]:
    seen, verdict, sure = best.simulation, kept.answer.verdict, kept.answer.confidence
    use, before = ("rely on", "rely on it") if kept.given else ("rent", "rent")
    caveat = confidence_text.caveat(sure, best, kept.scenario.question)
    is_nominal = bool(caveat)
    if kept.scenario.question.preset == "paper":
        yield "Do not rent this: it holds with the papers' constants alone; plan again without --preset paper."
        return
    if verdict == "fail":
        yield f"Do not {use} this: see which limit breaks and what would hold: fleettui why {kept.handle}."
        return
    if seen is None:
        yield f"Prove it before you {before}: fleettui verify {kept.handle} simulates it."
    elif found := undecided(seen, kept.scenario.question):
        yield f"Do not {use} this as it is: {found}."
    elif verdict != "pass":
        yield f"Prove it before you {before}: fleettui verify {kept.handle} --precision 1% adds runs."
    elif is_nominal:
        what, speeds = _to_measure(best, kept)
        yield f"Measure {what} before you {before}: {caveat}; {speeds}."
        then = f"Then {'run' if kept.given else 'rent'} {fleet_text.gpu_total(best.fleet)}"
        yield f"{then}, or as many as the measured speeds ask for."
    else:
        yield f"{'Run' if kept.given else 'Rent'} {fleet_text.gpu_total(best.fleet)} as listed under Answer."
    if gpus := [*dict.fromkeys(gpu for reason in kept.answer.why for gpu in cheaper_gpus(reason))]:
        names = " and ".join(gpu.upper() for gpu in gpus)
        yield f"Before you order, measure {names}, which may be cheaper: fleettui profile next {kept.handle} says how."
    yield from _ordered(kept, is_first=seen is not None and verdict == "pass" and not is_nominal)
    left = [share for _, share in fleet_text.slo_margins(best, kept.scenario.question.slo) if share is not None]
    if left and 0 <= min(left) < LITTLE:
        yield f"Little room is left ({units.percent(min(left))}): add a replica, or watch it from the first day."
    if best.model_error and not is_nominal:
        what, speeds = _to_measure(best, kept)
        yield f"Measure {what}{'' if kept.given else ' as soon as you have it'}: {speeds}."


def _to_measure(best: Candidate, kept: Kept) -> tuple[str, str]:
    """Return what to measure, how well step times are known, and what tells how far one's own are from them.

    Where they are fitted to measurements already, what would tell more.
    """
    known = f"speeds are known to {error_text.error(best)}"
    if kept.scenario.question.has_measured(best.fleet):
        return "one replica further", f"{known} by {best.speeds}; fleettui profile next {kept.handle} names the runs"
    return "one replica", f"{known}; fleettui profile validate measured.csv tells how far yours are from them"


def _ordered(kept: Kept, *, is_first: bool) -> Iterator[str]:
    """Yield what growth asks to order next, and by when, from the newest growth study; what is late is due now.

    Unless it `is_first`, what is late is ordered once that is done which stands before it.
    """
    study = kept.study("growth")
    tables = () if study is None else study.tables[:1]
    orders = [row for table in tables if _has(table, OF_ORDERS) for row in table.records() if row["order_by"]]
    if study is None or not orders:
        return
    late = [row for row in orders if LATE in str(row["note"])]
    count = sum(int(row["order"] or 0) for row in late or orders[:1])
    day, needed = orders[0]["order_by"], f"as growth needs them from {orders[0]['needed_from']} on"
    if not late:
        lead = (date.fromisoformat(str(orders[0]["needed_from"])) - date.fromisoformat(str(day))).days
        later = f", {counted(lead, 'day')} later" if lead else ""
        yield f"Order {counted(count)} more by {day}, {needed}{later}."
    elif is_first:
        yield f"Order {counted(count)} more now: their last day was {day}, {needed}."
    else:
        yield f"Then order {counted(count)} more at once, with those: their last day was {day}, {needed}."


def growth(kept: Kept) -> Section:
    """Return when more GPUs are needed, from the newest growth study, or how to work that out."""
    study = kept.study("growth")
    if kept.answer.answer is None or kept.scenario.question.preset == "paper":
        return Section(title="Growth", sentences=("There is no fleet that could grow.",))
    if study is None or not study.tables:
        words = (
            f"Not worked out yet: fleettui whatif {kept.handle} --growth 8%/month --lead-time 12w tells when to order."
        )
        return Section(title="Growth", sentences=(words,))
    tables = tuple(study_table(shortened(one, study.handle)) for one in study.tables)
    return Section(title="Growth", sentences=tuple(map(sentence, study.sentences[:2])), tables=tables)


def shortened(table: StudyTable, handle: str) -> StudyTable:
    """Return a table with no more rows than there is room for: the first ones, and the last.

    Of orders that are left out it is told how many GPUs they are of, so that what is ordered adds up.
    """
    hidden = table.records()[MOST_ROWS - 1 : -1]
    if len(table.rows) <= MOST_ROWS:
        return table
    rows = (*table.rows[: MOST_ROWS - 1], table.rows[-1])
    gpus = sum(int(row.get("order") or 0) for row in hidden)
    orders = f", of {counted(gpus)} in all," if gpus else ""
    note = f"{len(hidden)} more{orders} before the last: fleettui show {handle}"
    return replace(table, rows=rows, note="; ".join(filter(None, (note, table.note))))


def changes(kept: Kept) -> Section:
    """Return what would change the answer: a replica fewer or more, and the prices at which another fleet wins."""
    title, study = "What would change this", kept.study("why")
    left = (one for one in kept.answer.why if one != _said(kept) and not only_describes(one))
    own = tuple(sentence(one) for one in left if not compares_gpus(one))
    if study is None:
        return Section(title=title, sentences=(*own, *_to_ask(kept)))
    replicas = tuple(line for table in study.tables if _has(table, OF_REPLICAS) for line in _replicas(table))
    found = (_flips(table) for table in study.tables if _has(table, OF_FLIPS))
    flips = tuple(table for table in found if table.rows)
    told = tuple(map(sentence, study.sentences[:MOST_SAID]))
    return Section(title=title, sentences=replicas or told or own, tables=flips)


def _said(kept: Kept) -> str:
    """Return the reason that the page tells before: what decided the proof, or what speaks against every fleet."""
    best = kept.answer.answer
    if best is None:
        return "".join(kept.answer.why[:1])
    return "" if best.evidence is None else best.evidence.reason


def _to_ask(kept: Kept) -> Iterator[str]:
    """Yield what works the reasons out; the papers' constants have none."""
    question = kept.scenario.question
    if question.preset == "paper":
        return
    what = "Which prices change the answer"
    if kept.answer.answer is None:
        what = "Which limit to relax, and by how much"
    elif kept.given:
        what = "What one replica fewer or more would do"
    yield f"{what}: fleettui why {kept.handle}."


def _has(table: StudyTable, names: frozenset[str]) -> bool:
    return names <= {column.name for column in table.columns}


def _flips(table: StudyTable) -> Table:
    """Return the prices at which another fleet is cheaper; those that no price brings are left out of the page."""
    column = [one.name for one in table.columns].index("price")
    return study_table(replace(table, rows=tuple(row for row in table.rows if row[column] is not None)))


def _replicas(table: StudyTable) -> Iterator[str]:
    """Yield a sentence per pool on one replica fewer and one more."""
    rows = table.records()
    for pool in dict.fromkeys(row["pool"] for row in rows):
        told = [_one_replica(row) for row in rows if row["pool"] == pool]
        yield f"Pool {pool}: {'; '.join(told)}."


def _one_replica(row: dict[str, Cell]) -> str:
    change = row["more_per_hour"]
    assert isinstance(change, int | float), "a change of cost is a number"
    breaks = "" if row["breaks"] in ("nothing", None, "") else f" and breaks {row['breaks']}"
    if change < 0:
        return f"one replica fewer saves {units.dollars(-change)}/h{breaks or ' and breaks nothing'}"
    return f"one more costs {units.dollars(change)}/h{breaks}"
