"""How often hardware fails, and what fails together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from fleettui.domain import checks
from fleettui.domain.checks import OpenShare, Positive, PositiveCount

FailingUnit = Literal["node", "gpu"]
"""What goes down as one: a node with all its GPUs, or each GPU for itself."""
FAILING_UNITS: tuple[FailingUnit, ...] = get_args(FailingUnit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """How often each node, or each GPU, fails: `per_day` times on average."""

    per_day: Positive
    of: FailingUnit

    def __post_init__(self) -> None:
        checks.fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rack:
    """Nodes that go down together with what they share, a switch or a feed: `nodes` in each, `up` so much of the time.

    A zone is a large one.
    """

    nodes: PositiveCount
    up: OpenShare

    def __post_init__(self) -> None:
        checks.fields(self)
