"""What makes one kept plan differ from another: its inputs applied to the other one at a time.

Between simulated plans each is simulated, too; else it is by formula, which simulations correct where there are some.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import ENGINE_VERSION
from fleettui.domain.plan_inputs import prices_by_gpu
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import merged
from fleettui.domain.study import Study
from fleettui.domain.whatif import Outcome, Point
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning.anchors import anchors_by_replica, as_known
from fleettui.planning.kept_inputs import FormulaInputs, key_of, was_given
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.proven_outcome import proven_outcome
from fleettui.planning.proven_points import Anchors
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.studies.causes import (
    CATALOGUE,
    FLEET,
    GPUS,
    LENGTHS,
    Alone,
    Causes,
    by_owner,
    causes_study,
    own_priced,
    parts_of,
)

if TYPE_CHECKING:
    from store import Store

MOST_PROVEN = 6
"""Questions that are simulated at most, with one input or several of the new plan: each takes what a plan does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(KeptPlan):
    """A finished plan; `fleet` is the one that somebody wrote down, None where one was searched for."""

    fleet: Fleet | None = None

    @classmethod
    def of(cls, store: Store, ref: str, most: int | None = None) -> Side:
        """Return the stored plan that `ref` names; raises InputError when there is none, or it is not finished.

        What its question types of the front end is no hardware's: its profiles have the engine's own.
        """
        found = super(Side, cls).of(store, ref, most)  # a class with slots is made twice
        found.check_finished()
        if (found.question.front_end, found.question.api_token) != (None, None):
            found = replace(found, profiles=tuple(_behind_its_own(found.question, one) for one in found.profiles))
        best = found.answer.answer
        given = best is not None and was_given(store, found.id)
        return replace(found, fleet=best.fleet) if best is not None and given else found

    def hardware(self, typed: Collection[str]) -> dict[tuple[object, ...], Profile]:
        """The kept figures by what they are of, without where they are from and the prices of the GPUs `typed`."""
        return {
            key_of(one): replace(
                one,
                price_per_hour=0.0 if one.gpu in typed else one.price_per_hour,
                price_note="",
                citations=(),
                memory=(),
            )
            for one in self.profiles
        }


Sides = tuple[Side, Side]
"""The old plan, and the new one."""
Reached = tuple[Outcome, ...]
"""What the old plan comes to with none of the new one's inputs, with the first, with the first two, up to all."""


def _behind_its_own(question: Question, profile: Profile) -> Profile:
    """Return a profile with its fit's front end, or the engine's, in the place of what the question types of it."""
    fit, engine = question.fit_of(profile), catalog.engine(question.engine).front_end
    request = engine.request if fit is None or fit.front_end is None else fit.front_end
    return replace(
        profile,
        front_end=profile.front_end if question.front_end is None else request,
        api_token=profile.api_token if question.api_token is None else engine.output_token,
    )


async def causes(desk: StudyContext, old: str, new: str, *, verify: bool = True) -> Study:
    """Return what each input of the plan `new` does to the plan `old`; one that is kept already is that.

    Where one input alone differs between two simulated plans, it made all the difference that they are proven to have.
    Of several the old plan is planned and simulated with each alone and with one after another, unless not to `verify`.
    Else all is by formula, with today's engine, as the simulations of both plans correct it: what another engine made
    of the plans, or a simulation beyond that, is a cause of its own. Raises InputError when there is no such plan, or
    one is not finished.
    """
    before, after = sides = Side.of(desk.store, old), Side.of(desk.store, new)
    asked = f"diff {before.handle} {after.handle}{'' if verify else ' --no-verify'}"
    for known in desk.store.studies(200, after.id, kind="causes"):
        if known.question == asked and known.engine_version == ENGINE_VERSION:
            return known
    labels, proven = differing(before, after), _proven(sides)
    alone: tuple[Alone, ...]
    anew, reached = proven, Reached()
    alike = _proof(before.question) == _proof(after.question)
    if anew is not None and alike and len(labels) == 1:
        alone = (Alone(label=labels[0], outcome=anew[1]),)
    elif anew is not None and alike and verify:
        alone, reached = await _each_proven(desk, sides, labels, anew, asked)
    else:
        alone, reached = await _each_by_formula(desk, sides, labels, corrected=proven is not None)
        anew = reached[0], reached[-1]
    return causes_study(
        Causes(
            asked=asked,
            old=before.answer,
            new=after.answer,
            questions=(before.question, after.question),
            given=(before.fleet, after.fleet),
            prices=(prices_by_gpu(before.profiles), prices_by_gpu(after.profiles)),
            anew=anew,
            alone=alone,
            chain=reached,
            corrected=proven is not None,
        )
    )


async def _each_by_formula(
    desk: StudyContext, sides: Sides, labels: Sequence[str], *, corrected: bool
) -> tuple[tuple[Alone, ...], Reached]:
    """Return what the formulas say of the old plan with each part of the new one alone, and with one after another.

    Where simulations correct them, their fleets are of the GPUs of the plans' proven answers: what is of others, which
    the plans set aside or saw fail, is beside neither.
    """
    anchors = merged(chain(*map(anchors_by_replica, sides))) if corrected else ()
    gpus = _answered_with(sides) if corrected else ()
    alone = [frozenset({label}) for label in labels]
    corners = list(dict.fromkeys((*alone, *_in_turn(labels))))
    asked = (_inputs(sides, corner, anchors, gpus=gpus) for corner in corners)
    work = (_answer(desk, sides, inputs) for inputs in asked)
    found = dict(zip(corners, await desk.each(work, "applying one input at a time"), strict=True))
    each = tuple(Alone(label=label, outcome=found[one]) for label, one in zip(labels, alone, strict=True))
    return each, tuple(found[corner] for corner in _in_turn(labels))


def _answered_with(sides: Sides) -> tuple[str, ...]:
    """Return the GPU types of both plans' answers."""
    best = (side.answer.answer for side in sides)
    return tuple(sorted({gpu for one in best if one is not None for gpu in one.fleet.gpus_by_type}))


def _in_turn(labels: Sequence[str]) -> list[frozenset[str]]:
    """Return none of the labels, the first, the first two and so on, up to all."""
    return [frozenset(labels[:taken]) for taken in range(len(labels) + 1)]


async def _each_proven(
    desk: StudyContext, sides: Sides, labels: Sequence[str], proven: tuple[Outcome, Outcome], asked: str
) -> tuple[tuple[Alone, ...], Reached]:
    """Return what the old plan comes to with each part of the new one alone, and with one after another, simulated.

    Beyond MOST_PROVEN questions those with one after another stay by formula, and of those with one alone the ones that
    add or save least by formula.
    """
    told, wanted = dict[str, Alone](), list(labels)
    between = _in_turn(labels)[2:-1]
    reached: Reached = ()
    if len(labels) + len(between) > MOST_PROVEN:
        by_formula, reached = await _each_by_formula(desk, sides, labels, corrected=True)
        told = {one.label: replace(one, beside=reached[0]) for one in by_formula}
        wanted = sorted(labels, key=lambda label: -_moved(reached[0], told[label].outcome))[:MOST_PROVEN]
        between = []
    corners = [*(frozenset({label}) for label in wanted), *between]
    desk.go_on([asked, *(one.id for one in sides)])
    found = dict[frozenset[str], Outcome]()
    for number, corner in enumerate(corners, 1):
        name = ", ".join(label for label in labels if label in corner)
        inputs = _inputs(sides, corner, (), verify=True)
        words = f"{name} {'alone' if len(corner) == 1 else 'together'} ({number} of {len(corners)})"
        found[corner] = await desk.once(name, Outcome, partial(_outcome_of, desk, sides, inputs, words))
    told |= {label: Alone(label=label, outcome=found[frozenset({label})]) for label in wanted}
    before, after = proven
    reached = reached or (before, *(found[corner] for corner in _in_turn(labels)[1:-1]), after)
    return tuple(told[label] for label in labels), reached


def _moved(base: Outcome, one: Outcome) -> float:
    """Return by how many dollars an hour an outcome differs from another, without end where it has no fleet."""
    return math.inf if base.cost is None or one.cost is None else abs(one.cost - base.cost)


def _proven(sides: Sides) -> tuple[Outcome, Outcome] | None:
    """Return what simulation showed of both plans, None where one is by formula or of another engine."""
    if any(one.answer.plan.engine_version != ENGINE_VERSION for one in sides):
        return None
    before, after = (as_known(one, Point(values=(), question=one.question)) for one in sides)
    return None if before is None or after is None else (before, after)


def _proof(question: Question) -> tuple[object, ...]:
    """Return how a question wishes its answer proven."""
    return question.seed, question.precision


def differing(old: Side, new: Side) -> list[str]:
    """Return what the plans' answers may differ by, in the order of a question: parts of it, lengths, hardware."""
    sides = old, new
    asked = [by_owner(side.question, _own_priced(sides))[1] for side in sides]
    parts = [
        name
        for name, own in _parts(sides).items()
        if name != FLEET and _fields(asked[0], own) != _fields(asked[1], own)
    ]
    if old.fleet != new.fleet:
        parts.append(FLEET)
    if old.scenario.workload != new.scenario.workload and LENGTHS not in parts:
        parts.append(LENGTHS)
    one, other = (side.hardware(_typed(sides)) for side in sides)
    if any(one[key] != other[key] for key in one.keys() & other.keys()):
        parts.append(CATALOGUE)
    return parts


def _parts(sides: Sides) -> Mapping[str, tuple[str, ...]]:
    """Return the fields of each part of two plans' questions."""
    return parts_of(given=_given(sides))


def _given(sides: Sides) -> bool:
    return any(side.fleet is not None for side in sides)


def _own_priced(sides: Sides) -> frozenset[str]:
    """Return the GPUs whose typed prices come and go with them."""
    old, new = sides
    prices = prices_by_gpu(old.profiles), prices_by_gpu(new.profiles)
    return own_priced((old.question, new.question), prices, given=_given(sides))


def mixed(
    old: Question,
    new: Question,
    labels: frozenset[str],
    parts: Mapping[str, tuple[str, ...]],
    own: frozenset[str] = frozenset(),
    *,
    verify: bool = False,
) -> Question:
    """Return the old question with those of its `parts` that are `labels` as the new one has them.

    The prices of the GPUs `own` are those of the question from which the GPUs are. It asks for proof where it is to
    `verify`. Raises InputError where they do not fit.
    """
    taken = {name: getattr(new, name) for label in labels for name in parts.get(label, ())}
    found = replace(old, verify=verify, name="", **taken)
    theirs, _ = by_owner(new if labels & {GPUS, FLEET} else old, own)
    _, others = by_owner(found, own)
    return replace(found, prices=tuple(sorted((*theirs.prices, *others.prices))))


def _typed(sides: tuple[Side, Side]) -> set[str]:
    """Return the GPUs whose prices somebody wrote."""
    return {gpu for side in sides for gpu, _ in side.question.prices}


def _fields(question: Question, names: Iterable[str]) -> tuple[Any, ...]:
    return tuple(getattr(question, name) for name in names)


def _inputs(
    sides: Sides, labels: frozenset[str], anchors: Anchors, *, gpus: tuple[str, ...] = (), verify: bool = False
) -> FormulaInputs | InputError:
    """Return what is asked for the old plan with the parts `labels` of the new, the refusal where they do not fit.

    Its fleets are of the `gpus` alone where the question has any of these.
    """
    old, new = sides
    try:
        question = mixed(old.question, new.question, labels, _parts(sides), _own_priced(sides), verify=verify)
    except InputError as refusal:
        return refusal
    hardware = (new, old) if CATALOGUE in labels else (old, new)
    return FormulaInputs(
        question=question,
        workload=(new if LENGTHS in labels else old).workload,
        fleet=(new if FLEET in labels else old).fleet,
        profiles=tuple(one for side in hardware for one in side.profiles),
        anchors=anchors,
        gpus=gpus,
    )


async def _answer(desk: StudyContext, sides: Sides, inputs: FormulaInputs | InputError) -> Outcome:
    """Return what the formulas answer."""
    if isinstance(inputs, InputError):
        return Outcome.refused(inputs)
    return await desk.run("kept_answer", Outcome, inputs=inputs, typed=sorted(_typed(sides)))


async def _outcome_of(desk: StudyContext, sides: Sides, inputs: FormulaInputs | InputError, words: str) -> Outcome:
    """Return what a plan comes to that is made and simulated; progress is told after `words`."""
    if isinstance(inputs, InputError):
        return Outcome.refused(inputs)
    return await proven_outcome(desk, inputs, sorted(_typed(sides)), words)
