"""From what people type (a handle or its start, an id, a name, `last`) to one plan, candidate, job or study."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import NoReturn

from sqlalchemy import ColumnElement, Connection, Table, func, or_, select

from fleettui.domain.study import JOINT, JOINT_TITLE, plans_of
from fleettui.errors import InputError
from store import names, studies
from store.newest import Kept, newest
from store.tables import CANDIDATE, JOB, PLAN, STUDY

ACCEPTED = "a handle or its first digits, an id, a plan's name, last, last~1"
ACCEPTED_JOBS = "a job's handle or its first digits, its id, last, last~1"
ACCEPTED_STUDIES = "a study's handle or its first digits, its id, a joint plan's name, last, last~1"
RENAMES = "; fleettui name gives one another name"
SHOWN = 6
_LAST = re.compile(r"last(?:~(\d{1,9}))?")
_DIGITS = re.compile(r"@?[0-9a-f]{1,64}")

Found = tuple[str, str, str]
"""(noun, id, handle)"""


def plan_id(connection: Connection, ref: str) -> str:
    """Return the id of the plan that `ref` names; raises InputError, listing handles, for none or several.

    A whole handle, id or name goes before the start of a handle. `last` counts plans that are not archived, and none of
    a store beside; where it is a joint plan that is refused.
    """
    if _LAST.fullmatch(ref):
        noun, identifier = _last(connection, ref)
        if noun == STUDY.name:
            raise _no_single(connection, ref, "plan", identifier)
        return identifier
    found = _exact_plans(connection, ref)
    if not found:
        _refuse_part_of_plan(connection, ref, "plan", (CANDIDATE, JOB))
        _refuse_study(connection, ref, "plan")
        found = _starting(connection, PLAN, ref)
    return _only(connection, ref, "plan", found)[1]


def candidate_id(connection: Connection, ref: str) -> str:
    """Return the id of the candidate that `ref` names, a plan's ref meaning its answer.

    Raises InputError, listing handles, for none or several, and for a plan that has no answer.
    """
    if _LAST.fullmatch(ref):
        return _answer_of(connection, plan_id(connection, ref))
    found = _exact_candidates(connection, ref) + _exact_plans(connection, ref)
    if not found:
        _refuse_part_of_plan(connection, ref, "candidate", (JOB,))
        _refuse_study(connection, ref, "candidate")
        found = _starting(connection, PLAN, ref) + _starting(connection, CANDIDATE, ref)
    noun, identifier, _ = _only(connection, ref, "candidate or plan", found)
    return identifier if noun == "candidate" else _answer_of(connection, identifier)


def job_id(connection: Connection, ref: str) -> str:
    """Return the id of the job that `ref` names, `last` being the newest; raises InputError for none or several."""
    found = _newest_or_named(connection, JOB, ref)
    if not found:
        _refuse_unknown(
            connection,
            JOB,
            ref,
            accepted=ACCEPTED_JOBS,
            lister="fleettui jobs lists them",
            first="there is no job yet: fleettui plan starts the first",
        )
    return _only(connection, ref, "job", found)[1]


def study_id(connection: Connection, ref: str) -> str:
    """Return the id of the study that `ref` names, `last` being the newest; raises InputError for none or several."""
    found = [] if _LAST.fullmatch(ref) else _exact_studies(connection, ref)
    found = found or _newest_or_named(connection, STUDY, ref)
    if not found:
        _refuse_unknown(
            connection,
            STUDY,
            ref,
            accepted=ACCEPTED_STUDIES,
            lister="fleettui list --studies lists them",
            first="there is no study yet: fleettui whatif makes one",
        )
    return _only(connection, ref, "study", found)[1]


def kept(connection: Connection, ref: str) -> tuple[str, str]:
    """Return which of "plan" and "study" `ref` names, and its id; raises InputError for none or several.

    `last` is a plan or a joint plan. A whole handle, id or name goes before the start of a handle.
    """
    if _LAST.fullmatch(ref):
        return _last(connection, ref)
    found = _exact_plans(connection, ref) + _exact_studies(connection, ref)
    if not found:
        _refuse_part_of_plan(connection, ref, "plan or study", (CANDIDATE, JOB))
        found = _starting(connection, PLAN, ref) + _starting(connection, STUDY, ref)
    noun, identifier, _ = _only(connection, ref, "plan or study", found)
    return noun, identifier


def _newest_or_named(connection: Connection, table: Table, ref: str) -> list[Found]:
    """Return the rows of `table` that `ref` may mean, `last` counting back from the newest."""
    if match := _LAST.fullmatch(ref):
        newest = select(table.c.id).where(_own(table)).order_by(table.c.id.desc()).limit(1).offset(int(match[1] or 0))
        return [(table.name, str(one), "") for one in connection.scalars(newest)]
    return _exact(connection, table, ref) or _starting(connection, table, ref)


def _refuse_part_of_plan(connection: Connection, ref: str, noun: str, parts: Iterable[Table]) -> None:
    """Raise InputError when `ref` names a part of a plan, which is not the `noun` that is wanted, or a rank of none."""
    _refuse_rank(connection, ref)
    for part in parts:
        owner = select(part.c.handle, PLAN.c.handle).outerjoin(PLAN, part.c.plan == PLAN.c.id).where(_is(part, ref))
        if found := connection.execute(owner).first() or (_called(connection, ref) if part is CANDIDATE else None):
            own, plan = found
            remedy = f"its plan is {plan}" if plan else f"fleettui jobs follow {own} prints what it comes to"
            raise InputError(f"this names a {part.name}, not a {noun}", value=ref, remedy=remedy)


def _called(connection: Connection, ref: str) -> tuple[str, str] | None:
    """Return `ref` and the handle of its plan where it means a candidate that has no name of its own."""
    called = names.called(connection, ref.lower())
    if called is None:
        return None
    return ref, connection.scalars(select(PLAN.c.handle).where(PLAN.c.id == called.plan)).one()


def _refuse_rank(connection: Connection, ref: str) -> None:
    """Raise InputError when `ref` names a rank that its plan does not have; it says which there are."""
    plan, rank = names.by_rank(connection, ref.lower()) or (None, 0)
    if plan is None or rank in (known := names.ranks(connection, plan)):
        return
    handle = connection.scalars(select(PLAN.c.handle).where(PLAN.c.id == plan)).one()
    ends = dict.fromkeys(f"{handle}.{one}" for one in (known[0], known[-1])) if known else ["a plan that has some"]
    raise InputError(
        f"plan {handle} has no candidate of this rank, of {len(known)} in all",
        value=ref,
        accepted=" to ".join(ends),
        remedy=f"fleettui show {handle} prints the plan",
    )


def _refuse_study(connection: Connection, ref: str, noun: str) -> None:
    """Raise InputError when `ref` names a study, which is not the `noun` that is wanted; it says whose it is."""
    if found := _exact_studies(connection, ref):
        handle = found[0][2]
        if connection.scalar(select(STUDY.c.kind).where(STUDY.c.id == found[0][1])) == JOINT:
            raise _no_single(connection, ref, noun, found[0][1])
        whose = select(PLAN.c.handle).join(STUDY, STUDY.c.plan == PLAN.c.id).where(STUDY.c.id == found[0][1])
        plan, shown = connection.scalar(whose), f"fleettui show {handle} prints the study"
        what = f"this is a study of {f'plan {plan}' if plan else 'no one plan'}, not a {noun}"
        raise InputError(what, value=ref, remedy=f"say {plan} to mean its plan; {shown}" if plan else shown)


def _no_single(connection: Connection, ref: str, noun: str, joint: str) -> InputError:
    """Return the refusal of the joint plan with this id where one `noun` is wanted; it lists its workloads' plans."""
    study = studies.read(connection, joint)
    members = [f"{handle} ({name})" for name, handle in plans_of(study).items()]
    return InputError(
        f"this is the joint plan {study.handle}, not a {noun}",
        value=ref,
        accepted=_listed(members) if members else None,
        remedy=f"fleettui show {study.handle} prints it",
    )


def _answer_of(connection: Connection, plan: str) -> str:
    both = (CANDIDATE.c.plan == PLAN.c.id) & (CANDIDATE.c.rank == PLAN.c.answer_rank)
    identifier = connection.scalar(select(CANDIDATE.c.id).join(PLAN, both).where(PLAN.c.id == plan))
    if identifier is None:
        handle = connection.scalar(select(PLAN.c.handle).where(PLAN.c.id == plan))
        raise InputError(
            "the plan is infeasible and has no answer",
            value=handle,
            accepted="a candidate's handle",
            remedy=f"fleettui show {handle} lists the nearest",
        )
    return str(identifier)


def _last(connection: Connection, ref: str) -> Kept:
    """Return which of "plan" and "study" `last`, or `last~2`, names, and its id; raises InputError for none."""
    back = int(ref.partition("~")[2] or 0)
    found = next(islice(newest(connection), back, None), None)
    if found is None:
        _refuse_none(connection, ref, "plan")
    return found


def _exact_plans(connection: Connection, ref: str) -> list[Found]:
    return _rows(connection, PLAN, or_(_is(PLAN, ref), (PLAN.c.name == ref) & (PLAN.c.name != "")))


def _exact_studies(connection: Connection, ref: str) -> list[Found]:
    """Return the studies that bear this id or handle, or are a joint plan of this name."""
    start = JOINT_TITLE.format(name=ref)
    named = (STUDY.c.kind == JOINT) & (func.substr(STUDY.c.title, 1, len(start)) == start)
    return _rows(connection, STUDY, or_(_is(STUDY, ref), named))


def _exact_candidates(connection: Connection, ref: str) -> list[Found]:
    """Return the candidate that bears this id or handle, or that is of the plan and the rank that `ref` names."""
    if found := _exact(connection, CANDIDATE, ref):
        return found
    called = names.called(connection, ref.lower())
    return [] if called is None else [(CANDIDATE.name, called.candidate, ref)]


def _exact(connection: Connection, table: Table, ref: str) -> list[Found]:
    return _rows(connection, table, _is(table, ref))


def _is(table: Table, ref: str) -> ColumnElement[bool]:
    return or_(table.c.id == ref.lower(), table.c.handle == ref.lower())


def _own(table: Table) -> ColumnElement[bool]:
    """Return the condition for rows that are not of a store beside, whose handles begin with @."""
    return table.c.handle.not_like("@%")


def _starting(connection: Connection, table: Table, ref: str) -> list[Found]:
    start = ref.lower()
    if not _DIGITS.fullmatch(start):
        return []
    # "g" follows the last hexadecimal digit, so the range is one walk along the index.
    return _rows(connection, table, (table.c.handle >= start) & (table.c.handle < start + "g"))


def _rows(connection: Connection, table: Table, where: ColumnElement[bool]) -> list[Found]:
    query = select(table.c.id, table.c.handle).where(where).order_by(table.c.handle).limit(SHOWN + 1)
    return [(table.name, row.id, row.handle) for row in connection.execute(query)]


def _only(connection: Connection, ref: str, noun: str, found: list[Found]) -> Found:
    if not found:
        _refuse_none(connection, ref, noun)
    if len(found) > 1:
        raise InputError(
            f"more than one {noun} matches",
            value=ref,
            accepted=_listed(f"{handle} ({kind})" for kind, _, handle in found),
            remedy="type more digits, or a handle in full"
            if _DIGITS.fullmatch(ref.lower())
            else f"say which by its handle{RENAMES if any(kind == PLAN.name for kind, _, _ in found) else ''}",
        )
    return found[0]


def _refuse_none(connection: Connection, ref: str, noun: str) -> NoReturn:
    newest = select(PLAN.c.handle, PLAN.c.name).order_by(PLAN.c.id.desc()).limit(SHOWN + 1)
    known = [f"{row.handle} ({row.name})" if row.name else row.handle for row in connection.execute(newest)]
    raise InputError(
        f"no {noun} matches",
        value=ref,
        accepted=f"{ACCEPTED}; newest: {_listed(known)}" if known else ACCEPTED,
        remedy="fleettui list shows the plans" if known else "the store is empty: fleettui plan makes the first",
    )


def _refuse_unknown(
    connection: Connection, table: Table, ref: str, *, accepted: str, lister: str, first: str
) -> NoReturn:
    """Raise InputError for a `ref` of nothing in `table`; `lister` lists what there is, `first` makes the first."""
    known = list(connection.scalars(select(table.c.handle).order_by(table.c.id.desc()).limit(SHOWN + 1)))
    raise InputError(
        f"no {table.name} matches",
        value=ref,
        accepted=f"{accepted}; newest: {_listed(known)}" if known else accepted,
        remedy=lister if known else first,
    )


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
