"""inference-fleet-sim, Tables 1 to 4, as printed."""

from __future__ import annotations

from fleettui.optimize.published.cell_questions import (
    A10G,
    A100,
    AGENT,
    AZURE,
    EIGHT_K,
    H100,
    LMSYS,
    Cell,
    FleetAsked,
    OfFleet,
    OfLengths,
    Published,
    RunsOut,
    SimulatedPool,
)

SPLITS = {  # share short, n_s, n_l, GPUs, dollars per year, saving
    512: (0.638, 2, 13, 15, 290_000, -0.071),
    1024: (0.831, 2, 10, 12, 232_000, 0.143),
    2048: (0.948, 2, 7, 9, 174_000, 0.357),
    4096: (0.984, 3, 5, 8, 155_000, 0.429),
    8192: (0.997, 4, 4, 8, 155_000, 0.429),
    12_288: (0.999, 5, 3, 8, 155_000, 0.429),
}
STEPS = {  # GPUs, dollars per year, "provision more before" (None: not printed)
    25.0: (4, 141_000, 65.0),
    50.0: (5, 176_000, 90.0),
    100.0: (7, 247_000, 130.0),
    150.0: (10, 352_000, 185.0),
    200.0: (12, 423_000, 270.0),
    300.0: (18, 634_000, 370.0),
    400.0: (23, 810_000, None),
}
NO_RULE = "the printed column follows no rule; paper is the rate at which these GPUs run out"
ONE_SEED = "printed from one short run and laid to slots .30 busy, which are .88 busy"
COMPRESSED = "the printed fleet needs γ = 1.1"


def azure_fleet(
    gpus: tuple[str, ...], *, cut: int | None = 4096, rate: float = 100.0, gamma: float = 1.0
) -> FleetAsked:
    """Return the question of the papers' Azure fleets: 8,192 tokens, 500 ms."""
    return FleetAsked(workload=AZURE, rate=rate, gpus=gpus, cut=cut, context=EIGHT_K, gamma=gamma)


def totals(label: str, fleet: FleetAsked, gpus: float, dollars: float, also: FleetAsked | None = None) -> list[Cell]:
    """Return the two cells of a fleet's GPUs and dollars per year."""
    note = COMPRESSED if also else ""
    return [
        Cell(name=f"{label} GPUs", printed=gpus, note=note, asked=OfFleet(fleet=fleet, figure="replicas", also=also)),
        Cell(name=f"{label} $/yr", printed=dollars, note=note, asked=OfFleet(fleet=fleet, figure="cost", also=also)),
    ]


def ttfts(label: str, fleet: FleetAsked, *printed: float) -> list[Cell]:
    """Return one cell per pool: its P99 prefill at a batch of one and its wait."""
    words = ("",) if len(printed) == 1 else (" short", " long")
    return [
        Cell(name=f"{label}{word} P99 TTFT s", printed=value, asked=OfFleet(fleet=fleet, figure="ttft", pool=place))
        for place, (word, value) in enumerate(zip(words, printed, strict=True))
    ]


def _splits() -> list[Cell]:
    whole = FleetAsked(workload=LMSYS, rate=100.0)
    cells = totals("homogeneous", whole, 14, 271_000)
    for cut, (share, short, long, gpus, dollars, saving) in SPLITS.items():
        fleet, label = FleetAsked(workload=LMSYS, rate=100.0, cut=cut), f"B={cut}"
        below = OfLengths(workload=LMSYS, cut=cut, gamma=1.0, figure="share")
        cells.append(Cell(name=f"{label} α", printed=share, asked=below))
        cells.append(Cell(name=f"{label} n_s", printed=short, asked=OfFleet(fleet=fleet, figure="replicas", pool=0)))
        cells.append(Cell(name=f"{label} n_l", printed=long, asked=OfFleet(fleet=fleet, figure="replicas", pool=1)))
        cells += totals(label, fleet, gpus, dollars)
        asked = OfFleet(fleet=fleet, figure="saving", against=whole)
        cells.append(Cell(name=f"{label} saving", printed=saving, asked=asked))
    return cells


def _agent() -> list[Cell]:
    whole = FleetAsked(workload=AGENT, rate=20.0, slo=1.0, gpus=(H100,))
    split = FleetAsked(workload=AGENT, rate=20.0, slo=1.0, gpus=(H100,), cut=4096)
    wrong = Cell(
        name="homogeneous P99 TTFT s",
        printed=1.052,
        asked=SimulatedPool(fleet=whole, pool=0, figure="ttft"),
        note=ONE_SEED,
        reproduced=False,
    )
    two = totals("4K/64K", split, 25, 880_000)
    return [*totals("homogeneous", whole, 24, 845_000), wrong, *two, *ttfts("4K/64K", split, 0.017, 0.147)]


def _gpu_types() -> list[Cell]:
    cells = []
    for gpu, cut, gpus, dollars, printed in (
        (A10G, 4096, 19, 168_000, (0.155, 0.335)),
        (H100, None, 6, 211_000, (0.026,)),
        (A100, 4096, 12, 232_000, (0.052, 0.112)),
        (H100, 4096, 7, 247_000, (0.013, 0.030)),
    ):
        fleet, label = azure_fleet((gpu,), cut=cut), f"{gpu.upper()} {'two-pool' if cut else 'homogeneous'}"
        also = azure_fleet((gpu,), cut=cut, gamma=1.1) if gpu != H100 else None
        cells += totals(label, fleet, gpus, dollars, also) + ttfts(label, fleet, *printed)
    return cells


def _steps() -> list[Cell]:
    cells = []
    for rate, (gpus, dollars, before) in STEPS.items():
        fleet, label = azure_fleet((H100,), rate=rate), f"λ={rate:g}/s"
        cells += totals(label, fleet, gpus, dollars)
        if before is not None:
            asked = RunsOut(fleet=fleet)
            cells.append(Cell(name=f"{label} more before", printed=before, asked=asked, note=NO_RULE, reproduced=False))
    return cells


TABLES = (
    Published(title="IFS T1", about="LMSYS at 100 requests/s on A100 by split, 500 ms", cells=tuple(_splits())),
    Published(title="IFS T2", about="Agent at 20 requests/s on H100, 1 s", cells=tuple(_agent())),
    Published(title="IFS T3", about="Azure at 100 requests/s by GPU type, 500 ms", cells=tuple(_gpu_types())),
    Published(title="IFS T4", about="Azure on H100 by arrival rate, 500 ms", cells=tuple(_steps())),
)
