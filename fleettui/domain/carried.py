"""What the GPUs that a question allows carry at one rate, or several questions at one share of theirs."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedTogether:
    """The best fleets of several workloads that keep all limits at a `share` of their rates, by workload's name.

    None where none were as simulated; then `likely` is the share that the limits may carry by what was simulated, None
    where that is not known. `gpus`, by type, and `cost`, US dollars an hour, are what is paid for.
    """

    share: float
    fleets: tuple[tuple[str, Carried], ...] = ()
    gpus: tuple[tuple[str, int], ...] = ()
    cost: float = 0.0
    likely: float | None = None
