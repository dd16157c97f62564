"""The only door between the domain's values and the tables' rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from fleettui.domain import wire
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate, Excluded, PlanIdentity, PlanRow, PoolEvidence, PoolFigures
from fleettui.errors import InputError, StoreError

Row = Mapping[str, Any]
Value = TypeVar("Value")
LATENCIES = ("ttft", "tpot", "e2e")
PLAN_ROW_COLUMNS = tuple(field.name for field in fields(PlanRow))


def decode(kind: type[Value], body: str) -> Value:
    """Return the value of `kind` that a row's body holds; raises StoreError when it does not fit."""
    try:
        return wire.decode(kind, body)
    except (ValueError, InputError) as error:
        raise StoreError(
            f"a stored {kind.__name__.lower()} does not read: {str(error).splitlines()[0]}\n"
            "  do: run fleettui doctor; restore a backup of the store"
        ) from error


def finite(value: float) -> float | None:
    """Return a number, or None where it is not one: the store keeps neither NaN nor infinity."""
    return value if math.isfinite(value) else None


def worst(candidate: Candidate, latency: str) -> float | None:
    """Return the longest `latency` over the candidate's pools in seconds, None where a pool's is undefined."""
    values = [getattr(pool, latency) for pool in candidate.pools]
    return finite(max(values)) if values and all(map(math.isfinite, values)) else None


def describe_fleet(fleet: Fleet) -> str:
    """Return a fleet as short text, GPUs first, such as "48 h100 tp8x6 + 4 a100 tp4x1"."""
    return " + ".join(f"{pool.gpus} {pool.gpu} tp{pool.tp}x{pool.replicas}" for pool in fleet.pools)


def describe_topology(fleet: Fleet) -> str:
    """Return what fleets of other sizes share with this one, such as "h100 tp8 + a100 tp4"."""
    return " + ".join(f"{pool.gpu} tp{pool.tp}" for pool in fleet.pools)


def from_candidate(candidate: Candidate, *, plan: str, rank: int) -> dict[str, Any]:
    """Return the columns of a candidate that already bears its id and handle."""
    return {
        "id": candidate.candidate,
        "handle": candidate.handle,
        "plan": plan,
        "rank": rank,
        "cost_per_hour": candidate.cost_per_hour,
        "gpus": candidate.gpus,
        "power": finite(candidate.power),
        **{latency: worst(candidate, latency) for latency in LATENCIES},
        "feasible": int(not candidate.shortfalls),
        "topology": describe_topology(candidate.fleet),
        "body": wire.encode(Candidate, replace(candidate, candidate="", handle="")),
    }


def to_candidate(row: Row) -> Candidate:
    """Return the candidate of a row with columns id, handle and body."""
    try:
        value = wire.decode(Candidate, row["body"])
    except ValueError:
        value = decode(Candidate, _undefined_as_nan(row["body"]))
    return replace(value, candidate=row["id"], handle=row["handle"])


def _undefined_as_nan(body: str) -> str:
    """Return a candidate's body with NaN for each figure that is null although its type cannot hold that."""
    plain = json.loads(body)
    parts = [(Candidate, plain), *((PoolFigures, pool) for pool in plain["pools"])]
    if plain["evidence"]:
        parts += [(PoolEvidence, pool) for pool in plain["evidence"]["pools"]]
    for kind, part in parts:
        part.update({one.name: math.nan for one in fields(kind) if one.type == "float" and part[one.name] is None})
    return json.dumps(plain)


def from_answer(answer: Answer, *, rank: int | None) -> dict[str, Any]:
    """Return the columns of a plan that follow from its answer, whose rank among the candidates is `rank`."""
    best = answer.answer
    identity = answer.plan
    return {
        **{name: getattr(identity, name) for name in ("id", "handle", "created", "name", "scenario")},
        "engine_version": identity.engine_version,
        "seed": identity.seed,
        "verdict": answer.verdict,
        "method": best.evidence.method if best and best.evidence else "formula",
        "fleet": describe_fleet(best.fleet) if best else "",
        "answer_rank": rank,
        "gpus": best.gpus if best else None,
        "cost_per_hour": best.cost_per_hour if best else None,
        **{latency: worst(best, latency) if best else None for latency in LATENCIES},
        "body": wire.encode(Answer, replace(answer, plan=PlanIdentity(), answer=None, candidates=(), excluded=())),
    }


def from_excluded(excluded: Iterable[Excluded], *, plan: str) -> list[dict[str, Any]]:
    """Return the rows of what the bounds of a plan left out."""
    return [
        {"plan": plan, "position": position, "topology": one.topology, "reason": one.reason, "count": one.count}
        for position, one in enumerate(excluded)
    ]


def to_answer(row: Row, candidates: Iterable[Row], excluded: Iterable[Row]) -> Answer:
    """Return a whole answer from its plan's row, its candidates' rows by rank, and what was left out."""
    by_rank = {one["rank"]: to_candidate(one) for one in candidates}
    identity = PlanIdentity(**{field.name: row[field.name] for field in fields(PlanIdentity)})
    return replace(
        decode(Answer, row["body"]),
        plan=identity,
        answer=None if row["answer_rank"] is None else by_rank[row["answer_rank"]],
        candidates=tuple(candidate for rank, candidate in by_rank.items() if rank > 0),
        excluded=tuple(
            Excluded(topology=one["topology"], reason=one["reason"], count=one["count"]) for one in excluded
        ),
    )


def to_plan_row(row: Row) -> PlanRow:
    """Return the line of a list from a row with the columns PLAN_ROW_COLUMNS."""
    columns = {name: row[name] for name in PLAN_ROW_COLUMNS}
    return PlanRow(**columns | {"tags": tuple(json.loads(row["tags"])), "archived": bool(row["archived"])})
