"""Watts of one GPU by what it does: a law whose constants were fitted to measured draws."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.serialization import later

EXTRAPOLATED_BELOW = 0.5
"""The share of a GPU's limit below which no public run of a language model shows what a cap does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCap:
    """A cap on what one GPU draws (watts), and what it makes of steps: factors of at least 1 on their time.

    `prompts` is that of steps full of prompts, `decodes` that of reads alone. `spared` are the watts by which the cap
    is below what steps full of prompts draw without it, 0 where it is not.
    """

    watts: float
    prompts: float
    decodes: float
    spared: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """Watts of one GPU while it works, by its use of arithmetic and of bandwidth (`hardware/power.py` evaluates it).

    `idle` is drawn without work, and nothing above `limit`, the thermal design power (watts). The others are shares of
    the limit: `floor` is drawn beyond idle by a GPU that waits for its host or for other GPUs, `compute` at its peak
    arithmetic, `bandwidth` at its full bandwidth, `experts` beside by the kernels of routed experts, 0 for a model
    without. Of the time a share `links` goes into exchanges with the other GPUs, times their share of the work. Draws
    of models that the fit left out were off by `error`, as a mean share of what was measured. Under a `cap` nothing
    above it is drawn. A law that was kept before `experts` were told apart, where they are None, has the constants of
    an earlier form, in which a share `host` of what work draws is not drawn while the host works.
    """

    idle: float
    limit: float
    floor: float
    compute: float
    bandwidth: float
    links: float
    error: float
    host: float = 0.0
    cap: PowerCap | None = later(None)
    experts: float | None = later(None)

    @property
    def most(self) -> float:
        """The most watts that are drawn."""
        return self.limit if self.cap is None else self.cap.watts

    @property
    def extrapolated(self) -> bool:
        """Whether its cap is below what public runs show."""
        return self.cap is not None and self.cap.watts < EXTRAPOLATED_BELOW * self.limit
