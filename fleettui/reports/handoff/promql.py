"""Queries of what the servers of a pool tell Prometheus, by the labels that the pod monitor puts on every series."""

from __future__ import annotations

from fleettui.domain.limit import Latency
from fleettui.reports.handoff.model import PoolPlan, Subject
from fleettui.reports.handoff.servers.server import Metrics

WINDOW = "10m"
"""Over which rates and percentiles are taken."""
WINDOW_SECONDS = 600
PLAN_LABEL, POOL_LABEL = "fleettui_plan", "fleettui_pool"
"""The labels of the objects, as Prometheus writes them."""
BACK = "by the labels fleettui_plan and fleettui_pool, which the PodMonitor of `--for alerts` puts on every series"


def selector(subject: Subject, part: PoolPlan) -> str:
    """Return what finds the series of a pool; both values are of letters, digits and hyphens."""
    return f'{{{PLAN_LABEL}="{subject.handle}",{POOL_LABEL}="{part.slug}"}}'


def replicas(subject: Subject, part: PoolPlan) -> str:
    """Return the query of the replicas that answer."""
    return f"sum(up{selector(subject, part)})"


def rate(subject: Subject, part: PoolPlan, metrics: Metrics) -> str:
    """Return the query of the requests per second that a pool finishes."""
    return f"sum(rate({metrics.completed}{selector(subject, part)}[{WINDOW}]))"


def total(subject: Subject, part: PoolPlan, gauge: str) -> str:
    """Return the query of a gauge's sum over a pool."""
    return f"sum({gauge}{selector(subject, part)})"


def percentile(subject: Subject, part: PoolPlan, metrics: Metrics, latency: Latency) -> str:
    """Return the query of a latency in seconds at its share of the requests."""
    share, series = subject.question.slo.share(latency), metrics.latencies[latency.metric]
    buckets = f"rate({series}_bucket{selector(subject, part)}[{WINDOW}])"
    return f"histogram_quantile({share:g}, sum by (le) ({buckets}))"
