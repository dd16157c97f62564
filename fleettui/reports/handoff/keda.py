"""Scaling by the plan's own thresholds: a ScaledObject for each pool, between the ends of the plan's range."""

from __future__ import annotations

from typing import Any

from fleettui.reports.handoff import promql, texts
from fleettui.reports.handoff.kubernetes import metadata
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.texts import Document

PROMETHEUS = "http://replace-prometheus:9090"
UNKNOWN = (
    "the address of Prometheus: replace every replace-prometheus",
    "how long a replica takes to start: until then the pool has the replicas that it had",
)


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    caution = SERVERS.named(subject.engine.name).metrics.caution
    above = (*texts.head(subject, *UNKNOWN), f"series are found {promql.BACK}", *filter(None, (caution,)))
    text = texts.yaml_text(above, [_scaled(subject, part) for part in subject.pools])
    return (HandoffFile(name="keda.yaml", about="the scaling of every pool", text=text),)


def _scaled(subject: Subject, part: PoolPlan) -> Document:
    least, most = part.range
    metrics = SERVERS.named(subject.engine.name).metrics
    target = (
        {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet"}
        if part.nodes > 1
        else {"apiVersion": "apps/v1", "kind": "Deployment"}
    )
    told = (
        texts.of_pool(subject, part),
        f"replicas: {least} where step times are at the fast end of what is known of them, {most} where they are at "
        f"the slow one, {part.replicas} as planned; the demand is the plan's peak, so a quiet night may need fewer",
        f"running: {part.running:.3g} sequences run on a replica at the planned rate, the mean over time",
        f"waiting: at most {part.waiting:.3g} wait at a replica: its rate times the wait that the plan foresees, or 1",
        *((f"both divided among {part.replicas}, so that the spare replicas stay",) if part.pool.spares else ()),
    )
    share = part.pool.replicas / part.replicas
    content = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(subject, part),
        "spec": {
            "scaleTargetRef": {**target, "name": subject.name(part)},
            "minReplicaCount": least,
            "maxReplicaCount": most,
            "triggers": [
                _trigger("running", promql.total(subject, part, metrics.running), share * part.running),
                _trigger("waiting", promql.total(subject, part, metrics.waiting), share * part.waiting),
            ],
        },
    }
    return Document(told, content)


def _trigger(name: str, query: str, threshold: float) -> dict[str, Any]:
    """Return a trigger that keeps a sum over the pool at `threshold` for each replica."""
    return {
        "type": "prometheus",
        "name": name,
        "metricType": "AverageValue",
        "metadata": {"serverAddress": PROMETHEUS, "query": query, "threshold": f"{threshold:.6g}"},
    }


FORMAT = Format(name="keda", help="scaling by the plan's thresholds", write=_write)
