"""What comes of requests that come again when most of them do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """The worst span of so many `seconds` of a pool's run in which requests come again, by who first came in it.

    The share `met` of them kept every limit, and each made so many `attempts`. `without` is the share of the worst span
    of the same requests where nobody comes again.
    """

    seconds: float
    met: float
    attempts: float
    without: float
