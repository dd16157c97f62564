"""A plan's JSON with what it rests on, and back from a file: a baseline that is kept in git and not in a store."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

from fleettui.domain.digest import digest
from fleettui.domain.plan import Answer
from fleettui.domain.plan_inputs import PlanInputs, Size, prices_by_gpu
from fleettui.domain.serialization import from_plain
from fleettui.errors import InputError
from fleettui.planning.kept_inputs import FinishedPlan, was_given
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.user_files import read_bytes
from fleettui.reports.input_changes import figures_of
from fleettui.reports.plan_json import SCHEMA, plan_json
from fleettui.reports.schema_two import NUMBER, schema_one

if TYPE_CHECKING:
    from store import Store

FILE_ENDS = (".json", ".yaml", ".yml")
"""How names of files end that are read where a plan is asked for; of these a question is refused as no plan."""
LARGEST = 20_000_000
"""Bytes that such a file may have."""
NOUN = "plan as data"
REMEDY = "fleettui show ID --json > plan.json writes one"


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledPlan:
    """A plan as its JSON tells it: its answer with no other candidate, and what that rests on."""

    answer: Answer
    inputs: PlanInputs


def inputs_of(store: Store, ref: str) -> PlanInputs:
    """Return what the plan that `ref` names rests on; raises InputError when there is none."""
    kept = KeptPlan.of(store, ref)
    formula = FinishedPlan.get(store, kept.id).formula if kept.finished else None
    by_gpu = groupby(sorted(kept.profiles, key=lambda one: one.gpu), key=lambda one: one.gpu)
    return PlanInputs(
        question=kept.question,
        workload=kept.scenario.workload,
        prices=tuple(sorted(prices_by_gpu(kept.profiles).items())),
        figures=tuple((gpu, digest(sorted(digest(figures_of(one)) for one in own))) for gpu, own in by_gpu),
        formula=Size.chosen(formula),
        given=was_given(store, kept.id),
        provenance=store.provenance(kept.id),
    )


def kept_json(store: Store, ref: str, command: str = "show") -> dict[str, Any]:
    """Return a kept plan as data, with what it rests on; raises InputError when there is none."""
    answer, inputs = store.plan(ref), inputs_of(store, ref)
    return plan_json(answer, command, inputs.question, inputs)


def is_plan_file(ref: str) -> bool:
    """Return whether `ref` is the path of a file, and no plan of the store.

    >>> is_plan_file("ops/plan.json"), is_plan_file("joint/chat"), is_plan_file("41a7")
    (True, False, False)
    """
    return ref.endswith(FILE_ENDS)


def read_plan(path: str) -> FiledPlan:
    """Return the plan that a file holds as `--json` printed it; raises InputError for another file."""
    plain = _read(path)
    inputs = plain.get("inputs")
    if inputs is None:
        raise InputError("this plan does not say what it rests on", where=path, remedy=f"{REMEDY} anew")
    names = {one.name for one in fields(Answer)} - {"candidates"}
    told = {name: value for name, value in plain.items() if name in names}
    try:
        answer = from_plain(Answer, {**told, "answer": _with_nan(told.get("answer"))})
        return FiledPlan(answer=answer, inputs=from_plain(PlanInputs, inputs))
    except (ValueError, TypeError) as error:
        raise _unreadable(path, error) from None
    except InputError as error:
        raise error.at(path) from None


def _read(path: str) -> dict[str, Any]:
    """Return the JSON object in a file that is a plan of a schema that is known."""
    try:
        plain = json.loads(read_bytes(path, NOUN, LARGEST))
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, error) from None
    if not isinstance(plain, dict) or not {"schema", "verdict", "plan", "answer", "demand"} <= plain.keys():
        raise InputError(f"this is no {NOUN}", where=path, remedy=REMEDY)
    if plain["schema"] not in (SCHEMA, NUMBER):
        known = f"{SCHEMA} or {NUMBER}"
        raise InputError(f"this is no {NOUN} of schema {known}", where=path, value=plain["schema"], remedy=REMEDY)
    return schema_one(plain) if plain["schema"] == NUMBER else plain


def _unreadable(path: str, error: Exception) -> InputError:
    where = f"{path} line {error.lineno}" if isinstance(error, json.JSONDecodeError) else path
    return InputError(f"this is no {NOUN}", where=where, remedy=REMEDY)


def _with_nan(candidate: Any) -> Any:
    """Return a candidate's JSON with NaN for the figures of pools that are undefined, which JSON has as null."""
    if not isinstance(candidate, dict) or not isinstance(candidate.get("pools"), list):
        return candidate
    pools = [
        {name: math.nan if value is None else value for name, value in one.items()} if isinstance(one, dict) else one
        for one in candidate["pools"]
    ]
    return {**candidate, "pools": pools}
