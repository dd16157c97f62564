"""The tasks `workload-show`, `workload-build` and `workload-from-metrics`: reading traces and scrapes."""

from __future__ import annotations

from fleettui.domain.measured import Measured
from fleettui.domain.workload import Origin, Timing, Workload
from fleettui.planning.task_context import Context
from fleettui.workloads.build import build_workload
from fleettui.workloads.measured import measure
from fleettui.workloads.named import read_workload


def show(context: Context, *, source: str, format: str | None, output_share: float | None) -> Workload:
    """Return the workload of `source`, a shipped name or a file."""
    context.progress(f"reading {source}")
    return read_workload(source, format=format, output_share=output_share)


def build(
    context: Context,
    *,
    sources: tuple[str, ...],
    name: str,
    origin: Origin,
    slices: float | None,
    format: str | None,
    output_share: float | None,
    timing: Timing | None,
) -> Workload:
    """Return `sources` merged on one clock under `name` and `origin`, cut every `slices` seconds."""
    context.progress(f"reading {', '.join(sources)}")
    return build_workload(
        sources, name=name, origin=origin, slices=slices, format=format, output_share=output_share, timing=timing
    )


def from_metrics(
    context: Context,
    *,
    scrapes: tuple[str, ...],
    name: str,
    model_name: str | None,
    between: float | None,
    independent: bool,
) -> Measured:
    """Return what `scrapes`, the earlier and the later of each server, show, under `name`.

    `independent` says how prompts and outputs pair.
    """
    context.progress(f"reading {', '.join(scrapes)}")
    return measure(scrapes, name=name, model_name=model_name, between=between, independent=independent)
