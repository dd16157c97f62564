"""A HorizontalPodAutoscaler for each pool, as the newest autoscale study replayed it on requests in flight."""

from __future__ import annotations

from typing import Any

from fleettui.autoscaling.kubernetes import STABILIZATION, TOLERANCE, UP_PERIOD, UP_PODS, UP_SHARE
from fleettui.reports.handoff import texts
from fleettui.reports.handoff.keda import target_of
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject
from fleettui.reports.handoff.objects import metadata
from fleettui.reports.handoff.promql import PLAN_LABEL
from fleettui.reports.handoff.scaling import KIND, missed, needed, start_words, told
from fleettui.reports.handoff.servers import SERVERS
from fleettui.reports.handoff.texts import Document

METRIC = "fleettui_requests_in_flight"
POLICY = "hpa-in-flight"
"""The policy of the study that this deploys."""
UNKNOWN = ("which adapter gives Kubernetes the metric: prometheus-adapter.yaml is a rule for Prometheus' own",)


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    above = (*texts.head(subject, *UNKNOWN, warned=missed(subject, POLICY)), told(subject, POLICY))
    objects = texts.yaml_text(above, [_scaler(subject, part) for part in subject.pools])
    rule = texts.yaml_text(
        (*texts.head(subject), "a rule of prometheus-adapter: rules.custom of its chart"), [_rule(subject)]
    )
    return (
        HandoffFile(name="hpa.yaml", about="the scaling of every pool", text=objects),
        HandoffFile(name="prometheus-adapter.yaml", about="the metric that it scales by", text=rule),
    )


def _scaler(subject: Subject, part: PoolPlan) -> Document:
    own = needed(subject, part)
    each = own.target * own.in_service
    comments = (
        texts.of_pool(subject, part),
        f"{each:.4g} requests in flight at each replica: {100.0 * own.target:.3g}% of the {own.in_service:.4g} that it "
        f"serves at once at {own.full}",
        start_words(subject, own),
        f"the replay decided every {own.cycle:g} s, --horizontal-pod-autoscaler-sync-period of the controller "
        f"manager, within a tolerance of {100.0 * TOLERANCE:g}%",
    )
    content = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata(subject, part),
        "spec": {
            "scaleTargetRef": target_of(subject, part),
            "minReplicas": max(own.least, 1),  # without one it sees nothing
            "maxReplicas": own.most,
            "metrics": [
                {
                    "type": "Pods",
                    "pods": {
                        "metric": {"name": METRIC},
                        "target": {"type": "AverageValue", "averageValue": f"{round(1000.0 * each)}m"},
                    },
                }
            ],
            "behavior": _behaviour(),
        },
    }
    return Document(comments, content)


def _behaviour() -> dict[str, Any]:
    """Return Kubernetes' own defaults, written out: what was replayed."""
    period, share = int(UP_PERIOD), round(100.0 * UP_SHARE)
    by_share = {"type": "Percent", "value": share, "periodSeconds": period}
    by_pods = {"type": "Pods", "value": UP_PODS, "periodSeconds": period}
    return {
        "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [by_share, by_pods]},
        "scaleDown": {"stabilizationWindowSeconds": int(STABILIZATION), "policies": [by_share]},
    }


def _rule(subject: Subject) -> Document:
    metrics = SERVERS.named(subject.engine.family).metrics
    parts = (f"sum({one}{{<<.LabelMatchers>>}}) by (<<.GroupBy>>)" for one in (metrics.running, metrics.waiting))
    rule = {
        "seriesQuery": f'{metrics.running}{{{PLAN_LABEL}="{subject.handle}"}}',
        "resources": {"overrides": {"namespace": {"resource": "namespace"}, "pod": {"resource": "pod"}}},
        "name": {"as": METRIC},
        "metricsQuery": " + ".join(parts),
    }
    return Document(("requests that run and wait at a pod",), {"rules": [rule]})


FORMAT = Format(name="hpa", help="a HorizontalPodAutoscaler, as it was replayed", write=_write, study=KIND)
