"""The share of borderline prompts that compresses, as a study measured it, instead of one that is hoped for."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain import checks
from fleettui.domain.checks import NotNegative, Share
from fleettui.domain.serialization import later


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredShare:
    """What the study with the handle `study` found: the `share`, its 95 % interval, and the compressor's time.

    `split` (tokens) and `gamma` are of the band that it looked at, `seconds` the time that 99 % of its prompts stay
    below, `mean_seconds` the processor time of a borderline prompt in the mean, 0 of studies that do not tell it. Until
    the study is looked up, only its handle is known.
    """

    study: str
    share: Share = 1.0
    low: Share = 0.0
    high: Share = 1.0
    split: int = 0
    gamma: float = 1.0
    seconds: NotNegative = 0.0
    mean_seconds: NotNegative = later(0.0)

    def __post_init__(self) -> None:
        checks.fields(self)

    @property
    def is_known(self) -> bool:
        """Whether the study was looked up."""
        return self.split > 0

    @property
    def processor_seconds(self) -> float:
        """The processor time of a borderline prompt: the mean, or where only that is known what few go above."""
        return self.mean_seconds or self.seconds
