"""Set kept plans side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.plan_inputs import prices_by_gpu
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.kept_inputs import was_given
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.plan_files import inputs_of, is_plan_file, read_plan
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared, Comparison
from fleettui.reports.comparison.spread import Spread, spread
from fleettui.reports.comparison.studies import study_changes
from fleettui.reports.input_changes import Change, between, between_inputs
from fleettui.reports.moved_fleet import moved_fleet
from fleettui.reports.report.model import sentence

if TYPE_CHECKING:
    from store import Store


def compare_plans(store: Store, refs: Sequence[str]) -> Comparison:
    """Return the plans that `refs` name side by side, the first as the baseline; a file's name ends in .json.

    Raises InputError when there is no such plan, for one that is named twice, and for fewer than two.
    """
    if len(refs) < 2:
        raise InputError(
            "one plan is compared with nothing",
            value=" ".join(refs),
            accepted="two plans or more",
            remedy="fleettui list shows them",
        )
    plans = [compared(store, ref) for ref in refs]
    ids = [plan.answer.plan.id for plan in plans]
    for place, ref in enumerate(refs):
        if ids[place] in ids[:place]:
            first = refs[ids.index(ids[place])]
            raise InputError("a plan is compared with itself", value=ref, where=f"{first} is the same plan")
    return compare(plans)


def beside_earlier(store: Store, earlier: str, later: str) -> Comparison:
    """Return two plans side by side, and that the fleet of the `earlier` fails at the `later` one's question if shown.

    Raises InputError as `compare_plans` does.
    """
    found = compare_plans(store, (earlier, later))
    return replace(found, sentences=(*found.sentences, *earlier_fails(store, *found.plans)))


def earlier_fails(store: Store, before: Compared, now: Compared) -> tuple[str, ...]:
    """Return that the fleet of the plan `before` fails at the other's question, nothing if that was not shown."""
    if before.fleet is None or now.file:
        return ()
    called = before.answer.plan.name or before.handle
    moved = moved_fleet(before.fleet.fleet, store.plan(now.answer.plan.id), now.question, called)
    return (sentence(moved.text),) if moved is not None and moved.fails else ()


def compare_studies(store: Store, refs: Sequence[str]) -> Study | None:
    """Return what differs between the two kept studies that `refs` name, None where they name something else.

    Raises InputError when there is nothing of that name, or they are of two kinds.
    """
    found = [store.kept(ref) for ref in refs] if len(refs) == 2 else []
    if not found or any(noun != "study" for noun, _ in found):
        return None
    return study_changes(*(store.study(identifier) for _, identifier in found))


def compared(store: Store, ref: str) -> Compared:
    """Return the plan that `ref` names, a stored one or that of a file, with what its answer rests on.

    Raises InputError when there is none.
    """
    if is_plan_file(ref):
        return _filed(ref)
    answer = store.plan(ref, most=1)
    scenario = store.scenario(answer.plan.id)  # not of `ref`: `last` may be another by now
    profiles = [store.profile(key) for key in scenario.profiles]
    return Compared(
        answer=answer,
        question=scenario.question,
        workload=scenario.workload,
        prices=tuple(sorted(prices_by_gpu(profiles).items())),
        provenance=store.provenance(answer.plan.id),
        given=was_given(store, answer.plan.id),
        note=store.row(answer.plan.id).note,
    )


def _filed(path: str) -> Compared:
    plan = read_plan(path)
    asked = plan.inputs
    return Compared(
        answer=plan.answer,
        question=asked.question,
        workload=asked.workload,
        prices=asked.prices,
        given=asked.given,
        provenance=asked.provenance,
        file=path,
    )


def changes_between(store: Store, refs: tuple[str, str]) -> tuple[Change, ...]:
    """Return what the second of two plans rests on that the first did not, each a stored one or that of a file.

    Raises InputError when there is no such plan.
    """
    filed = [is_plan_file(ref) for ref in refs]
    if not any(filed):
        old, new = (KeptPlan.of(store, ref, most=1) for ref in refs)
        return tuple(between(old.scenario, new.scenario, old.profiles, new.profiles))
    plans = [read_plan(ref) if there else None for ref, there in zip(refs, filed, strict=True)]
    before, after = (
        (inputs_of(store, ref), store.plan(ref, most=1).plan.engine_version)
        if plan is None
        else (plan.inputs, plan.answer.plan.engine_version)
        for ref, plan in zip(refs, plans, strict=True)
    )
    return tuple(between_inputs(before[0], after[0], (before[1], after[1])))


def spread_of(store: Store, plan: Compared) -> Spread | None:
    """Return how a plan's proof has seen its requests; None where no simulation has."""
    seen = None if plan.fleet is None else plan.fleet.simulation
    if plan.fleet is None or seen is None or seen.seed is None:
        return None
    runs = store.replications(plan.fleet.candidate, seen.seed, histograms=True)
    return spread(runs[: seen.replications])
