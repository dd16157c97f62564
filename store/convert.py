"""The only door between the domain's values and the tables' rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from fleettui.domain import serialization
from fleettui.domain.fleet import Fleet
from fleettui.domain.job import Job
from fleettui.domain.joint import JointAsked
from fleettui.domain.plan import Answer, Candidate, Evidence, Excluded, Look, PlanIdentity, Verdict
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, StudyTable
from fleettui.errors import InputError, UnreadableError
from store import histogram_codec
from store.checksum import checksum
from store.nan_json import as_nan, finite
from store.plan_row import LATENCIES, SLO_COLUMNS

if TYPE_CHECKING:
    from fleettui.domain.simulation import Replication

Row = Mapping[Any, Any]
Value = TypeVar("Value")


def decode(kind: type[Value], body: str) -> Value:
    """Return the value of `kind` that a row's body holds; raises UnreadableError when it does not fit."""
    try:
        return serialization.decode(kind, body)
    except (ValueError, InputError) as error:
        raise UnreadableError(
            f"a stored {kind.__name__.lower()} does not read: {str(error).splitlines()[0]}\n"
            "  do: upgrade fleettui if a newer one wrote it; else run fleettui doctor and restore a backup of the store"
        ) from error


def decode_figures(kind: type[Value], body: str) -> Value:
    """Return the value of `kind` that a row's body holds, its undefined figures as NaN."""
    try:
        return serialization.decode(kind, body)
    except (ValueError, InputError):
        return decode(kind, as_nan(kind, body))


def worst(candidate: Candidate, latency: str) -> float | None:
    """Return the longest `latency` over the candidate's pools in seconds by formula, None where one is undefined."""
    return _longest([getattr(pool, latency) for pool in candidate.pools])


def worst_known(candidate: Candidate, latency: str) -> float | None:
    """Return the longest `latency` over the candidate's pools as simulated, where it was, or else by formula."""
    evidence = candidate.evidence
    if evidence is None or evidence.method == "formula":
        return worst(candidate, latency)
    return worst_seen(evidence, latency)


def worst_seen(evidence: Evidence, latency: str) -> float | None:
    """Return the longest `latency` over the pools that evidence tells of, None where one is undefined."""
    return _longest([getattr(pool, latency).value for pool in evidence.pools])


def _longest(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    whole = len(defined) == len(values) and math.isfinite(sum(defined))  # as each of them is: they are seconds
    return max(defined) if defined and whole else None


def describe_fleet(fleet: Fleet) -> str:
    """Return a fleet as short text, GPUs first, such as "48 h100 tp8x6 + 4 a100 tp4x1"."""
    return " + ".join(f"{pool.gpus} {pool.gpu} {pool.division}x{pool.replicas}" for pool in fleet.pools)


def _sealed(body: str) -> dict[str, Any]:
    """Return the columns of a body and its checksum."""
    return {"body": body, "checksum": checksum(body)}


def to_candidate(row: Row) -> Candidate:
    """Return the candidate of a row with columns id, handle, whole body, evidence and span.

    The last two are its newest verification's body and, of an answer, the range of GPUs by its simulations, if any.
    """
    value = replace(decode_figures(Candidate, row["body"]), candidate=row["id"], handle=row["handle"])
    if row["span"]:
        least, most = json.loads(row["span"])
        value = replace(value, gpus_range=(least, most))
    return replace(value, evidence=decode_figures(Evidence, row["evidence"])) if row["evidence"] else value


def from_slo(slo: Slo) -> dict[str, Any]:
    """Return the columns of a plan that hold the latency limits of its question."""
    return {column: getattr(slo, field) for column, field in SLO_COLUMNS.items()}


def from_answer(answer: Answer, *, rank: int | None, finished: bool) -> dict[str, Any]:
    """Return the columns of a plan that follow from its answer, whose rank among the candidates is `rank`."""
    identity = answer.plan
    return {
        **{name: getattr(identity, name) for name in ("id", "handle", "created", "name", "scenario")},
        "engine_version": identity.engine_version,
        "seed": identity.seed,
        **from_finding(answer, rank=rank, finished=finished),
    }


def from_finding(answer: Answer, *, rank: int | None, finished: bool) -> dict[str, Any]:
    """Return the columns that hold what a plan has come to: those that change until it is finished."""
    best = answer.answer
    return {
        "finished": int(finished),
        "verdict": answer.verdict,
        "method": best.evidence.method if best and best.evidence else "formula",
        "fleet": describe_fleet(best.fleet) if best else "",
        "rate": answer.demand.rate,
        "answer_rank": rank,
        "gpus": best.gpus if best else None,
        "cost_per_hour": best.cost_per_hour if best else None,
        **{latency: worst_known(best, latency) if best else None for latency in LATENCIES},
        **_sealed(
            serialization.encode(Answer, replace(answer, plan=PlanIdentity(), answer=None, candidates=(), excluded=()))
        ),
    }


def from_excluded(excluded: Iterable[Excluded], *, plan: str) -> list[dict[str, Any]]:
    """Return the rows of what the bounds of a plan left out."""
    return [
        {"plan": plan, "position": position, "topology": one.topology, "reason": one.reason, "count": one.count}
        for position, one in enumerate(excluded)
    ]


def to_answer(row: Row, best: Candidate | None, candidates: Iterable[Row], excluded: Iterable[Row]) -> Answer:
    """Return a whole answer from its plan's row, its best candidate, the candidates' rows in order, and what was left.

    An answer that is not among the ranked candidates (rank 0) stands alone, unless another one became the answer.
    """
    chosen = row["answer_rank"]
    told = (one for one in candidates if one["rank"] > 0 or one["rank"] != chosen)
    identity = PlanIdentity(**{field.name: row[field.name] for field in fields(PlanIdentity)})
    return replace(
        decode_figures(Answer, row["body"]),
        plan=identity,
        answer=best,
        candidates=tuple(map(to_candidate, told)),
        excluded=tuple(
            Excluded(topology=one["topology"], reason=one["reason"], count=one["count"]) for one in excluded
        ),
    )


def from_evidence(evidence: Evidence) -> dict[str, Any]:
    """Return the columns of a verification that follow from its evidence."""
    return {
        "seed": evidence.seed,
        "verdict": evidence.verdict,
        "replications": evidence.replications,
        "requests": evidence.requests,
        "ttft": finite(evidence.ttft.value),
        "ttft_low": finite(evidence.ttft.low),
        "ttft_high": finite(evidence.ttft.high),
        **_sealed(serialization.encode(Evidence, evidence)),
    }


def from_replication(replication: Replication) -> dict[str, Any]:
    """Return the columns of a replication that follow from what it showed, its histograms left out."""
    bare = replace(replication, pools=tuple(replace(pool, histograms=()) for pool in replication.pools))
    return {
        "position": replication.index,
        "requests": replication.requests,
        "ttft": finite(replication.ttft),
        "attainment": finite(replication.attainment),
        "digest": replication.digest,
        **_sealed(serialization.encode(type(bare), bare)),
    }


def from_histograms(replication: Replication) -> Iterator[dict[str, Any]]:
    """Give the columns of each histogram of a replication that follow from it."""
    for pool, run in enumerate(replication.pools):
        for place, one in enumerate(run.histograms):
            yield {"pool": pool, "place": place, "metric": one.metric, "cells": histogram_codec.pack(one.cells)}


def to_replication(body: str, histograms: Iterable[Row] = ()) -> Replication:
    """Return a replication from its row's body and the rows of its histograms in order."""
    from fleettui.domain.simulation import Histogram, Replication

    replication = decode_figures(Replication, body)
    kept: list[list[Histogram]] = [[] for _ in replication.pools]
    for row in histograms:
        kept[row["pool"]].append(Histogram(metric=row["metric"], cells=histogram_codec.unpack(row["cells"])))
    pools = tuple(replace(run, histograms=tuple(own)) for run, own in zip(replication.pools, kept, strict=True))
    return replace(replication, pools=pools)


OPTIONAL_OF_JOB = ("plan", "candidate", "finished", "asked", "study")
"""Texts of a job that are NULL in its row where they are empty."""


def from_job(job: Job) -> dict[str, Any]:
    """Return the columns of a job."""
    columns: dict[str, Any] = {field.name: getattr(job, field.name) for field in fields(Job)}
    undefined = {name: getattr(job, name) or None for name in OPTIONAL_OF_JOB}
    return columns | undefined | {"cancelling": int(job.cancelling)}


def to_job(row: Row) -> Job:
    """Return the job of a row as it was written down, whether or not its owner still runs."""
    columns = {field.name: row[field.name] for field in fields(Job)}
    undefined = {name: row[name] or "" for name in OPTIONAL_OF_JOB}
    return Job(**columns | undefined | {"cancelling": bool(row["cancelling"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyBody:
    """What of a study is read whole."""

    sentences: tuple[str, ...]
    tables: tuple[StudyTable, ...]
    warnings: tuple[str, ...]
    verdict: Verdict | None = None
    looks: tuple[Look, ...] = ()
    joint: JointAsked | None = None


STUDY_COLUMNS = tuple(field.name for field in fields(Study) if field.name not in StudyBody.__slots__)


def from_study(study: Study) -> dict[str, Any]:
    """Return the columns of a study that bears its id and handle; a figure that is not finite becomes undefined."""
    body = StudyBody(**{name: getattr(study, name) for name in StudyBody.__slots__})
    columns = {name: getattr(study, name) for name in STUDY_COLUMNS}
    return columns | {"plan": study.plan or None, **_sealed(serialization.encode(StudyBody, body))}


def to_study(row: Row) -> Study:
    """Return the study of a row."""
    body = decode_figures(StudyBody, row["body"])
    columns = {name: row[name] for name in STUDY_COLUMNS}
    whole = {name: getattr(body, name) for name in StudyBody.__slots__}
    return Study(**columns | whole | {"plan": row["plan"] or ""})
