"""What makes one kept plan differ from another: its inputs applied to the other one at a time, by formula.

The formulas are corrected by what the plans' simulations showed; of a single input nothing is left to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
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
from fleettui.planning.proven_points import Anchors
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.studies.causes import CATALOGUE, FLEET, LENGTHS, Alone, Causes, causes_study, parts_of

if TYPE_CHECKING:
    from store import Store


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


def _behind_its_own(question: Question, profile: Profile) -> Profile:
    """Return a profile with its fit's front end, or the engine's, in the place of what the question types of it."""
    fit, engine = question.fit_of(profile), catalog.engine(question.engine).front_end
    request = engine.request if fit is None or fit.front_end is None else fit.front_end
    return replace(
        profile,
        front_end=profile.front_end if question.front_end is None else request,
        api_token=profile.api_token if question.api_token is None else engine.output_token,
    )


async def causes(desk: StudyContext, old: str, new: str) -> Study:
    """Return what each input of the plan `new` does to the plan `old`; one that is kept already is that.

    Where one input alone differs between two simulated plans, it made all the difference that they are proven to have.
    Else all is by formula, with today's engine, as the simulations of both plans correct it: what another engine made
    of the plans, or a simulation beyond that, is a cause of its own. Raises InputError when there is no such plan, or
    one is not finished.
    """
    before, after = sides = Side.of(desk.store, old), Side.of(desk.store, new)
    asked = f"diff {before.handle} {after.handle}"
    for known in desk.store.studies(200, after.id, kind="causes"):
        if known.question == asked and known.engine_version == ENGINE_VERSION:
            return known
    labels, proven = differing(before, after), _proven(sides)
    if proven is not None and len(labels) == 1 and _proof(before.question) == _proof(after.question):
        base, whole = proven
        alone = [whole]
    else:
        anchors = () if proven is None else merged(chain(*map(anchors_by_replica, sides)))
        corners = [frozenset[str](), *(frozenset({label}) for label in labels), frozenset(labels)]
        work = (_answer(desk, sides, corner, anchors) for corner in corners)
        base, *alone, whole = await desk.each(work, "applying one input at a time")
    return causes_study(
        Causes(
            asked=asked,
            old=before.answer,
            new=after.answer,
            questions=(before.question, after.question),
            given=(before.fleet, after.fleet),
            prices=(prices_by_gpu(before.profiles), prices_by_gpu(after.profiles)),
            anew=(base, whole),
            alone=tuple(Alone(label=label, outcome=one) for label, one in zip(labels, alone, strict=True)),
            corrected=proven is not None,
        )
    )


def _proven(sides: tuple[Side, Side]) -> tuple[Outcome, Outcome] | None:
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
    given = old.fleet is not None or new.fleet is not None
    parts = [
        name
        for name, own in parts_of(given=given).items()
        if name != FLEET and _fields(old.question, own) != _fields(new.question, own)
    ]
    if old.fleet != new.fleet:
        parts.append(FLEET)
    if old.scenario.workload != new.scenario.workload and LENGTHS not in parts:
        parts.append(LENGTHS)
    one, other = (side.hardware(_typed((old, new))) for side in (old, new))
    if any(one[key] != other[key] for key in one.keys() & other.keys()):
        parts.append(CATALOGUE)
    return parts


def mixed(old: Question, new: Question, labels: frozenset[str], *, given: bool = False) -> Question:
    """Return the old question with the parts `labels` of the new one, a fleet being `given` to one of them or not.

    Raises InputError where they do not fit.
    """
    parts = parts_of(given=given)
    taken = {name: getattr(new, name) for label in labels for name in parts.get(label, ())}
    return replace(old, verify=False, name="", **taken)


def _typed(sides: tuple[Side, Side]) -> set[str]:
    """Return the GPUs whose prices somebody wrote."""
    return {gpu for side in sides for gpu, _ in side.question.prices}


def _fields(question: Question, names: Iterable[str]) -> tuple[Any, ...]:
    return tuple(getattr(question, name) for name in names)


async def _answer(desk: StudyContext, sides: tuple[Side, Side], labels: frozenset[str], anchors: Anchors) -> Outcome:
    """Return what the formulas, corrected by `anchors`, answer to the old plan with the parts `labels` of the new."""
    old, new = sides
    try:
        given = old.fleet is not None or new.fleet is not None
        question = mixed(old.question, new.question, labels, given=given)
    except InputError as refusal:
        return Outcome.refused(refusal)
    hardware = (new, old) if CATALOGUE in labels else (old, new)
    inputs = FormulaInputs(
        question=question,
        workload=(new if LENGTHS in labels else old).workload,
        fleet=(new if FLEET in labels else old).fleet,
        profiles=tuple(one for side in hardware for one in side.profiles),
        anchors=anchors,
    )
    return await desk.run("kept_answer", Outcome, inputs=inputs, typed=sorted(_typed(sides)))
