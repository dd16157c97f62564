"""The tasks of `published`: which tables there are, and one of them, every cell by both methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fleettui.compression.tokens import counter_of
from fleettui.compression.trials import Bench
from fleettui.domain.borderline import Band
from fleettui.domain.compressor_settings import Settings
from fleettui.domain.plan import Estimate
from fleettui.domain.published_titles import title_named
from fleettui.domain.simulation import PoolRun, PoolTraffic, Traffic
from fleettui.domain.study import Cell as StudyCell
from fleettui.domain.study import StudyColumn, StudyTable, table_of
from fleettui.hardware import catalog
from fleettui.optimize.mechanisms import MECHANISMS
from fleettui.optimize.mechanisms.mechanism import Mechanism
from fleettui.optimize.published.by_paper import ByPaper, HeldPool
from fleettui.optimize.published.cell_questions import (
    AGENT,
    AZURE,
    DRAWN,
    LMSYS,
    Cell,
    Compressed,
    Curtailed,
    Found,
    OfLengths,
    Routed,
    SimulatedPool,
)
from fleettui.optimize.published.recommended import PlannedPool, Recommended
from fleettui.optimize.published.tables import TABLES, named
from fleettui.planning.studies.published import BOUND_KEPT, CANNOT_BE_HAD, NOT_PRINTED, NOT_REPRODUCED
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import routed_cells
from fleettui.planning.tasks.held_slots import long_runs, slot_pool
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.simulation import lengths, run
from fleettui.simulation.slots import SlotPool, play_slots
from fleettui.simulation.statistics import LATENCY, estimate
from fleettui.workloads.atoms import pairings
from fleettui.workloads.named import read_workload

COLUMNS = (
    StudyColumn(name="table"),
    StudyColumn(name="cell"),
    StudyColumn(name="printed", quantity="number"),
    StudyColumn(name="paper", quantity="number"),
    StudyColumn(name="recommended", quantity="number"),
    StudyColumn(name="note"),
)
RUNS, FEWER = {"ttft": 10, "utilization": 4}, 1
"""Replications by what is simulated, and of a utilization of the token-exact engine, which hardly varies."""
LEAST_MEASURED = 500_000
"""Requests of a pool of slots that are measured at least."""
MADE, OUTPUT = 100, 300
"""Prompts that are made to time our compressor, and the output tokens of each."""
MEASURED = 100_000
"""Requests that the token-exact engine measures in one replication, after its whole warm-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """Both methods over the papers' own length distributions."""

    paper: ByPaper
    ours: Recommended


@cache
def methods() -> Methods:
    """Return both methods, which remember what they have worked out."""
    found = {name: read_workload(f"{name}-paper").slices[0].lengths for name in (AZURE, LMSYS, AGENT)}
    return Methods(
        paper=ByPaper({name: one.cdf for name, one in found.items()}),
        ours=Recommended(
            {name: pairings(one)[0][1] for name, one in found.items()},
            lambda question: profiles_of(question, catalog.model(question.model)),
        ),
    )


def titles(context: Context, *, text: str | None) -> tuple[str, ...]:
    """Return the title of the table that `text` names, those of all without; raises UnknownNameError."""
    context.check()
    known = (*(one.title for one in TABLES), *(one.title for one in MECHANISMS))
    return (title_named(text, known),) if text else known


def table(context: Context, *, title: str, seed: int) -> StudyTable:
    """Return the study's table of the published one called `title`; `seed` is of its simulations."""
    mechanism = next((one for one in MECHANISMS if one.title == title), None)
    if mechanism is not None:
        return _of_mechanism(context, mechanism, seed)
    published = named(title)
    rows, total = [], len(published.cells)
    for done, cell in enumerate(published.cells):
        context.progress(f"{published.title}: {cell.name}", done, total)
        rows.append(_row(published.title, cell, seed))
    return StudyTable(title=published.title, columns=COLUMNS, rows=tuple(rows), note=published.about)


def _of_mechanism(context: Context, mechanism: Mechanism, seed: int) -> StudyTable:
    """Return the table of a mechanism: what is printed, and ours with the ends of its 95 % interval."""
    run.compile_now()
    rows = mechanism.rows(seed, lambda words, done, total: context.progress(f"{mechanism.title}: {words}", done, total))
    return table_of(
        mechanism.title,
        rows,
        ("table", "text", lambda _: mechanism.title),
        ("cell", "text", lambda row: row.name),
        ("printed", "share", lambda row: row.printed),
        ("ours", "share", lambda row: None if row.ours is None else row.ours.value),
        ("low", "share", lambda row: None if row.ours is None else row.ours.low),
        ("high", "share", lambda row: None if row.ours is None else row.ours.high),
        ("it_is", "text", lambda row: row.shown),
        ("note", "text", lambda row: row.note if row.ours is not None else f"{CANNOT_BE_HAD}{row.note}"),
        note=mechanism.about,
    )


def _row(title: str, cell: Cell, seed: int) -> tuple[StudyCell, ...]:
    paper, ours = _by_paper(cell, seed), _by_ours(cell, seed)
    said = "; ".join(one for one in (cell.note, paper.note, ours.note) if one)
    return title, cell.name, cell.printed, paper.value, ours.value, _begun(cell, paper.value) + said


def _begun(cell: Cell, computed: float | None) -> str:
    """Return how a cell's note begins where its numbers are not simply compared."""
    if not cell.stated:
        return NOT_PRINTED
    if not cell.reproduced:
        return NOT_REPRODUCED
    kept = cell.bound and computed is not None and cell.printed is not None and computed <= cell.printed
    return BOUND_KEPT if kept else ""


def _by_paper(cell: Cell, seed: int) -> Found:
    paper, asked = methods().paper, cell.asked
    match asked:
        case Routed():
            return routed_cells.by_paper(paper, asked, seed)
        case SimulatedPool():
            return _long_runs(paper.held(asked), asked.figure, seed)
        case Curtailed(figure="simulated ttft"):
            return _window(paper.held(asked), seed)
    return paper.answer(asked)


def _by_ours(cell: Cell, seed: int) -> Found:
    """Return our number; a simulated one is that of the token-exact engine on our own fleet."""
    ours, asked = methods().ours, cell.asked
    if isinstance(asked, Compressed):
        return _compressed(asked)
    if isinstance(asked, Routed):
        return routed_cells.by_ours(ours, asked, lambda pool, figure: _shown(pool, figure, seed))
    found = ours.answer(asked)
    if not isinstance(asked, SimulatedPool):
        return found
    value = _shown(ours.planned(asked.fleet)[asked.pool], asked.figure, seed)
    return Found(value=value.value, note=f"{found.note}, simulated{_ends(value)}")


def _compressed(asked: Compressed) -> Found:
    """Return what our compressor takes of this machine's processor time for made prompts."""
    took = _timed(asked.cut, asked.gamma)
    told = f"ours over {len(took)} made prompts, on this machine"
    if asked.share is not None:
        return Found(value=float(np.quantile(took, asked.share)), note=told)
    band = (
        methods()
        .paper.answer(OfLengths(workload=asked.workload, cut=asked.cut, gamma=asked.gamma, figure="band"))
        .value
    )
    return Found(value=(band or 0.0) * float(np.mean(took)), note=f"{told}: their mean times the borderline share")


@cache
def _timed(cut: int, gamma: float) -> tuple[float, ...]:
    """Return the seconds that our compressor takes for each of MADE borderline prompts."""
    bench = Bench(band=Band(split=cut, gamma=gamma), counter=counter_of(None), settings=Settings())
    bench.make(0, MADE, MADE, seed=1, output=OUTPUT, told=lambda: None)
    return tuple(one.seconds for one in bench.trials().tried)


def _long_runs(pool: HeldPool, figure: str, seed: int) -> Found:
    """Return what long runs of a pool show whose slots are held."""
    runs = long_runs(_slots(pool), runs=RUNS[figure], measured=LEAST_MEASURED, seed=seed)
    found = estimate([getattr(one, figure) for one in runs], ends=LATENCY)
    return Found(value=found.value, note=f"slots held{_ends(found)}")


def _window(pool: HeldPool, seed: int) -> Found:
    """Return the P99 TTFT of the papers' 15,000 requests from an empty fleet on, and whether it would last."""
    slots = _slots(pool)
    runs = [play_slots(slots, warm_up=0, measured=DRAWN, seed=seed, index=index).ttft for index in range(RUNS["ttft"])]
    busy = slots.in_service / slots.servers
    lasting = "" if busy < 1.0 else f", without bound later ({busy:.2f} times full)"
    found = estimate(runs, ends=LATENCY)
    return Found(value=found.value, note=f"from empty{_ends(found)}{lasting}")


def _slots(pool: HeldPool) -> SlotPool:
    return slot_pool(pool.profile, pool.atoms, slots=pool.slots, replicas=pool.replicas, rate=pool.rate)


def _shown(planned: PlannedPool, figure: str, seed: int) -> Estimate:
    """Return a figure of one of our pools as the token-exact engine shows it."""
    found = _simulated(planned, FEWER if figure == "utilization" else RUNS["ttft"], seed)
    values: Sequence[float | None] = [getattr(one, figure) for one in found]
    return estimate(values, ends=LATENCY)


@cache
def _simulated(planned: PlannedPool, runs: int, seed: int) -> tuple[PoolRun, ...]:
    """Return what so many runs of one of our pools show."""
    fleet = planned.candidate.fleet
    traffic = Traffic(pools=(PoolTraffic(arrival_rate=planned.rate, atoms=planned.atoms),))
    length = replace(lengths.lengths(fleet, traffic).pools[0], measured=MEASURED)
    run.compile_now()
    return tuple(
        run.replicate(
            fleet, traffic, [length], profiles=[None], slo=planned.question.slo, seed=seed, index=index
        ).pools[0]
        for index in range(runs)
    )


def _ends(found: Estimate) -> str:
    """Return the ends of an interval, where there is one and it is wider than what is told of it."""
    if found.low is None or found.high is None:
        return ""
    low, high = (f"{end:.3g}" for end in (found.low, found.high))
    tail = ", an unstable tail" if found.value is not None and found.high > 2.0 * found.value else ""
    return "" if low == high else f" ({low} to {high}{tail})"
