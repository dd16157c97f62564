"""What all Kubernetes objects of a plan have in common: names, labels and notes, of a pool and of the whole plan."""

from __future__ import annotations

from typing import Any

from fleettui.reports.handoff import texts
from fleettui.reports.handoff.model import POOL, PoolPlan, Subject

ROLE = "fleettui/role"
"""The label of a pod that says whether it answers: leader, or worker of one that does."""


def metadata(subject: Subject, part: PoolPlan, *, name: str = "") -> dict[str, Any]:
    """Return the metadata of an object of a pool: the plan's handle and engine version, the server's, the pool."""
    plan, pool = subject.kept.answer.plan, part.pool
    return {
        "name": name or subject.name(part),
        "labels": {
            **subject.labels(part),
            "app.kubernetes.io/name": subject.engine.family,
            "app.kubernetes.io/version": subject.engine.version,
            "app.kubernetes.io/managed-by": "fleettui",
        },
        "annotations": {
            "fleettui/plan-name": texts.safe(plan.name),
            "fleettui/engine-version": str(plan.engine_version),
            "fleettui/scenario": plan.scenario,
            "fleettui/gpu": texts.safe(pool.gpu),
            "fleettui/tokens": f"{pool.above + 1} to {pool.up_to}",
        },
    }


def of_plan(subject: Subject) -> dict[str, Any]:
    """Return the metadata of an object that stands for the whole plan."""
    whole = metadata(subject, subject.pools[0], name=f"fleet-{subject.handle}")
    whole["labels"] = {name: value for name, value in whole["labels"].items() if name != POOL}
    own = ("fleettui/gpu", "fleettui/tokens")
    whole["annotations"] = {name: value for name, value in whole["annotations"].items() if name not in own}
    return whole


def answerers(subject: Subject, part: PoolPlan) -> dict[str, str]:
    """Return the labels of the pods of a pool that answer."""
    return {**subject.labels(part), ROLE: "leader"}
