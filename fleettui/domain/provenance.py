"""What made a plan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What made a plan: program, engine and library versions, and the machine's interpreter."""

    program_version: str
    engine_version: int
    python: str
    numpy: str
    scipy: str
    platform: str
