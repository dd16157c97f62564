"""The service level objective: how long requests may take, and which share of them must keep to that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fleettui.domain import checks
from fleettui.domain.limit import ALWAYS, E2E, Latency, Limit
from fleettui.domain.serialization import later
from fleettui.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """Latency limits in seconds; `percentile` is the share of a pool's requests that must stay within each.

    `further` are (name, seconds) of limits at percentiles of their own, such as ttft.p50, and of those of class batch,
    such as batch.ttft; all others are the interactive class's where there are two. A plan needs at least one limit; a
    fleet that is only looked at needs none.
    """

    ttft: float | None = None
    tpot: float | None = None
    e2e: float | None = None
    percentile: float = 0.99
    further: tuple[tuple[str, float], ...] = later(())

    def __post_init__(self) -> None:
        checks.open_share("percentile", self.percentile)
        limits = self.limits()
        own = [one.name for one in self.own() if one.is_further]
        taken = {(one.metric, one.batch, self.share(one)) for one in limits}
        if own != [name for name, _ in self.further] or len(taken) < len(limits):
            raise InputError(
                "a limit stands twice or has no percentile of its own",
                value=", ".join(one.name for one in limits),
                accepted="each latency once at each percentile: ttft.p50, and ttft.p99 where the SLO's is another",
            )

    def require_a_limit(self) -> None:
        """Raise InputError unless a limit is set, as a plan needs one."""
        if not self.limits():
            raise InputError(
                "no service level objective is given",
                accepted="at least one of --slo-ttft 500ms, --slo-tpot 50ms, --slo-e2e 30s, --limit ttft.p50=200ms",
            )

    def limits(self) -> tuple[Limit, ...]:
        """Return the limits that are set: those at the SLO's percentile in the order ttft, tpot, e2e, then further."""
        return (*self.shared(), *self.own())

    def own(self) -> tuple[Limit, ...]:
        """Return the limits at percentiles of their own, and those of class batch."""
        return tuple(Limit.of(name, seconds) for name, seconds in self.further)

    def shared(self, *, batch: bool = False) -> tuple[Limit, ...]:
        """Return the limits at the SLO's percentile, for class `batch` its own: what one request keeps or breaks."""
        if batch:
            return tuple(one for one in self.own() if one.batch and one.percentile is None)
        values = ((metric.name, getattr(self, metric.name)) for metric in ALWAYS)
        return tuple(Limit(metric=name, seconds=seconds) for name, seconds in values if seconds is not None)

    def latencies(self) -> tuple[Latency, ...]:
        """Return the latencies that a wide table shows: TTFT, TPOT, E2E where it has a limit, and the further ones."""
        shared = (metric.latency for metric in ALWAYS if metric is not E2E or self.e2e is not None)
        return tuple({(one.metric, one.batch, self.share(one)): one for one in (*shared, *self.own())}.values())

    def limit_on(self, latency: Latency) -> float | None:
        """Return the seconds that a latency may take, None where it has no limit."""
        return next((one.seconds for one in self.limits() if one.name == latency.name), None)

    def share(self, latency: Latency) -> float:
        """Return the share of requests at which a latency is taken."""
        return self.percentile if latency.percentile is None else latency.percentile

    def moved(self, limit: Limit, seconds: float | None) -> Slo:
        """Return the SLO with one of its limits at other seconds, or without it."""
        if not limit.is_further:
            shared: dict[str, Any] = {limit.metric: seconds}
            return replace(self, **shared)
        moved = ((name, seconds if name == limit.name else most) for name, most in self.further)
        return replace(self, further=tuple((name, most) for name, most in moved if most is not None))
