"""What a plan rests on, by where it is from: typed, measured, the catalogue, or as it is by default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fleettui.domain.hardware import Citation, Profile
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.reports import fleet_text, moments, units
from fleettui.reports.hardware_text import sources
from fleettui.reports.question.conversion import default_of, to_values
from fleettui.reports.question.keys import BY_NAME, OF_GIVEN
from fleettui.reports.report.model import Kept
from fleettui.reports.table import UNNAMED, Head, Table
from fleettui.reports.workload_text import TIMING_WORDS

LABELS = frozenset({"name"})
"""Keys of a question that no figure rests on."""
DIGITS = 12
"""Characters of a digest that are told."""
AT_DEFAULT = "at default"
"""Keys with the value that they have unsaid: a question does not keep whether somebody typed that."""
GIVEN = "given"
"""A price note that says that the price was typed."""


def assumptions(kept: Kept) -> Table:
    """Return every key of the question with its value, the lengths and the hardware, by origin."""
    question = kept.scenario.question
    best = kept.answer.answer
    names = [name for name in BY_NAME if name not in LABELS and not (kept.given and name not in OF_GIVEN)]
    typed, defaults, unset = _keys(question, names)
    if best is not None and kept.given:
        typed.append(f"fleet {fleet_text.fleet(best.fleet)}")
    measured = () if kept.scenario.question.workload is None else (("measured", _measured(kept.workload)),)
    rows = (
        ("typed", "; ".join(typed)),
        *measured,
        *(("catalogue", line) for line in _catalogue(kept)),
        (AT_DEFAULT, "; ".join(defaults)),
        *((("not set", ", ".join(unset)),) if unset else ()),
    )
    return Table(columns=(Head(title="origin"), Head(title=UNNAMED, wrap=True)), rows=rows, note=_more(kept))


def _more(kept: Kept) -> str:
    """Return what is at its default, and where every source of every figure is told."""
    one = _profiles(kept)[0]
    cache = "" if one.kv_dtype == "bf16" else f" --kv-dtype {one.kv_dtype}"
    experts = " --expert-parallel" if one.expert_parallel else ""
    stages = f" --pp {one.pp}" if one.pp > 1 else ""
    drafts = f" --speculative {one.speculative}" if one.speculative else ""
    divided = f" --layout {one.layout}" if one.layout else f" --tp {one.tp}{stages}{experts}"
    shown = f"{one.gpu} {one.model} --dtype {one.dtype}{cache}{divided}{drafts}"
    alike = f"{AT_DEFAULT}: left out, or typed with its default value"
    return f"{alike}; every source: fleettui profile show {shown}"


def _keys(question: Question, names: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Return those of the keys `names` that differ from their default, that do not, and that say nothing."""
    values = to_values(question)
    typed: list[str] = []
    defaults: list[str] = []
    unset: list[str] = []
    for key in map(BY_NAME.__getitem__, names):
        if key.name not in values:
            if not key.demand or key.demand == question.demand.form:
                unset.append(key.name)
            continue
        text = key.write(values[key.name])
        (defaults if text == default_of(key, question.model) else typed).append(f"{key.name} {text}")
    return typed, defaults, unset


def _measured(workload: Workload) -> str:
    """Return where the lengths are from."""
    origin, first = workload.origin, workload.slices[0].lengths
    counted = f"{units.count(first.n_samples)} requests" if first.n_samples else ""
    times = f"times {TIMING_WORDS[workload.arrivals.timing]}"
    parts = (f"lengths of {workload.name}", counted, times, origin.source, origin.licence)
    return "; ".join(filter(None, parts))


def _catalogue(kept: Kept) -> Iterator[str]:
    """Yield price, speed and sources of each GPU that the plan rents or else searched; then of the model and engine."""
    profiles = _profiles(kept)
    for one in profiles:
        hourly = units.dollars_per_hour(one.price_per_hour)
        price = "" if one.price_note == GIVEN else f"{hourly} a GPU ({one.price_note})"
        peak = f"{units.tera_flops(one.peak / one.gpus_per_replica)} TFLOP/s {one.units or one.dtype}"
        speed = f"{units.bytes_per_second(one.bandwidth / one.gpus_per_replica)}, {peak}"
        used = {"gpu.bandwidth", f"gpu.peak_{one.units or one.dtype}", "gpu.power"}
        cited = [citation for citation in one.citations if citation.field in used]
        yield f"{one.gpu.upper()}: {'; '.join(filter(None, (price, speed, *_cited(cited))))}"
    shared = dict.fromkeys(
        citation
        for one in profiles
        for citation in one.citations
        if citation.field in ("model.config", "engine.overhead", "band", "engine.front_end")
    )
    if shared:
        yield f"{profiles[0].model} and the engine: {'; '.join(_cited(shared))}"


def _profiles(kept: Kept) -> list[Profile]:
    """Return one profile for each GPU of the answer, of a replica of it; of each that was searched without one."""
    best = kept.answer.answer
    pools = best.fleet.pools if best is not None else ()
    keys, rented = {pool.replica_key for pool in pools}, {pool.gpu for pool in pools}
    found: dict[str, Profile] = {}
    for one in sorted(kept.profiles, key=lambda one: one.replica_key not in keys):
        if one.gpu in rented or best is None:
            found.setdefault(one.gpu, one)
    return list(found.values())


def _cited(citations: Iterable[Citation]) -> list[str]:
    """Return each source once, after the names of its figures.

    >>> _cited([Citation(field="gpu.power", source="a paper"), Citation(field="gpu.link", source="a paper")])
    ['power, link: a paper']
    """
    named = (replace(one, field=one.field.rpartition(".")[2]) for one in citations)
    return [text for _, text in sources(named)]


def origin(kept: Kept) -> tuple[tuple[str, str], ...]:
    """Return what identifies the plan and what made it, as pairs of label and text."""
    plan, made = kept.answer.plan, kept.provenance
    return (
        ("plan", f"{plan.handle}, made {moments.minute(plan.created)} UTC"),
        ("scenario", plan.scenario[:DIGITS]),
        ("workload", kept.scenario.workload[:DIGITS]),
        ("engine", str(plan.engine_version)),
        ("program", f"fleettui {made.program_version}"),
        ("seed", str(plan.seed)),
        ("again", f"fleettui show {plan.handle}"),
    )
