"""What to measure next: runs of servers whose own fit would narrow a plan's answer, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.calibration import PUBLIC_BAND
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import StepLaw
from fleettui.domain.plan import PlanIdentity
from fleettui.domain.server import OfServer
from fleettui.domain.uncertain import Factors, factors_within

Span = tuple[int | None, int | None]
"""The least and the most GPUs; None where no fleet holds."""
OWN_FIT: Factors = factors_within(PUBLIC_BAND)
"""What steps may take of those predicted by a fit to two runs of a server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPoint:
    """A run to make: `clients` that each keep one request of these lengths, in tokens, in flight."""

    clients: int
    prompt_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect(OfServer):
    """What an own fit of a server would do for a `fleet` that has it, the plan's answer or another.

    `known_by` and `band` are how its steps are known today; `gpus_range` is the fleet's by that, `fitted_range` with a
    fit to `points`. `narrowed` are the US dollars an hour by which that makes the range of its cost less wide, infinite
    where that had no end. `unseen` is where its pools work beyond the runs of the fit that it has. `repository` is what
    the model is published as, its name where that is not known.
    """

    gpu: str
    model: str
    engine: str
    dtype: Dtype
    kv_dtype: CacheDtype
    tp: int
    expert_parallel: bool
    is_answer: bool
    fleet: Fleet
    gpus: int
    known_by: str
    band: Factors
    gpus_range: Span
    fitted_range: Span
    narrowed: float
    unseen: tuple[str, ...]
    repository: str
    points: tuple[BenchPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPoints:
    """The servers to measure for a plan, that of its answer first; its steps are by `step_law`.

    `fit` is a name that the fit may have. `known` are servers of the answer that are known as well already as a fit to
    two runs would know them.
    """

    plan: PlanIdentity
    step_law: StepLaw
    fit: str
    prospects: tuple[Prospect, ...]
    known: tuple[str, ...]
