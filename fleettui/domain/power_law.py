"""Watts of one GPU by what it does: a law whose constants were fitted to measured draws."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """Watts of one GPU while it works, by its use of arithmetic and of bandwidth (`hardware/power.py` evaluates it).

    `idle` is drawn without work, and nothing above `limit`, the thermal design power (watts). `floor` is what work
    draws at least beyond idle, as a share of the limit; `compute` comes with the root of the share of its peak
    arithmetic, `bandwidth` with the share of its bandwidth, and `links` with the share of the work that other GPUs of
    the replica do. While the engine's host works, a share `host` of that is not drawn. Draws of models that the fit
    left out were off by `error`, as a mean share of what was measured.
    """

    idle: float
    limit: float
    floor: float
    compute: float
    bandwidth: float
    links: float
    host: float
    error: float
