"""Alerts whose thresholds are what the plan foresees: they tell the day on which it stops being true."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fleettui.domain.fleet import counted
from fleettui.domain.limit import METRICS, Latency
from fleettui.reports import fleet_text, units
from fleettui.reports.handoff import promql, texts
from fleettui.reports.handoff.model import PLAN, POOL, Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.objects import of_plan
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.servers.server import Metrics
from fleettui.reports.handoff.texts import Document

LASTING = "10m"
"""How long a threshold is passed before anybody is told."""
SCATTER = 3.0
"""Standard deviations of a Poisson stream's count in a window above which a rate is no longer the plan's."""
UNKNOWN = (
    "the labels by which your Prometheus operator picks its rules and monitors; without the operator `spec` is what a "
    "file of rules holds"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is watched: `query`, alarming above `above`, or below it where it `falls`.

    `title` and `unit`, one of Grafana's, are those of its picture.
    """

    name: str
    title: str
    query: str
    above: float
    severity: str
    summary: str
    unit: str
    falls: bool = False

    @property
    def expression(self) -> str:
        """The condition on which Prometheus alerts."""
        return f"{self.query} {'<' if self.falls else '>'} {self.above:.6g}"


def rules(subject: Subject, part: PoolPlan) -> tuple[Rule, ...]:
    """Return what is watched of a pool."""
    metrics = SERVERS.named(subject.engine.family).metrics
    return (*_latencies(subject, part, metrics), *_load(subject, part, metrics))


def _latencies(subject: Subject, part: PoolPlan, metrics: Metrics) -> Iterator[Rule]:
    for one in (latency for latency in subject.latencies if latency.metric in metrics.latencies):
        query, name = promql.percentile(subject, part, metrics, one), _camel(one)
        ranked, foreseen, limit = fleet_text.ranked(one, subject.question.slo), part.predicted(one), subject.limit(one)
        if foreseen is not None:
            yield Rule(
                name=f"Fleet{name}AbovePlan",
                title=ranked,
                query=query,
                above=foreseen,
                severity="warning",
                summary=f"{ranked} of pool {part.slug} is above the {units.seconds(foreseen)} that the plan foresees",
                unit="s",
            )
        if limit is not None:
            yield Rule(
                name=f"Fleet{name}AboveLimit",
                title=ranked,
                query=query,
                above=limit.seconds,
                severity="critical",
                summary=f"{ranked} of pool {part.slug} is above its limit of {units.limit(limit.seconds)}",
                unit="s",
            )


def _load(subject: Subject, part: PoolPlan, metrics: Metrics) -> Iterator[Rule]:
    arrival = part.figures.arrival_rate
    finished, answering = promql.rate(subject, part, metrics), promql.replicas(subject, part)
    yield Rule(
        name="FleetArrivalsAbovePlan",
        title="requests/s",
        query=finished,
        above=arrival + SCATTER * math.sqrt(arrival / promql.WINDOW_SECONDS),
        severity="warning",
        summary=f"pool {part.slug} gets more than the {units.per_second(arrival)} requests/s of the plan, chance aside",
        unit="reqps",
    )
    if part.rate > 0.0 and math.isfinite(part.utilization):
        yield _utilization(subject, part, f"{finished} / {answering}")
    yield Rule(
        name="FleetWaitingAbovePlan",
        title="waiting a replica",
        query=f"{promql.total(subject, part, metrics.waiting)} / {answering}",
        above=part.waiting,
        severity="warning",
        summary=f"more than {counted(part.waiting, 'request')} a replica, the plan's most, wait in pool {part.slug}",
        unit="short",
    )
    yield Rule(
        name="FleetReplicasBelowPlan",
        title="replicas",
        query=f"({answering} or vector(0))",
        above=float(part.pool.replicas),
        severity="critical",
        summary=f"fewer than {counted(part.pool.replicas, 'replica')}, the plan's, answer in pool {part.slug}",
        unit="short",
        falls=True,
    )


def _utilization(subject: Subject, part: PoolPlan, rate: str) -> Rule:
    """Return what watches the work of a replica; `rate` is the query of its requests per second."""
    busiest = max(subject.question.max_utilization, part.utilization)
    return Rule(
        name="FleetUtilizationAboveLimit",
        title="utilization",
        query=f"{part.utilization / part.rate:.6g} * {rate}",
        above=busiest,
        severity="warning",
        summary=(
            f"pool {part.slug} has more work for each replica than utilization {units.percent(busiest)}; "
            f"the plan has {units.percent(part.utilization)} at {units.per_second(part.rate)} requests/s a replica"
        ),
        unit="percentunit",
    )


def _camel(latency: Latency) -> str:
    """Return a latency as a part of a name.

    >>> _camel(Latency.named("ttft.p99.9")), _camel(Latency.named("e2e"))
    ('TtftP999', 'E2e')
    """
    rank = latency.name.partition(".")[2].replace(".", "")
    return METRICS.named(latency.metric).name.capitalize() + rank.capitalize()


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    server = SERVERS.named(subject.engine.family)
    told = (
        "thresholds: what the plan foresees, the high end of its interval where it was simulated; percentiles are read "
        "off buckets, so one between two of them is a straight line's",
        *filter(None, (server.metrics.caution,)),
    )
    documents = [Document((), _monitor(subject)), Document(told, _rules(subject))]
    text = texts.yaml_text(texts.head(subject, UNKNOWN), documents)
    return (HandoffFile(name="alerts.yaml", about="alerts, and what brings the plan's labels to them", text=text),)


def _monitor(subject: Subject) -> dict[str, Any]:
    path = SERVERS.named(subject.engine.family).metrics.path
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": of_plan(subject),
        "spec": {
            "selector": {"matchLabels": {PLAN: subject.handle}},
            "podTargetLabels": [PLAN, POOL],
            "podMetricsEndpoints": [{"port": "http", "path": path, "interval": "15s"}],
        },
    }


def _rules(subject: Subject) -> dict[str, Any]:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": of_plan(subject),
        "spec": {
            "groups": [
                {"name": subject.name(part), "rules": [_rule(subject, part, one) for one in rules(subject, part)]}
                for part in subject.pools
            ]
        },
    }


def _rule(subject: Subject, part: PoolPlan, rule: Rule) -> dict[str, Any]:
    return {
        "alert": rule.name,
        "expr": rule.expression,
        "for": LASTING,
        "labels": {"severity": rule.severity, promql.PLAN_LABEL: subject.handle, promql.POOL_LABEL: part.slug},
        "annotations": {"summary": rule.summary, "runbook": f"fleettui report {subject.handle}"},
    }


FORMAT = Format(name="alerts", help="Prometheus rules whose thresholds are the plan's figures", write=_write)
