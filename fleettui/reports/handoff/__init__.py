"""What deploys a kept plan: server commands, Kubernetes objects, a chart, scaling, alerts, a dashboard, a load test.

`model` says what a format is given (a Subject) and what it returns (files); `texts` writes comments, YAML and heads;
`servers` holds what is of one serving engine: arguments, metrics, probes. A new format is a file here and its place
below; a new engine is a file in `servers` and its place there.
"""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.reports.handoff import (
    alerts,
    commands,
    dashboard,
    estimator,
    helm,
    hpa,
    keda,
    kubernetes,
    loadtest,
    terraform,
)
from fleettui.reports.handoff.model import Format

FORMATS: Registry[Format] = Registry(
    "hand-off",
    *commands.FORMATS,
    kubernetes.FORMAT,
    helm.FORMAT,
    terraform.FORMAT,
    keda.FORMAT,
    hpa.FORMAT,
    estimator.FORMAT,
    alerts.FORMAT,
    dashboard.FORMAT,
    loadtest.FORMAT,
)
"""In the order in which they are named."""
