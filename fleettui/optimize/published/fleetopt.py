"""FleetOpt (arXiv 2603.16514), Tables 1 to 6 and section 7.4, as printed."""

from __future__ import annotations

from dataclasses import replace

from fleettui.optimize.published.cell_questions import (
    AGENT,
    AZURE,
    EIGHT_K,
    LMSYS,
    LONGEST,
    Cell,
    Compressed,
    FleetAsked,
    LengthFigure,
    OfFleet,
    OfLengths,
    OneReplica,
    Published,
    ReplicaFigure,
    SimulatedPool,
)

CUTS = {AZURE: 4096, LMSYS: 1536, AGENT: 8192}
COMPRESSIBLE = {AZURE: 1.0, LMSYS: 1.0, AGENT: 0.75}
WORDS = {AZURE: "Azure", LMSYS: "LMSYS", AGENT: "Agent"}
POOLS = ("short", "long")
RATE = 1000.0

CLIFF = {  # tokens of a request: places of a replica, share of its place that it uses, GiB of a place, cost ratio
    8192: (128, 1.0, 2.5, 1.0),
    8193: (16, 0.125, 20.0, 8.0),
    12_000: (16, 0.183, 20.0, 8.0),
    65_536: (16, 1.0, 20.0, 8.0),
}
COMPRESSOR = {  # seconds: p50, p95, p99, and the mean over all requests with whether that is only a bound
    AZURE: (0.0018, 0.0042, 0.0065, 0.0002, True),
    LMSYS: (0.0012, 0.0031, 0.0052, 0.0001, True),
    AGENT: (0.0034, 0.0062, 0.0078, 0.00039, False),
}
THEIR_CORE = "measured there on a core of an Intel Xeon Platinum 8568Y+, which no formula gives"
OVER_ALL = "borderline share times the median; the mean that it takes is not printed"
ALPHA_BETA_CLIFF = {AZURE: (0.898, 0.078, 16.0), LMSYS: (0.909, 0.046, 42.0), AGENT: (0.740, 0.112, 8.0)}
HOMOGENEOUS = {AZURE: (284, 5_498_000), LMSYS: (139, 2_691_000), AGENT: (2397, 46_405_000)}
SPLIT = {  # (method, gamma): short, long, total, dollars per year, saving
    AZURE: {
        ("PR", 1.0): (43, 131, 174, 3_369_000, 0.387),
        ("PR + C&R", 1.5): (47, 45, 92, 1_781_000, 0.676),
        ("FleetOpt", 2.0): (48, 2, 50, 968_000, 0.824),
    },
    LMSYS: {
        ("PR", 1.0): (7, 74, 81, 1_568_000, 0.417),
        ("PR + C&R", 1.5): (7, 65, 72, 1_394_000, 0.482),
        ("FleetOpt", 2.0): (7, 52, 59, 1_142_000, 0.576),
    },
    AGENT: {
        ("PR", 1.0): (229, 2037, 2266, 43_869_000, 0.055),
        ("PR + C&R", 1.5): (255, 1981, 2236, 43_288_000, 0.067),
        ("FleetOpt", 1.5): (255, 1981, 2236, 43_288_000, 0.067),
    },
}
BUSY = {  # replicas, utilization by formula, by their simulation
    AZURE: ((43, 0.848, 0.865), (131, 0.845, 0.847)),
    LMSYS: ((7, 0.771, 0.792), (74, 0.845, 0.853)),
    AGENT: ((229, 0.848, 0.868), (2037, 0.850, 0.850)),
}
BY_RATE = {  # homogeneous, PR, FleetOpt, gamma, their savings
    100.0: (240, 227, 225, 1.2, 0.054, 0.062),
    200.0: (480, 454, 448, 1.5, 0.054, 0.067),
    500.0: (1199, 1134, 1119, 1.5, 0.054, 0.067),
    1000.0: (2397, 2266, 2236, 1.5, 0.055, 0.067),
    2000.0: (4794, 4531, 4470, 1.5, 0.055, 0.068),
}
TTFT = {AZURE: (0.020, 0.080), LMSYS: (0.011, 0.048), AGENT: (0.047, 0.220)}
MEAN_PREFILL = "printed as a P99, it is the mean prefill at a batch of one"


def _split(workload: str, gamma: float | None, rate: float = RATE) -> FleetAsked:
    return FleetAsked(
        workload=workload, rate=rate, cut=CUTS[workload], gamma=gamma, compressible=COMPRESSIBLE[workload]
    )


def _whole(workload: str, rate: float = RATE) -> FleetAsked:
    return replace(_split(workload, 1.0, rate), cut=None)


def _cliff() -> list[Cell]:
    cells = []
    for tokens, (places, used, size, ratio) in CLIFF.items():
        context = EIGHT_K if tokens <= EIGHT_K else LONGEST
        columns: tuple[tuple[str, float, ReplicaFigure], ...] = (
            ("places", places, "places"),
            ("share of a place used", used, "used"),
            ("GiB of a place", size, "GiB"),
            ("cost ratio", ratio, "ratio"),
        )
        for name, printed, figure in columns:
            asked = OneReplica(context=context, tokens=tokens, beside=EIGHT_K, figure=figure)
            cells.append(Cell(name=f"{tokens} tokens {name}", printed=printed, asked=asked))
    return cells


def _compressor() -> list[Cell]:
    cells = []
    for workload, (median, p95, p99, overhead, bound) in COMPRESSOR.items():
        cut, label = CUTS[workload], WORDS[workload]
        asked = OfLengths(workload=workload, cut=cut, gamma=1.5, figure="band")
        cells.append(Cell(name=f"{label} β", printed=ALPHA_BETA_CLIFF[workload][1], asked=asked))
        for share, printed in ((0.5, median), (0.95, p95), (0.99, p99)):
            took = Compressed(workload=workload, cut=cut, share=share)
            cells.append(Cell(name=f"{label} p{100 * share:g} s", printed=printed, asked=took, note=THEIR_CORE))
        mean, name = Compressed(workload=workload, cut=cut, median=median), f"{label} mean over all requests s"
        cells.append(Cell(name=name, printed=overhead, asked=mean, note=OVER_ALL, bound=bound))
    return cells


def _lengths() -> list[Cell]:
    cells = []
    for workload, (share, band, cliff) in ALPHA_BETA_CLIFF.items():
        columns: tuple[tuple[str, float, LengthFigure], ...] = (
            ("α", share, "share"),
            ("β", band, "band"),
            ("cliff", cliff, "cliff"),
        )
        for name, printed, figure in columns:
            asked = OfLengths(workload=workload, cut=CUTS[workload], gamma=1.5, figure=figure)
            cells.append(Cell(name=f"{WORDS[workload]} {name}", printed=printed, asked=asked))
    return cells


def _fleets() -> list[Cell]:
    cells = []
    for workload, methods in SPLIT.items():
        whole, word = _whole(workload), WORDS[workload]
        total, dollars = HOMOGENEOUS[workload]
        cells.append(
            Cell(name=f"{word} homogeneous GPUs", printed=total, asked=OfFleet(fleet=whole, figure="replicas"))
        )
        cells.append(Cell(name=f"{word} homogeneous $/yr", printed=dollars, asked=OfFleet(fleet=whole, figure="cost")))
        for (method, gamma), (short, long, both, cost, saving) in methods.items():
            fleet, label = _split(workload, gamma), f"{word} {method} γ={gamma:g}"
            for place, count in enumerate((short, long)):
                asked = OfFleet(fleet=fleet, figure="replicas", pool=place)
                cells.append(Cell(name=f"{label} {POOLS[place]} GPUs", printed=count, asked=asked))
            cells.append(Cell(name=f"{label} GPUs", printed=both, asked=OfFleet(fleet=fleet, figure="replicas")))
            cells.append(Cell(name=f"{label} $/yr", printed=cost, asked=OfFleet(fleet=fleet, figure="cost")))
            asked = OfFleet(fleet=fleet, figure="saving", against=whole)
            cells.append(Cell(name=f"{label} saving", printed=saving, asked=asked))
    return cells


def _utilizations() -> list[Cell]:
    cells = []
    for workload, pools in BUSY.items():
        fleet = _split(workload, 1.0)
        for place, (count, formula, simulated) in enumerate(pools):
            label = f"{WORDS[workload]} {POOLS[place]}"
            asked = OfFleet(fleet=fleet, figure="replicas", pool=place)
            cells.append(Cell(name=f"{label} GPUs", printed=count, asked=asked))
            asked = OfFleet(fleet=fleet, figure="utilization", pool=place)
            cells.append(Cell(name=f"{label} ρ by formula", printed=formula, asked=asked))
            held = SimulatedPool(fleet=fleet, pool=place, figure="utilization")
            note = "printed from one run of 30,000 requests, paper from long ones"
            cells.append(Cell(name=f"{label} ρ simulated", printed=simulated, asked=held, note=note))
    return cells


def _by_rate() -> list[Cell]:
    cells = []
    for rate, (homogeneous, routed, best, gamma, saved, saved_best) in BY_RATE.items():
        whole, split, swept = _whole(AGENT, rate), _split(AGENT, 1.0, rate), _split(AGENT, None, rate)
        for name, printed, asked in (
            ("homogeneous GPUs", homogeneous, OfFleet(fleet=whole, figure="replicas")),
            ("PR GPUs", routed, OfFleet(fleet=split, figure="replicas")),
            ("FleetOpt GPUs", best, OfFleet(fleet=swept, figure="replicas")),
            ("FleetOpt γ", gamma, OfFleet(fleet=swept, figure="gamma")),
            ("PR saving", saved, OfFleet(fleet=split, figure="saving", against=whole)),
            ("FleetOpt saving", saved_best, OfFleet(fleet=swept, figure="saving", against=whole)),
        ):
            cells.append(Cell(name=f"λ={rate:g}/s {name}", printed=printed, asked=asked))
    return cells


def _ttfts() -> list[Cell]:
    return [
        Cell(
            name=f"{WORDS[workload]} {POOLS[place]} P99 TTFT s",
            printed=printed,
            asked=OfFleet(fleet=_split(workload, 1.0), figure="mean prefill", pool=place),
            note=MEAN_PREFILL,
        )
        for workload, pair in TTFT.items()
        for place, printed in enumerate(pair)
    ]


TABLES = (
    Published(title="FO T1", about="what a request takes of an A100 at the split", cells=tuple(_cliff())),
    Published(title="FO T2", about="share below the split, borderline share, cliff", cells=tuple(_lengths())),
    Published(title="FO T3", about="fleets and cost at 1,000 requests/s on A100, 500 ms", cells=tuple(_fleets())),
    Published(title="FO T4", about="seconds of the compressor", cells=tuple(_compressor())),
    Published(title="FO T5", about="utilization by formula and by simulation", cells=tuple(_utilizations())),
    Published(title="FO T6", about="Agent fleets by arrival rate", cells=tuple(_by_rate())),
    Published(title="FO 7.4", about="P99 TTFT of the pool-routing fleets", cells=tuple(_ttfts())),
)
