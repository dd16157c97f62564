"""What the compressor weighs and what it always keeps; the defaults are FleetOpt's (section 5.2)."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Annotated

from fleettui.domain import checks
from fleettui.domain.checks import NotNegative, OpenShare
from fleettui.errors import InputError

Kept = Annotated[int, checks.FROM_ZERO]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each score of a sentence, from 0 to 1, counts in the sum by which sentences are taken."""

    textrank: NotNegative = 0.20
    position: NotNegative = 0.40
    tfidf: NotNegative = 0.35
    novelty: NotNegative = 0.05

    def __post_init__(self) -> None:
        checks.fields(self)
        if not any(astuple(self)):
            raise InputError("every weight is 0", accepted="a weight above 0 for one score or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How sentences are weighed, how many at the start (`first`) and at the end (`last`) stay, whatever their score.

    `damping` is TextRank's: the share of a sentence's rank that comes from the sentences like it.
    """

    weights: Weights = Weights()
    first: Kept = 3
    last: Kept = 2
    damping: OpenShare = 0.85

    def __post_init__(self) -> None:
        checks.fields(self)
