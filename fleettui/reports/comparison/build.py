"""Plans become a comparison: inputs, then results, then what made them; and in sentences what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from fleettui.reports import fleet_text, moments, units
from fleettui.reports.comparison import metrics, redundancy, sure
from fleettui.reports.comparison.model import Cell, Compared, Comparison, Row, Section, Word
from fleettui.reports.comparison.sentences import catalogue_prices, sentences, warnings, word_of
from fleettui.reports.comparison.shared import with_shared_proofs
from fleettui.reports.paid_prices import paid
from fleettui.reports.question.conversion import to_texts
from fleettui.reports.question.keys import BY_NAME, OF_GIVEN
from fleettui.reports.question.price_keys import PRICES

DIGITS = 8
"""Characters of a digest that are shown."""
GRADES = ("pass", "unproven", "fail", "infeasible")


def compare(plans: Sequence[Compared], *, shared: bool = True) -> Comparison:
    """Return two plans or more side by side; the first is what the others are compared with.

    Plans of one fleet and load share a proof, unless how each came to its own is what is compared.
    """
    assert len(plans) > 1, "one plan is compared with nothing"
    plans = with_shared_proofs(plans) if shared else plans
    rows = tuple(_rows(plans))
    return Comparison(plans=tuple(plans), rows=rows, sentences=sentences(plans), warnings=warnings(plans))


def _rows(plans: Sequence[Compared]) -> Iterator[Row]:
    yield from _inputs(plans)
    yield _told("results", "fleet", plans, _fleet)
    figures = (metrics.told_apart(one, plans) for one in metrics.FIGURES)
    for metric in (metrics.GPUS, *figures, *metrics.latencies(plans), metrics.POWER):
        cells = tuple(metrics.cell(metric, plan, plans[0]) for plan in plans)
        less = True if metric.judged else None
        yield Row(section="results", label=metric.label, cells=cells, less_is_better=less)
    if (standing := redundancy.row(plans)) is not None:
        yield standing
    yield _told("results", "verdict", plans, word_of, _verdict)
    yield from sure.rows(plans)
    yield _told("results", "proof", plans, _proof)
    yield from _provenance(plans)


def _inputs(plans: Sequence[Compared]) -> Iterator[Row]:
    """Yield a row per key that some question sets, the rate that a demand comes to, and the catalogue's prices."""
    if any(plan.given for plan in plans):
        yield _told("inputs", "fleet is", plans, lambda plan: "given" if plan.given else "searched for")
    yield from _keys("inputs", plans, [name for name, key in BY_NAME.items() if key.is_input and not key.of_proof])
    if any(plan.question.demand.form != "rate" for plan in plans):
        yield _told("inputs", "requests/s", plans, lambda plan: units.per_second(plan.answer.demand.rate))
    for gpu in catalogue_prices(plans):
        yield _told("inputs", f"price {gpu.upper()}", plans, partial(_price, gpu))


def _keys(section: Section, plans: Sequence[Compared], names: Iterable[str]) -> Iterator[Row]:
    texts = [to_texts(plan.question) for plan in plans]
    prices = paid([plan.question for plan in plans], [dict(plan.prices) for plan in plans])
    for one, told in zip(texts, prices, strict=False):
        one[PRICES] = told
    pairs = list(zip(plans, texts, strict=True))
    for name in names:
        said = [units.UNDEFINED if _unasked(plan, name) else one.get(name, units.UNDEFINED) for plan, one in pairs]
        usual = any(_unasked(plan, name) for plan in plans) and all(
            map(BY_NAME[name].is_default, {*said} - {units.UNDEFINED})
        )
        if {*said} - {units.UNDEFINED} and not usual:
            cells = tuple(Cell(text=text) for text in said)
            yield Row(section=section, label=name, cells=cells)


def _unasked(plan: Compared, name: str) -> bool:
    """Return whether a key says nothing of a plan: for a fleet that is given, nothing is searched."""
    return plan.given and name not in OF_GIVEN


def _provenance(plans: Sequence[Compared]) -> Iterator[Row]:
    yield from _keys("provenance", plans, [name for name, key in BY_NAME.items() if key.of_proof])
    yield _told("provenance", "note", plans, lambda plan: plan.note or units.UNDEFINED)
    yield _told("provenance", "made", plans, lambda plan: moments.minute(plan.answer.plan.created))
    yield _told("provenance", "fleettui", plans, _program)
    yield _told("provenance", "engine", plans, lambda plan: str(plan.answer.plan.engine_version))
    yield _told("provenance", "lengths", plans, lambda plan: plan.workload[:DIGITS] or units.UNDEFINED)


def _told(
    section: Section,
    label: str,
    plans: Sequence[Compared],
    write: Callable[[Compared], str],
    judge: Callable[[Compared, Compared], Word] | None = None,
) -> Row:
    base = plans[0]
    cells = (Cell(text=write(plan), word=judge(base, plan) if judge else "") for plan in plans)
    return Row(section=section, label=label, cells=tuple(cells))


def _fleet(plan: Compared) -> str:
    return units.UNDEFINED if plan.fleet is None else fleet_text.fleet(plan.fleet.fleet)


def _verdict(base: Compared, plan: Compared) -> Word:
    before, found = (GRADES.index(one.answer.verdict) for one in (base, plan))
    return "" if before == found else "worse" if found > before else "better"


def _proof(plan: Compared) -> str:
    seen = plan.answer.simulation
    if seen is None:
        return "formula"
    return f"{units.count(seen.replications)} runs{f' of {plan.proof_of}' if plan.proof_of else ''}"


def _program(plan: Compared) -> str:
    return units.UNDEFINED if plan.provenance is None else plan.provenance.program_version


def _price(gpu: str, plan: Compared) -> str:
    found = dict(plan.prices).get(gpu)
    return units.UNDEFINED if found is None else units.dollars_per_hour(found)
