"""The model reference of vllm-sr-sim, the simulator of both papers (DOC), sections 1 and 2, as printed."""

from __future__ import annotations

from fleettui.optimize.published.cell_questions import Cell, OneReplica, Published, ReplicaFigure

POOLS = {  # context, mean tokens: places, seconds per sequence, seconds per step, requests/s of a replica
    "short": (2048, 800, 512, 6.5e-5, 0.040, 78.0),
    "homogeneous": (8192, 1600, 128, 1.3e-4, 0.025, 49.0),
    "long": (8192, 5000, 128, 4.0e-4, 0.059, 2.0),
    "homogeneous, agent": (65_536, 15_000, 16, 1.2e-3, 0.027, 1.0),
}
PLACES = {2048: 512, 4096: 256, 8192: 128, 16_384: 64, 65_536: 16}
CAUSES = {
    ("short", "seconds per sequence"): "0.65 ms x 800/8192 is 6.35e-5",
    ("homogeneous", "step s"): "8 ms + 128 x 1.27e-4 s is 24.3 ms",
    ("homogeneous", "requests/s"): "places over the time that a request holds one, 49 would take outputs of 100 tokens",
    ("homogeneous, agent", "requests/s"): "places over the time that a request holds one, printed rounded up",
}
"""Why cells differ from what is printed; nothing in that page gives those numbers."""


def _pools() -> list[Cell]:
    cells = []
    for name, (context, tokens, places, per_sequence, step, rate) in POOLS.items():
        columns: tuple[tuple[str, float, ReplicaFigure], ...] = (
            ("places", places, "places"),
            ("seconds per sequence", per_sequence, "per sequence"),
            ("step s", step, "step"),
            ("requests/s", rate, "rate"),
        )
        cells += [
            Cell(
                name=f"{name} {title}",
                printed=printed,
                asked=OneReplica(context=context, tokens=tokens, figure=figure),
                note=CAUSES.get((name, title), ""),
                reproduced=(name, title) not in CAUSES,
            )
            for title, printed, figure in columns
        ]
    return cells


def _places() -> list[Cell]:
    columns: tuple[tuple[str, ReplicaFigure], ...] = (
        ("places by memory", "by memory"),
        ("places by load", "by load"),
        ("places", "places"),
    )
    return [
        Cell(name=f"{context} tokens {title}", printed=printed, asked=OneReplica(context=context, figure=figure))
        for context, printed in PLACES.items()
        for title, figure in columns
    ]


TABLES = (
    Published(title="DOC 1", about="A100 pools: places, seconds per sequence, step, throughput", cells=tuple(_pools())),
    Published(title="DOC 2", about="places of an A100 by memory and by load", cells=tuple(_places())),
)
