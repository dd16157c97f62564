"""inference-fleet-sim, Tables 6 to 9 and Eq. 6, as printed."""

from __future__ import annotations

from fleettui.optimize.published.cell_questions import (
    A10G,
    A100,
    H100,
    LMSYS,
    Cell,
    Curtailed,
    CurtailedFigure,
    Disaggregated,
    FleetAsked,
    OfFleet,
    Published,
    Repaired,
    SeparateFigure,
    SimulatedPool,
)
from fleettui.optimize.published.fleet_sim import azure_fleet, totals, ttfts

HOUR = 3600.0
SAMPLE = "printed from one run with few long requests, paper from long ones"
FREED_EARLY = "the printed simulation frees a slot n times too early; held, 15,000 requests"
UNBOUNDED, FAR_ABOVE = "printed as infinite", "printed as far above the SLO"
MEAN_PREFILL = "the mean prefill at a batch of one"
SHED = {  # cap, watts per GPU, fleet watts, P99 TTFT by formula, by their simulation (None: infinite)
    0.0: (128, 583.0, 23_300.0, 0.0079, 0.035),
    0.1: (48, 540.0, 21_600.0, 0.0079, 0.038),
    0.2: (24, 479.0, 19_100.0, 0.0079, 0.041),
    0.3: (13, 413.0, 16_500.0, 0.0079, 0.051),
    0.4: (6, 350.0, 14_000.0, None, 0.190),
    0.5: (1, 304.0, 12_200.0, None, None),
}
SEPARATE = {  # prefill and decode workers, dollars per year, TTFT, TPOT
    (H100, A100): (1, 6, 151_000, 0.162, 0.091),
    (H100, H100): (1, 3, 141_000, 0.162, 0.045),
    (A100, H100): (1, 3, 125_000, 0.492, 0.045),
}


def _mixed_azure() -> list[Cell]:
    cells = []
    for gpus, count, dollars, printed in (
        ((A100, A100), 12, 232_000, (0.052, 0.112)),
        ((A10G, H100), 12, 212_000, (0.155, 0.030)),
        ((A10G, A100), 15, 206_000, (0.155, 0.112)),
    ):
        fleet, label = azure_fleet(gpus), _pair(gpus)
        also = azure_fleet(gpus, gamma=1.1) if gpus[1] == A100 else None
        cells += totals(label, fleet, count, dollars, also) + ttfts(label, fleet, *printed)
    return cells


def _mixed_lmsys() -> list[Cell]:
    cells = []
    for gpus, count, dollars, short, long in (
        ((A100, A100), 8, 155_000, 0.043, 2.822),
        ((A10G, H100), 7, 141_000, 0.129, 0.181),
        ((A10G, A100), 9, 132_000, 0.129, 2.822),
    ):
        fleet, label = FleetAsked(workload=LMSYS, rate=100.0, gpus=gpus, cut=4096), _pair(gpus)
        cells += totals(label, fleet, count, dollars)
        asked = OfFleet(fleet=fleet, figure="ttft", pool=0)
        cells.append(Cell(name=f"{label} short P99 TTFT s", printed=short, asked=asked))
        held = SimulatedPool(fleet=fleet, pool=1, figure="ttft")
        cells.append(Cell(name=f"{label} long P99 TTFT s", printed=long, asked=held, note=SAMPLE))
    return cells


def _pair(gpus: tuple[str, str]) -> str:
    return f"{gpus[0].upper()}+{gpus[1].upper()}"


def _disaggregated() -> list[Cell]:
    cells = []
    for gpu, count, dollars, ttft in ((A100, 12, 232_000, 0.026), (H100, 6, 211_000, 0.008)):
        fleet, label = azure_fleet((gpu,), cut=None), f"{gpu.upper()} aggregated"
        cells += totals(label, fleet, count, dollars)
        asked = OfFleet(fleet=fleet, figure="mean prefill", pool=0)
        cells.append(Cell(name=f"{label} TTFT s", printed=ttft, asked=asked, note=MEAN_PREFILL))
    for (prefill, decode), (first, second, dollars, ttft, tpot) in SEPARATE.items():
        label = f"{prefill.upper()}P+{decode.upper()}D"
        columns: tuple[tuple[str, float, SeparateFigure], ...] = (
            ("prefill GPUs", first, "prefill"),
            ("decode GPUs", second, "decode"),
            ("GPUs", first + second, "replicas"),
            ("$/yr", dollars, "cost"),
            ("TTFT s", ttft, "ttft"),
            ("TPOT s", tpot, "tpot"),
        )
        for name, printed, figure in columns:
            asked_of = Disaggregated(prefill=prefill, decode=decode, figure=figure)
            cells.append(Cell(name=f"{label} {name}", printed=printed, asked=asked_of))
    return cells


def _curtailed() -> list[Cell]:
    cells = []
    for shed, (cap, watts, fleet_watts, formula, simulated) in SHED.items():
        label = f"{shed:.0%} shed"
        columns: tuple[tuple[str, float | None, CurtailedFigure], ...] = (
            ("batch cap", cap, "cap"),
            ("W/GPU", watts, "watts"),
            ("fleet W", fleet_watts, "fleet watts"),
            ("P99 TTFT s by formula", formula, "ttft"),
        )
        for name, printed, figure in columns:
            asked = Curtailed(shed=shed, figure=figure)
            note = UNBOUNDED if printed is None else ""
            cells.append(Cell(name=f"{label} {name}", printed=printed, asked=asked, note=note))
        cells.append(
            Cell(
                name=f"{label} P99 TTFT s simulated",
                printed=simulated,
                asked=Curtailed(shed=shed, figure="simulated ttft"),
                note=FREED_EARLY if simulated is not None else FAR_ABOVE,
                reproduced=simulated is None,
            )
        )
    return cells


def _repaired() -> list[Cell]:
    return [
        Cell(
            name=f"A, repaired in {hours} h",
            printed=printed,
            asked=Repaired(failures_per_day=0.0065, repair=hours * HOUR),
        )
        for hours, printed in ((4, 0.9989), (48, 0.9871))
    ]


TABLES = (
    Published(title="IFS T6", about="Azure at 100 requests/s on mixed GPUs, 500 ms", cells=tuple(_mixed_azure())),
    Published(title="IFS T7", about="LMSYS at 100 requests/s on mixed GPUs, 500 ms", cells=tuple(_mixed_lmsys())),
    Published(title="IFS T8", about="prefill and decode on GPUs of their own", cells=tuple(_disaggregated())),
    Published(title="IFS T9", about="40 H100 under a power cap, Azure at 200 requests/s", cells=tuple(_curtailed())),
    Published(title="IFS Eq. 6", about="availability of a node", cells=tuple(_repaired())),
)
