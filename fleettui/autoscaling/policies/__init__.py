"""Autoscaling policies. A new one is a file here and its place in POLICIES."""

from __future__ import annotations

from fleettui.autoscaling.policies import (
    estimator,
    estimator_beta,
    forecast,
    hpa_in_flight,
    hpa_utilization,
    keda,
    keda_queue,
    knative,
    oracle,
    saturation,
    static_mean,
    static_peak,
    symmetric,
    throughput,
)
from fleettui.autoscaling.policy import Policy
from fleettui.domain.registry import Registry

POLICIES: Registry[Policy] = Registry(
    "autoscaling policy",
    static_peak.POLICY,
    static_mean.POLICY,
    hpa_utilization.POLICY,
    hpa_in_flight.POLICY,
    keda.POLICY,
    keda_queue.POLICY,
    knative.POLICY,
    throughput.POLICY,
    saturation.POLICY,
    estimator.POLICY,
    estimator_beta.POLICY,
    symmetric.POLICY,
    forecast.POLICY,
    oracle.POLICY,
)
"""Those that never change first."""
