"""What the GPUs that a question allows carry at one rate."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The best `fleet` that keeps all limits of a question at a `rate` in requests/s as simulated, None where none was.

    `confidence` is how sure it is.
    """

    rate: float
    fleet: Candidate | None = None
    confidence: Confidence | None = None
