"""Why a fleet is late, and routers: inference-fleet-sim, section 4.2 and Table 5, the model reference, section 6."""

from __future__ import annotations

from fleettui.optimize.published.cell_questions import (
    AGENT,
    H100,
    LMSYS,
    Cell,
    FleetAsked,
    OfFleet,
    Published,
    Routed,
    RoutedFigure,
    SlotRouter,
)

WHOLE = FleetAsked(workload=AGENT, rate=20.0, slo=1.0, gpus=(H100,))
SPLIT = FleetAsked(workload=AGENT, rate=20.0, slo=1.0, gpus=(H100,), cut=4096)
PRINTED: dict[SlotRouter, tuple[float, float]] = {
    "length": (0.495, 0.9998),
    "compress": (0.534, 0.9994),
    "random": (0.292, 1.0),
}
FREED_EARLY = "the printed simulation frees a slot n times too early"
BY_SLOTS = "laid to slots .30 busy"
COMES_FROM: tuple[tuple[str, RoutedFigure], ...] = (
    ("share of the wait in the TTFT of the slowest 1 %", "tail_wait"),
    ("share of requests that find every slot taken", "blocked"),
    ("share of slot time that the longest tenth holds", "longest_tenth"),
)


def _why_late() -> list[Cell]:
    def asked(figure: RoutedFigure) -> Routed:
        return Routed(fleet=WHOLE, router="length", figure=figure)

    busy = Cell(name="24 H100 busy", printed=0.30, asked=asked("utilization"), note="held slots are", reproduced=False)
    late = Cell(name="24 H100 P99 TTFT s", printed=1.052, asked=asked("ttft"), note=BY_SLOTS, reproduced=False)
    whys = (Cell(name=name, printed=None, asked=asked(figure), stated=False) for name, figure in COMES_FROM)
    return [busy, late, *whys]


def _routers() -> list[Cell]:
    cells = []
    for router, (ttft, within) in PRINTED.items():
        columns: tuple[tuple[str, float, RoutedFigure], ...] = (
            ("P99 TTFT s", ttft, "ttft"),
            ("share within 1 s", within, "within"),
        )
        for name, printed, figure in columns:
            asked, kept = Routed(fleet=SPLIT, router=router, figure=figure), printed == 1.0
            note = "" if kept else FREED_EARLY
            cells.append(Cell(name=f"{router} {name}", printed=printed, asked=asked, note=note, reproduced=kept))
    return cells


def _reference() -> list[Cell]:
    lmsys = FleetAsked(workload=LMSYS, rate=100.0, cut=4096)
    return [
        Cell(
            name="compress adds to P99 TTFT",
            printed=0.33,
            asked=Routed(fleet=SPLIT, router="compress", figure="change"),
            note=f"the fleet is not named, here Table 5's; {FREED_EARLY}",
            reproduced=False,
        ),
        Cell(
            name="LMSYS long pool beside spillover",
            printed=2,
            asked=OfFleet(fleet=lmsys, figure="replicas", pool=1),
            note="printed as 1 to 2 for the long requests alone, where Table 1 has 5",
            reproduced=False,
        ),
    ]


TABLES = (
    Published(title="IFS 4.2", about="why 24 H100 are late for Agent at 20 requests/s, 1 s", cells=tuple(_why_late())),
    Published(title="IFS T5", about="routers on 2 + 23 H100, Agent at 20 requests/s, 1 s", cells=tuple(_routers())),
    Published(title="DOC 6", about="what routers are for", cells=tuple(_reference())),
)
