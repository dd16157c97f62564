"""The law of what a GPU draws, as the catalogue holds it. Loads neither numpy nor scipy."""

from __future__ import annotations

from functools import cache

from fleettui.domain.hardware import Citation, Confidence, Gpu
from fleettui.domain.power_law import PowerLaw
from fleettui.hardware import records

POWER = "catalog/power.toml"
IDLE_SHARE = 75.0 / 700.0
"""What an idle H100 draws of its thermal design power: that of a GPU of which nobody knows it."""
TRUSTED: tuple[tuple[float, Confidence], ...] = ((0.08, "high"), (0.15, "medium"))
"""How far a law may be off and be trusted so."""


def power_law(gpu: Gpu, *, experts: bool = False) -> PowerLaw:
    """Return the law of `gpu`: that fitted to its own points, or its chip's, or to the points of all GPUs together.

    `experts` tells whether the model that it serves has routed ones.
    """
    laws = _record().tables("laws")
    own = next((one for one in laws if one.text("gpu") == gpu.name), None)
    alike = next((one for one in laws if gpu.name in one.texts("like")), None)
    other = _record().table("other")
    found = own or alike or other
    limit = gpu.thermal_design_power
    return PowerLaw(
        idle=min(limit, limit * IDLE_SHARE if gpu.idle_power is None else gpu.idle_power),
        limit=limit,
        floor=found.number("floor"),
        compute=found.number("compute"),
        bandwidth=found.number("bandwidth"),
        links=found.number("links"),
        error=(own or other).number("error"),
        experts=found.number("experts") if experts else 0.0,
    )


def trust(law: PowerLaw) -> Confidence:
    """Return how far a law can be trusted, by its error on what the fit left out."""
    return next((word for most, word in TRUSTED if law.error <= most), "low")


def power_citation(gpu: Gpu) -> Citation:
    """Return where the law of `gpu` comes from and how far it can be trusted."""
    law = power_law(gpu)
    own = any(one.text("gpu") == gpu.name for one in _record().tables("laws"))
    left_out = "models" if own else "GPUs"
    source = f"{_record().text('source')}; off by {law.error:.0%} on average on {left_out} that the fit left out"
    return Citation(field="power", source=source, confidence=trust(law))


@cache
def _record() -> records.Record:
    return records.shipped(POWER)
