"""What an arrival process declares: how the requests of an open loop come. A declaration loads no arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class Gaps(Protocol):
    """How long after one request the next comes."""

    def __call__(self, draws: Any, requests: int, /) -> Any:
        """Return `requests` gaps of mean 1, an array, from the numpy generator `draws`.

        A longer draw begins with the shorter one.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalProcess:
    """An arrival process: its name, one line of help, the `noun` of its plans, and the `gaps` between its requests.

    `scv` is the squared coefficient of variation of the gaps: with it grows how long a pool must be simulated. The
    formulas take every process as Poisson; `caution` is what a reader of their figures must know, "" where that is so.
    """

    name: str
    help: str
    noun: str
    gaps: Gaps
    scv: float
    caution: str = ""
