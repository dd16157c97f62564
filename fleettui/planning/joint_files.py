"""A joint plan's JSON with what its workloads rest on, and back from a file: a baseline that is kept in git."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.joint import Kind
from fleettui.domain.plan import Candidate
from fleettui.domain.plan_inputs import PlanInputs
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.study import JOINT, Study, StudyTable, plans_of
from fleettui.errors import InputError
from fleettui.planning.joint_diff import asked_alike
from fleettui.planning.joint_moved import Then
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.plan_files import LARGEST, inputs_of
from fleettui.planning.user_files import read_bytes
from fleettui.reports import input_changes
from fleettui.reports.joint_check import ByFormula, Total
from fleettui.reports.plan_json import SCHEMA
from fleettui.reports.study_text import study_json
from fleettui.reports.whole_nodes import in_nodes, is_in_nodes

if TYPE_CHECKING:
    from store import Store

NOUN = "joint plan as data"
REMEDY = "fleettui show ID --json > joint.json writes one"


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledJoint:
    """A joint plan as its JSON tells it: its study, its `formula`'s fleets, and what each workload's plan rests on.

    `fleets` are those of its workloads, of which files that were written before they were kept have none.
    """

    study: Study
    formula: ByFormula
    inputs: Mapping[str, PlanInputs]
    fleets: Mapping[str, Fleet]

    def then(self, file: str) -> Iterator[Then]:
        """Yield the fleet of each workload, of the `file` that it is read from."""
        for name, fleet in self.fleets.items():
            yield name, fleet, file

    def asked_otherwise(self, now: Mapping[str, PlanInputs], engine: int) -> Iterator[str]:
        """Yield what each workload that is there `now`, too, is asked for then and not now, or rests on otherwise."""
        engines = self.study.engine_version, engine
        for name, old in self.inputs.items():
            if name in now:
                for change in input_changes.between_inputs(*_alike(old, now[name]), engines):
                    yield f"{name}: {change.text}"


def _alike(old: PlanInputs, new: PlanInputs) -> tuple[PlanInputs, PlanInputs]:
    """Return the inputs of two workloads' plans without what others left for them."""
    pair = asked_alike(old.question, new.question)
    before, after = (replace(one, question=asked) for one, asked in zip((old, new), pair, strict=True))
    if [one.gpus for one in pair] == [old.question.gpus, new.question.gpus]:
        return before, after
    known = dict(old.figures).keys() & dict(new.figures).keys()
    return _among(before, known), _among(after, known)


def _among(inputs: PlanInputs, gpus: Collection[str]) -> PlanInputs:
    """Return what a plan rests on of these GPUs alone."""
    prices = tuple(one for one in inputs.prices if one[0] in gpus)
    return replace(inputs, prices=prices, figures=tuple(one for one in inputs.figures if one[0] in gpus))


def kept_joint_json(store: Store, study: Study, command: str = "show") -> dict[str, Any]:
    """Return a kept joint plan as data, with what its workloads' plans rest on."""
    rests_on = {
        "formula": formula_of(store, study),
        "workloads": inputs_of_each(store, study),
        "fleets": dict(_fleets(store, study)),
    }
    told: dict[str, Any] = to_plain(rests_on)
    return study_json(study, command) | told


def _fleets(store: Store, study: Study) -> Iterator[tuple[str, Fleet]]:
    """Yield the fleet of each workload of a kept joint plan that has one."""
    for name, handle in plans_of(study).items():
        best = store.plan(handle, most=1).answer
        if best is not None:
            yield name, best.fleet


def inputs_of_each(store: Store, study: Study) -> dict[str, PlanInputs]:
    """Return what each workload's plan of a kept joint plan rests on."""
    return {name: inputs_of(store, handle) for name, handle in plans_of(study).items()}


def formula_of(store: Store, study: Study) -> ByFormula:
    """Return a joint plan's fleets as the formulas chose them, before a simulation moved them."""
    plans = {name: FinishedPlan.get(store, handle, joint=(handle,)) for name, handle in plans_of(study).items()}
    fleets = {name: one.formula for name, one in plans.items() if one.formula is not None}
    paid = _paid(fleets.values(), plans.values()) if is_in_nodes(study) and fleets else None
    return ByFormula(fleets={name: (one.gpus, one.cost_per_hour) for name, one in fleets.items()}, paid=paid)


def _paid(fleets: Iterable[Candidate], plans: Iterable[FinishedPlan]) -> Total:
    """Return GPUs and US dollars an hour of the whole nodes that hold these fleets together, at the plans' prices."""
    used = Counter[str]()
    for one in fleets:
        used.update(one.fleet.gpus_by_type)
    profiles = {one.gpu: one for plan in plans for one in plan.profiles}
    kinds = [Kind(name=gpu, price=profiles[gpu].price_per_hour, per_node=profiles[gpu].gpus_per_node) for gpu in used]
    paid = in_nodes(used, kinds)
    return sum(paid.values()), math.fsum(kind.price * paid[kind.name] for kind in kinds)


def read_joint(path: str) -> FiledJoint:
    """Return the joint plan that a file holds as `show --json` printed it; raises InputError for another file."""
    try:
        plain = json.loads(read_bytes(path, NOUN, LARGEST))
    except (ValueError, RecursionError):
        raise InputError(f"this is no {NOUN}", where=path, remedy=REMEDY) from None
    if not isinstance(plain, dict) or plain.get("schema") != SCHEMA or _kind(plain) != JOINT:
        raise InputError(f"this is no {NOUN} of schema {SCHEMA}", where=path, remedy=REMEDY)
    if not {"formula", "workloads"} <= plain.keys():
        raise InputError("this joint plan does not say what it rests on", where=path, remedy=f"{REMEDY} anew")
    try:
        return FiledJoint(
            study=_study(plain),
            formula=from_plain(ByFormula, plain["formula"]),
            inputs=from_plain(dict[str, PlanInputs], plain["workloads"]),
            fleets=from_plain(dict[str, Fleet], plain.get("fleets", {})),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(f"this is no {NOUN}", where=path, remedy=REMEDY) from None
    except InputError as error:
        raise error.at(path) from None


def _kind(plain: Mapping[str, Any]) -> object:
    return plain["study"].get("kind") if isinstance(plain.get("study"), dict) else None


def _study(plain: Mapping[str, Any]) -> Study:
    """Return the study in its JSON, whose rows are by the names of their columns."""
    known = {one.name for one in fields(Study)} - {"plan", "looks"}
    told = {name: value for name, value in {**plain, **plain["study"]}.items() if name in known}
    tables = [{**one, "rows": [list(row.values()) for row in one["rows"]]} for one in plain["tables"]]
    return from_plain(Study, {**told, "tables": [_table(one) for one in tables]})


def _table(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain[name] for name in (one.name for one in fields(StudyTable)) if name in plain}
