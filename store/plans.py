"""Plans: written whole or begun and finished later, read whole, or listed a page at a time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, func, insert, literal_column, select, update

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.path_or_name import MODEL_FILE, is_path
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.plan_row import PlanRow
from fleettui.errors import InputError
from store import candidate_orders, candidates, convert, handles, inputs, labels, names, paging, plan_row
from store.identity import timestamp
from store.queries import Condition
from store.tables import EXCLUDED, PLAN, SCENARIO

TOLD = 10_000
"""Candidates that are returned with a plan which was written; its pages tell all of them."""
ORDERS: dict[str, paging.Order] = {
    "created": (paging.Key(by=PLAN.c.id, descending=True),),
    "cost": (*paging.undefined_last(PLAN.c.cost_per_hour), *paging.rising(PLAN.c.id)),
    "name": paging.rising(PLAN.c.name == literal_column("''"), PLAN.c.name.collate("NOCASE"), PLAN.c.id),
    "ttft": (*paging.undefined_last(PLAN.c.ttft), *paging.rising(PLAN.c.id)),
    "verdict": paging.rising(PLAN.c.verdict, PLAN.c.id),
}
"""What plans may be sorted by: the newest first, or the smallest, undefined and unnamed last, ties by age."""
ASKED = {
    name: select(func.json_extract(SCENARIO.c.body, path))
    .where(SCENARIO.c.digest == PLAN.c.scenario)
    .scalar_subquery()
    .label(name)
    for name, path in plan_row.ASKED.items()
}
"""What a list tells of a plan's question that has no column of its own."""
SO_FAR = func.json_extract(PLAN.c.body, "$.so_far").label("so_far")
"""What was found of a plan that is not finished."""
FIRST_REASON = func.json_extract(PLAN.c.body, "$.why[0]").label("first_reason")
"""What is most telling of why a plan came to what it did."""
NEEDED = func.json_extract(PLAN.c.body, "$.stock.gpus").label("needed")
"""The GPUs of each pool that a fleet which was given needs, as JSON, where that is known."""
HOLDS = func.json_extract(PLAN.c.body, "$.confidence.holds").label("holds")
"""The share of the cases in which a plan's fleet suffices, where that is known."""


def write(
    connection: Connection,
    new: NewPlan,
    *,
    finished: bool,
    parent: str | None,
    moment: datetime,
    randomness: int,
) -> Answer:
    """Write the inputs and a plan; return the answer with ids, handles and time filled in, candidates in order.

    Of more candidates than TOLD the first are returned. The plan takes its name from its answer, or else from the
    question. Raises AssertionError where the scenario's digests are not those of the inputs.
    """
    scenario, question, answer = new.scenario, new.scenario.question, new.answer
    kept = inputs.put_workload(connection, new.workload)
    assert scenario.workload == kept, "the scenario holds the digest of another workload"
    used = {inputs.put_profile(connection, profile) for profile in new.profiles}
    assert set(scenario.profiles) == used, "the scenario holds the digests of other profiles"
    identity = replace(
        answer.plan,
        name=answer.plan.name or question.name,
        scenario=inputs.put_scenario(connection, scenario),
        engine_version=scenario.engine_version,
        seed=question.seed,
    )
    labels.check_name(identity.name)
    ranked = _Ranked.of(answer)
    (own, *named) = handles.ids_and_handles(
        connection, 1 + min(len(ranked.fleets), names.NAMED), moment=moment, randomness=randomness
    )
    identity = replace(identity, id=own[0], handle=own[1], created=timestamp(moment))
    made_by = inputs.put_provenance(connection, new.provenance)
    model = new.profiles[0].model if new.profiles and is_path(question.model, MODEL_FILE) else question.model
    origin = {"provenance": made_by, "workload": new.workload.name, "model": model, "parent": parent}
    columns = convert.from_answer(replace(answer, plan=identity), rank=ranked.answer, finished=finished)
    columns |= {**origin, **convert.from_slo(question.slo), "candidates": len(ranked.fleets)}
    connection.execute(insert(PLAN).values(**columns, note="", tags="[]", archived=0))
    candidates.write(connection, identity.id, ranked.first, ranked.fleets, named)
    if ranked.answer is not None and ranked.answer - ranked.first >= names.NAMED:
        names.keep(connection, names.implied_id(identity.id, ranked.answer))
    if excluded := convert.from_excluded(answer.excluded, plan=identity.id):
        connection.execute(insert(EXCLUDED), excluded)
    return _told(connection, replace(answer, plan=identity), ranked)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """An answer's fleets, which have the ranks from `first` on, and the rank of the best (None: there is none).

    Ranks count from 1 in the order of `Answer.candidates`; an answer that is not among them has rank 0.
    """

    fleets: tuple[Candidate, ...]
    first: int
    answer: int | None

    @classmethod
    def of(cls, answer: Answer) -> _Ranked:
        best, fleets = answer.answer, answer.candidates
        if best is None:
            return cls(fleets, 1, None)
        return cls(fleets, 1, fleets.index(best) + 1) if best in fleets else cls((best, *fleets), 0, 0)


def _told(connection: Connection, answer: Answer, ranked: _Ranked) -> Answer:
    """Return an answer with its fleets by name, in the order in which they will be read, and no more than TOLD."""
    plan, limit = answer.plan.id, TOLD + 1 - ranked.first
    told = candidate_orders.page(connection, plan, "rank", reverse=False, limit=limit, offset=0)
    best = [] if ranked.answer is None else [ranked.answer]
    known = names.of_ranks(connection, plan, {*told, *best})

    def named(rank: int) -> Candidate:
        identifier, handle = known[rank]
        return replace(ranked.fleets[rank - ranked.first], candidate=identifier, handle=handle)

    return replace(
        answer,
        answer=None if ranked.answer is None else named(ranked.answer),
        candidates=tuple(named(rank) for rank in told if rank)[:TOLD],
    )


def finish(connection: Connection, plan: str, answer: Answer, *, moment: datetime, randomness: int) -> None:
    """Write what an unfinished plan has come to, for good: verdict, answer, reasons, and candidates that are new.

    The answer's figures are the stored candidate's with its newest evidence. A plan that is finished stays as it is;
    raises AssertionError when it came to another verdict or answer.
    """

    def stored(candidate: Candidate) -> str:
        if candidate.candidate:
            return candidate.candidate
        return candidates.add(connection, plan, candidate, moment=moment, randomness=randomness).candidate

    for one in answer.candidates:
        stored(one)
    best = None if answer.answer is None else candidates.read(connection, stored(answer.answer))
    rank = None if best is None else _rank(connection, plan, best.candidate)
    present = connection.execute(select(PLAN).where(PLAN.c.id == plan)).mappings().one()
    if present["finished"]:
        known = (present["verdict"], present["answer_rank"])
        assert known == (answer.verdict, rank), f"plan {plan} came to {known}, and not to {(answer.verdict, rank)}"
    else:
        finding = convert.from_finding(replace(answer, answer=best), rank=rank, finished=True)
        connection.execute(update(PLAN).where(PLAN.c.id == plan).values(**finding))


def tell_so_far(connection: Connection, plan: str, words: str) -> None:
    """Keep with an unfinished plan what was found so far; a plan that is finished stays as it is."""
    row = connection.execute(select(PLAN).where(PLAN.c.id == plan)).mappings().one()
    if row["finished"]:
        return
    known = replace(convert.to_answer(row, None, (), ()), so_far=words)
    told = convert.from_finding(known, rank=None, finished=False)
    connection.execute(update(PLAN).where(PLAN.c.id == plan).values(body=told["body"], checksum=told["checksum"]))


def _rank(connection: Connection, plan: str, candidate: str) -> int:
    """Return the rank of a plan's candidate, which takes a row: the answer has a handle of its own."""
    names.keep(connection, candidate)
    found = names.place(connection, candidate)
    assert found is not None, f"there is no candidate {candidate}"
    assert found.plan == plan, f"candidate {candidate} is not of plan {plan}"
    return found.rank


def read(connection: Connection, plan: str, most: int | None = None) -> Answer:
    """Return the whole answer of the plan with this id; no more candidates than `most` where that is given."""
    row = connection.execute(select(PLAN).where(PLAN.c.id == plan)).mappings().one()
    excluded = select(EXCLUDED).where(EXCLUDED.c.plan == plan).order_by(EXCLUDED.c.position)
    left_out = connection.execute(excluded).mappings()
    rank = row["answer_rank"]
    best = None if rank is None else candidates.of_rank(connection, plan, rank)
    return convert.to_answer(row, best, candidates.rows(connection, plan, most), left_out)


def rows(
    connection: Connection,
    conditions: Collection[Condition],
    *,
    sort: str = "created",
    reverse: bool = False,
    limit: int,
    offset: int,
) -> tuple[PlanRow, ...]:
    """Return a page of the plans that meet all conditions; raises InputError for a `sort` that is not in ORDERS."""
    if sort not in ORDERS:
        raise InputError("plans cannot be sorted by this", value=sort, accepted=", ".join(ORDERS))
    own = (PLAN.c[name] for name in plan_row.PLAN_ROW_COLUMNS)
    columns = [*own, *ASKED.values(), HOLDS, NEEDED, SO_FAR, FIRST_REASON]
    walk = paging.clauses(ORDERS[sort], backward=reverse)
    chosen = select(paging.ROW_ID).select_from(PLAN).where(*conditions).order_by(*walk).limit(limit).offset(offset)
    query = paging.page_of_chosen(select(*columns), PLAN, chosen, ORDERS[sort], reverse=reverse)
    return tuple(map(plan_row.to_plan_row, connection.execute(query).mappings()))


def count(connection: Connection, conditions: Collection[Condition]) -> int:
    """Return how many plans meet all conditions."""
    return connection.scalar(select(func.count()).select_from(PLAN).where(*conditions)) or 0


def is_finished(connection: Connection, plan: str) -> bool:
    """Tell whether the plan with this id has come to its answer for good."""
    return bool(connection.scalars(select(PLAN.c.finished).where(PLAN.c.id == plan)).one())


def of_scenario(connection: Connection, scenario: str) -> tuple[str, ...]:
    """Return the ids of the finished plans of the scenario with this digest that have an answer, newest first."""
    own = (PLAN.c.scenario == scenario, PLAN.c.finished == 1, PLAN.c.answer_rank.is_not(None))
    return tuple(connection.scalars(select(PLAN.c.id).where(*own).order_by(PLAN.c.id.desc())))


def are_called(connection: Connection, name: str) -> bool:
    """Return whether any plan bears exactly this name, an archived one too."""
    return connection.scalars(select(PLAN.c.id).where(PLAN.c.name == name).limit(1)).first() is not None


def column(connection: Connection, plan: str, name: str) -> str:
    """Return one text column of the plan with this id."""
    return str(connection.scalars(select(PLAN.c[name]).where(PLAN.c.id == plan)).one())
