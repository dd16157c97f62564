"""The tasks `workload-show`, `workload-build` and `workload-from-metrics`: reading traces and scrapes."""

from __future__ import annotations

from typing import Any

from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.workload import Origin
from fleettui.planning.task_context import Context
from fleettui.workloads.build import build_workload
from fleettui.workloads.measured import measure
from fleettui.workloads.named import read_workload


def show(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return {"workload": ...} for `source`, a shipped name or a file; `format` and `output_share` may be None."""
    context.progress(f"reading {payload['source']}")
    workload = read_workload(payload["source"], format=payload["format"], output_share=payload["output_share"])
    return {"workload": to_plain(workload)}


def build(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return {"workload": ...}: `sources` merged on one clock under `name` and `origin`, cut every `slices` seconds.

    `slices`, `format`, `output_share` and `timing` may be None.
    """
    context.progress(f"reading {', '.join(payload['sources'])}")
    workload = build_workload(
        payload["sources"],
        name=payload["name"],
        origin=from_plain(Origin, payload["origin"]),
        slices=payload["slices"],
        format=payload["format"],
        output_share=payload["output_share"],
        timing=payload["timing"],
    )
    return {"workload": to_plain(workload)}


def from_metrics(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return {"measured": ...}: what `scrapes`, the earlier and the later of each server, show, under `name`.

    `model_name` and `between` may be None; `independent` says how prompts and outputs pair.
    """
    context.progress(f"reading {', '.join(payload['scrapes'])}")
    measured = measure(
        payload["scrapes"],
        name=payload["name"],
        model_name=payload["model_name"],
        between=payload["between"],
        independent=payload["independent"],
    )
    return {"measured": to_plain(measured)}
