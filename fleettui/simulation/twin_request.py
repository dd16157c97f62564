"""A request of the plain oracle, and what became of it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(slots=True)
class Request:
    """One request and what became of it; times are NaN until they happen."""

    index: int
    arrival: float
    prompt: int
    cached: int
    output: int
    pool: int
    tie: float
    batch: bool = False
    generated: int = 0
    computed: int = 0
    admitted: float = math.nan
    first: float = math.nan
    finish: float = math.nan
    preempted: int = 0
    decodes: bool = False
    due: float = math.inf
    left: float = math.nan
    rejected: bool = False
    asked: float = math.nan
    attempts: int = 0
    beyond: int = 0
    read: int = 0
    guess: float = math.nan
    fresh: int = -1
    served: int = 0
    long: bool = False
    carries: bool = False
    rank: float = 0.0
    away: bool = False

    @property
    def target(self) -> int:
        """Tokens that must be in the cache before it decodes: the prompt and, after a preemption, its output so far."""
        return self.prompt + self.generated

    @property
    def held(self) -> int:
        """Tokens that it has blocks for: what is cached, and its drafts beyond that."""
        return self.computed + self.beyond
