"""Workloads: those that are shipped, one read for a look, one built from traces, one measured on a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fleettui.domain.measured import Measured
from fleettui.domain.workload import Origin, Timing, Workload
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report
from fleettui.workloads import library


def shipped() -> tuple[Workload, ...]:
    """Return every shipped workload, by name."""
    return tuple(library.load(name) for name in library.names())


def names() -> tuple[str, ...]:
    """Return the names of the shipped workloads."""
    return tuple(library.names())


def is_known(source: str) -> bool:
    """Return whether `source` is a shipped workload or a file that is there."""
    try:
        return source in library.names() or Path(source).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False


async def show_workload(
    source: str,
    *,
    format: str | None = None,
    output_share: float | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Workload:
    """Return the workload called `source`, or in the file of that name; `format` forces a trace's reader.

    `output_share` is needed by a distribution of total tokens that does not say it. Raises InputError.
    """
    async with borrowed(pool) as workers:
        return await workers.run(
            "workload-show", Workload, report, source=source, format=format, output_share=output_share
        )


async def build_workload(
    sources: Sequence[str],
    *,
    name: str,
    origin: Origin,
    slices: float | None = None,
    format: str | None = None,
    output_share: float | None = None,
    timing: Timing | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Workload:
    """Return `sources` merged on one clock, compressed, called `name`; a time slice every `slices` seconds if given.

    `format` forces a trace's reader, `output_share` is needed by total tokens alone, `timing` says how the times came
    about. `fleettui.workloads.library.dump` makes the text of a shipped file from it. Raises InputError.
    """
    async with borrowed(pool) as workers:
        return await workers.run(
            "workload-build",
            Workload,
            report,
            sources=sources,
            name=name,
            origin=origin,
            slices=slices,
            format=format,
            output_share=output_share,
            timing=timing,
        )


async def measure_workload(
    scrapes: Sequence[str],
    *,
    name: str,
    model_name: str | None = None,
    between: float | None = None,
    independent: bool = False,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Measured:
    """Return the workload, called `name`, and the latencies of vLLM servers, from the texts of their `/metrics`.

    `scrapes` are the earlier and the later text of one server, then of the next; `between` is the seconds between the
    two where they do not carry times, `model_name` one of several models. How prompts and outputs pair stays open, or
    is taken as `independent`. Raises InputError.
    """
    async with borrowed(pool) as workers:
        return await workers.run(
            "workload-from-metrics",
            Measured,
            report,
            scrapes=scrapes,
            name=name,
            model_name=model_name,
            between=between,
            independent=independent,
        )
