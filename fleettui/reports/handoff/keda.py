"""Scaling by the plan's own thresholds: a ScaledObject for each pool, as replayed, or within the plan's range."""

from __future__ import annotations

from typing import Any, NamedTuple

from fleettui.autoscaling.policies.keda import WAITING
from fleettui.reports.handoff import promql, texts
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.objects import metadata
from fleettui.reports.handoff.scaling import KIND, PoolScaling, missed, scaling_of, start_words
from fleettui.reports.handoff.scaling import told as replayed
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.texts import Document

PROMETHEUS = "http://replace-prometheus:9090"
POLICY = "keda"
"""The policy of an autoscale study that this deploys."""
ADDRESS = "the address of Prometheus: replace every replace-prometheus"


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    caution = SERVERS.named(subject.engine.family).metrics.caution
    unknown = (ADDRESS,) if subject.kept.study(KIND) else (ADDRESS, _start(subject))
    above = (
        *texts.head(subject, *unknown, warned=missed(subject, POLICY)),
        f"series are found {promql.BACK}",
        *filter(None, (caution,)),
    )
    text = texts.yaml_text(above, [_scaled(subject, part) for part in subject.pools])
    return (HandoffFile(name="keda.yaml", about="the scaling of every pool", text=text),)


def _start(subject: Subject) -> str:
    """Return what is not known of a start where no day was replayed."""
    return (
        "how long a replica takes to start, until when the pool has the replicas that it had: "
        f"fleettui autoscale {subject.handle} --delay 5min replays a day with that, and this file then takes its bounds"
    )


def _scaled(subject: Subject, part: PoolPlan) -> Document:
    metrics = SERVERS.named(subject.engine.family).metrics
    own = scaling_of(subject, part)
    scale = _by_plan(part) if own is None else _by_study(subject, own)
    content = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(subject, part),
        "spec": {
            "scaleTargetRef": target_of(subject, part),
            "minReplicaCount": scale.least,
            "maxReplicaCount": scale.most,
            "triggers": [
                _trigger("running", promql.total(subject, part, metrics.running), scale.running),
                _trigger("waiting", promql.total(subject, part, metrics.waiting), scale.waiting),
            ],
        },
    }
    return Document((texts.of_pool(subject, part), *scale.told), content)


class _Scale(NamedTuple):
    """Bounds in replicas, requests that run and wait at each, and why."""

    least: int
    most: int
    running: float
    waiting: float
    told: tuple[str, ...]


def _by_plan(part: PoolPlan) -> _Scale:
    """Return the plan's range and thresholds, where no day was replayed."""
    least, most = part.range
    told = (
        f"replicas: {least} where step times are at the fast end of what is known of them, {most} where they are at "
        f"the slow one, {part.replicas} as planned; the demand is the plan's peak, so a quiet night may need fewer",
        f"running: {part.running:.3g} sequences run on a replica at the planned rate, the mean over time",
        f"waiting: at most {part.waiting:.3g} wait at a replica: its rate times the wait that the plan foresees, or 1",
        *((f"both divided among {part.replicas}, so that the spare replicas stay",) if part.pool.spares else ()),
    )
    share = part.pool.replicas / part.replicas
    return _Scale(least, most, share * part.running, share * part.waiting, told)


def _by_study(subject: Subject, own: PoolScaling) -> _Scale:
    """Return what was replayed over a day."""
    told = (
        replayed(subject, POLICY),
        f"replicas: {own.least} to {own.most}, as replayed",
        start_words(subject, own),
        f"running: {own.in_service:.4g} sequences run on a replica at {own.full}; waiting: {WAITING:g} at each",
    )
    return _Scale(own.least, own.most, own.in_service, WAITING, told)


def target_of(subject: Subject, part: PoolPlan) -> dict[str, str]:
    """Return what is scaled of a pool."""
    several = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet"}
    one = {"apiVersion": "apps/v1", "kind": "Deployment"}
    return {**(several if part.nodes > 1 else one), "name": subject.name(part)}


def _trigger(name: str, query: str, threshold: float) -> dict[str, Any]:
    """Return a trigger that keeps a sum over the pool at `threshold` for each replica."""
    return {
        "type": "prometheus",
        "name": name,
        "metricType": "AverageValue",
        "metadata": {"serverAddress": PROMETHEUS, "query": query, "threshold": f"{threshold:.6g}"},
    }


FORMAT = Format(name="keda", help="scaling by the plan's thresholds", write=_write)
