"""A run beside the engine that plays it, as a study: latencies, the differences, the worst requests, the batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fleettui.domain.against import Against, Beside
from fleettui.domain.plan import PlanIdentity
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import units

UNITS_OFF = "times of less than 1 ms count as 1 ms"


def against_study(found: Against, path: str, asked: str, *, seed: int, plan: PlanIdentity | None = None) -> Study:
    """Return the study of the run in the file `path`, of a kept plan's fleet or of one that was given."""
    return Study(
        kind="against",
        plan="" if plan is None else plan.id,
        title=f"{Path(path).name} beside the engine",
        question=asked,
        seed=seed,
        sentences=tuple(_sentences(found)),
        tables=tuple(_tables(found)),
        warnings=tuple(_warnings(found)),
    )


def _sentences(found: Against) -> Iterator[str]:
    yield f"{found.requests:,} requests in {units.seconds(found.seconds)}, played on {found.fleet}"
    for one in found.metrics:
        if one.requests:
            yield (
                f"{one.metric.upper()}: the engine's mean {units.seconds(one.engine[0])}, the run's "
                f"{units.seconds(one.run[0])}; half of the requests are within {units.percent(one.off[0])}, "
                f"nine in ten within {units.percent(one.off[1])}"
            )
    if found.preempted:
        yield f"the engine preempted {found.preempted:,} requests"


def _warnings(found: Against) -> Iterator[str]:
    if found.skipped:
        told = ", ".join(f"{count:,} {why}" for why, count in found.skipped)
        yield f"rows left out: {told}"
    if found.clients:
        yield (
            f"the run has no times: {found.clients} clients send as they are answered, so requests meet others than "
            "there, and there is no batch over time to compare"
        )
    yield "what the run found in prefix caches is not known: here each prompt is computed whole"


def _tables(found: Against) -> Iterator[StudyTable]:
    known = [one for one in found.metrics if one.requests]
    yield table_of(
        "latencies of all requests",
        [(one, name, at) for one in known for at, name in enumerate(("mean", "P50", "P90", "P99"))],
        ("latency", "text", lambda row: row[0].metric.upper()),
        ("of", "text", lambda row: row[1]),
        ("run", "seconds", lambda row: row[0].run[row[2]]),
        ("engine", "seconds", lambda row: row[0].engine[row[2]]),
        ("off", "share", lambda row: _off(row[0], row[2])),
        note="off: the engine's less the run's, as a share of the run's",
    )
    yield table_of(
        "differences request by request",
        known,
        ("latency", "text", lambda one: one.metric.upper()),
        ("requests", "count", lambda one: one.requests),
        ("bias", "share", lambda one: one.bias),
        ("half_within", "share", lambda one: one.off[0]),
        ("90%_within", "share", lambda one: one.off[1]),
        ("99%_within", "share", lambda one: one.off[2]),
        note=f"of each request's own latency, without sign; bias is of the means; {UNITS_OFF}",
    )
    if found.batches:
        yield table_of(
            "the batch over time",
            found.batches,
            ("start", "seconds", lambda one: one.start),
            ("run_decoding", "number", lambda one: one.run_decoding),
            ("decoding", "number", lambda one: one.decoding),
            ("run_waiting", "number", lambda one: one.run_waiting),
            ("waiting", "number", lambda one: one.waiting),
            note="requests between their first and last token, and before their first, mean of each span; first "
            "the run's, then the engine's",
        )
    yield table_of(
        "the requests that are furthest off",
        found.worst,
        ("latency", "text", lambda one: one.metric.upper()),
        ("row", "count", lambda one: one.row),
        ("arrival", "seconds", lambda one: one.arrival),
        ("prompt", "tokens", lambda one: one.prompt),
        ("output", "tokens", lambda one: one.output),
        ("run", "seconds", lambda one: one.run),
        ("engine", "seconds", lambda one: one.engine),
        note="by seconds; row: of the file, from 1",
    )


def _off(one: Beside, at: int) -> float | None:
    return one.engine[at] / one.run[at] - 1.0 if one.run[at] > 0.0 else None
