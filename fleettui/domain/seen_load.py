"""A load of a replica at which its latencies were seen in production: near it step times are known better."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.serialization import later
from fleettui.domain.uncertain import Factors, factors_within

NEAR, NEAR_BAND = 1.5, 0.11
"""By what factor a load may be larger or smaller that is near one that was seen, and the relative error that nine of
ten step times keep there: `python -m tests.evidence.near_loads` measures it.
"""
SAME, SAME_BAND = 1.1, 0.03
"""The same of a load that is the one that was seen: three times what a server took more or less seven weeks later.

Of the public runs one configuration was run twice: TensorRT-LLM took 1 % more time per output token the second time.
"""
ALIKE = 1.05
"""By what factor the mean lengths of requests may differ that are the same in this."""
BANDS = ((NEAR, NEAR_BAND), (SAME, SAME_BAND))
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLoad:
    """`rate` requests/s came to a replica so set, of a mean length, of which caches found `prefix_hit`.

    What was seen there leaves a share `band` of the step times open. Latencies that have waits in them were among it
    where `waits`.
    """

    rate: float
    prompt_tokens: float
    output_tokens: float
    prefix_hit: float
    settings: EngineSettings
    band: float
    waits: bool = later(False)

    @property
    def bands(self) -> tuple[tuple[float, float], ...]:
        """By what factor loads may be larger or smaller, and within which share step times are predicted there.

        The widest is first.
        """
        return tuple((reach, max(band, self.band)) for reach, band in BANDS)

    @property
    def rings(self) -> tuple[tuple[float, Factors], ...]:
        """The same with what step times may be of those predicted."""
        return tuple((reach, factors_within(band)) for reach, band in self.bands)

    def is_of(self, prompt: float, output: float, prefix_hit: float, settings: EngineSettings) -> bool:
        """Return whether requests of these mean tokens, and a replica so set, are those that were seen."""
        same = (settings, prefix_hit) == (self.settings, self.prefix_hit)
        return same and _alike(prompt, self.prompt_tokens) and _alike(output, self.output_tokens)

    def factors_at(self, rate: float) -> Factors | None:
        """Return what step times may be of those predicted at so many requests/s of a replica, None where it is far."""
        return next((factors for reach, factors in reversed(self.rings) if _within(rate, self.rate, reach)), None)


def _alike(one: float, other: float) -> bool:
    return _within(one, other, ALIKE)


def _within(one: float, other: float, factor: float) -> bool:
    return other / factor * (1.0 - ROUNDING) <= one <= other * factor * (1.0 + ROUNDING)
