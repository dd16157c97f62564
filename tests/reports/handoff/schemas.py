"""The published schemas that objects are held to: Kubernetes' own, and those of custom resource definitions."""

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate

from tests.reports.handoff import yaml_files

VERSION = "1.37"
"""Of Kubernetes, whose published schemas are held to, without an unknown key."""
METADATA = {"name", "labels", "annotations", "namespace"}


@cache
def custom() -> dict[str, Any]:
    """Return what is published of custom resources, by kind."""
    text = Path(__file__).with_name("custom.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml_files.load(text)
    return found


def check(one: dict[str, Any]) -> None:
    """Raise ValidationError, or AssertionError, for an object that its kind's schema does not allow."""
    known = custom().get(one["kind"])
    if known is None:
        kubernetes_validate.validate(one, VERSION, strict=True)
        return
    assert set(one) == {"apiVersion", "kind", "metadata", "spec"}
    assert one["apiVersion"] == known["apiVersion"]
    assert set(one["metadata"]) <= METADATA
    plain = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": one["metadata"]}
    kubernetes_validate.validate(plain, VERSION, strict=True)  # names, labels and notes are as everywhere
    jsonschema.validate(one["spec"], known["spec"])
    for pod in templates(one) if one["kind"] == "LeaderWorkerSet" else ():
        kubernetes_validate.validate(pod, VERSION, strict=True)


def templates(one: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pods that a LeaderWorkerSet makes, as objects that have a published schema."""
    held = one["spec"]["leaderWorkerTemplate"]
    return [
        {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": key.lower()}, "template": held[key]}
        for key in ("leaderTemplate", "workerTemplate")
    ]
