"""What a pool is held to: the latency limits after headroom, their percentile, and the utilization cap."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.scenario import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Limits in seconds with the wanted headroom taken off; `exceeded` = 1 − percentile."""

    ttft: float | None
    tpot: float | None
    e2e: float | None
    exceeded: float
    max_utilization: float

    @classmethod
    def of(cls, question: Question) -> Terms:
        """Return the terms of a question."""
        room = 1.0 - question.headroom
        limits = {name: value * room for name, value in question.slo.limits()}
        return cls(
            ttft=limits.get("ttft"),
            tpot=limits.get("tpot"),
            e2e=limits.get("e2e"),
            exceeded=1.0 - question.slo.percentile,
            max_utilization=question.max_utilization,
        )
