"""What other architectures take beside a plan whose replicas do both, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.frontier import FrontierFound
from fleettui.reports import units
from fleettui.reports.studies.frontier import NAMES

AUTO = "--architecture auto:"


def beside_others(told: str, found: FrontierFound) -> Iterator[str]:
    """Yield what was `told` of prefill and decode apart, and what each architecture serves within as many GPUs."""
    yield f"{AUTO} {told}: fleettui disagg last"
    rows = [(name, best) for name in NAMES if (best := found.best(name, found.bounds[-1])) is not None]
    if not rows:
        return
    most = "; ".join(
        f"{NAMES[name]} {units.count(round(best.tokens))} tokens/s"
        for name, best in sorted(rows, key=lambda row: -row[1].tokens)
    )
    gpus = f"{found.asked.gpus} {found.asked.gpu.upper()}"
    yield f"{AUTO} within {gpus} and these limits, by formula, {most}: fleettui frontier last"
