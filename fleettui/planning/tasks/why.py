"""The task `why`: the reasons behind a kept plan's numbers, worked out anew from what the store holds of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import UNKNOWN_PAIRING, Answer, Candidate, Look
from fleettui.domain.reasons import Reasons
from fleettui.domain.scenario import SERVER_FIELDS, Question
from fleettui.domain.seen_fleets import by_replica, with_unseen
from fleettui.domain.wish import unmet
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.kept_offers import KeptOffers
from fleettui.optimize.offers import Anchors
from fleettui.optimize.reasons import all_reasons
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.resize import resize
from fleettui.planning.anchors import simulated_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import known_by
from fleettui.planning.tasks.finer_splits import divided_near
from fleettui.planning.tasks.plan import answer_case, costliest
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.planning.tasks.simulation_inputs import Scene, profile_of, read
from fleettui.planning.tasks.sure_fleet import sized_shapes
from fleettui.planning.tasks.workload_slices import Case

SERVER = ("model", *SERVER_FIELDS)
REPLICA = ("tp", "dtype", *SERVER)
HARDWARE = ("gpus", *REPLICA)
"""The fields of a question on which its profiles depend, prices aside: REPLICA on each GPU, SERVER all alike."""


def run(
    context: Context,
    *,
    question: Question,
    kept: Answer,
    workload: Workload,
    profiles: tuple[Profile, ...],
    looks: tuple[Look, ...],
    searched: bool,
    decided: Reasons | None = None,
) -> Reasons:
    """Explain a `kept` plan of `question`, `workload` and `profiles`; `searched` unless somebody wrote it down.

    `looks` are what its studies simulated. What is `decided` by them is worked out, as `deciding` does it, where it is
    not given.
    """
    ground, longest = _ground(context, question=question, kept=kept, workload=workload, profiles=profiles, looks=looks)
    found = all_reasons.reasons(ground, context=longest, searched=searched, note=context.progress, decided=decided)
    return Reasons(sentences=_by_a_wish(kept)) + found + Reasons(warnings=tuple(_caveats(question, kept)))


def deciding(
    context: Context,
    *,
    question: Question,
    kept: Answer,
    workload: Workload,
    profiles: tuple[Profile, ...],
    looks: tuple[Look, ...],
    searched: bool,
) -> Reasons:
    """Return those reasons alone that name fleets to prove."""
    ground, _ = _ground(context, question=question, kept=kept, workload=workload, profiles=profiles, looks=looks)
    return all_reasons.deciding(ground, searched=searched, note=context.progress)


def _ground(
    context: Context,
    *,
    question: Question,
    kept: Answer,
    workload: Workload,
    profiles: tuple[Profile, ...],
    looks: tuple[Look, ...],
) -> tuple[Ground, int]:
    """Return what reasons are worked out from, with the longest request served, in tokens."""
    context.progress("reading the lengths")
    question = with_record(question, workload)
    cases, longest = read(question, workload)
    searched_gpus = {
        one.gpu for one in profiles
    }  # what other GPUs would do was simulated, too, where none of these did
    simulated = (*simulated_of(kept), *at_rate(looks, kept.demand.rate))
    seen = [one for one in simulated if one.fleet.gpus_by_type.keys() <= searched_gpus]
    desk = FormulaAsker(
        question=question,
        workload=workload,
        profiles=profiles,
        pairings=() if kept.answer is None else (kept.demand.pairing,),
        rate=None if kept.answer is None else kept.demand.rate,
        check=context.check,
        anchors=by_replica(seen, question, kept.demand.rate),
    )
    case = next((one for one in cases if one.pairing == kept.demand.pairing), cases[0])
    ground = Ground(
        question=question,
        kept=kept,
        profiles=desk.profiles,
        find=desk.find,
        alone=desk.alone,
        fix=lambda fleet, sizes: desk.fix(fleet, sizes, case, kept.demand.rate, longest),
        drop=desk.drop,
        proofs={one.fleet: one for one in reversed(seen)},
        sized=None if question.confidence is None else lambda: desk.sized(case, kept.demand.rate, longest),
        finer=None if question.splits else lambda near: desk.finer(near, case, kept.demand.rate, longest),
    )
    return replace(ground, hopeful=_hopeful(ground, desk)), longest


def _hopeful(ground: Ground, desk: FormulaAsker) -> Ground | None:
    """Return the ground of fleets that may hold, where the formulas err little on replicas that were not seen."""
    anchors = with_unseen(desk.anchors, (one.replica_key for one in desk.profiles))
    if not anchors or ground.sized is not None:
        return None
    in_hope = desk.knowing(anchors)
    return replace(ground, find=in_hope.find, alone=in_hope.alone)


def at_rate(looks: Sequence[Look], rate: float) -> list[Candidate]:
    """Return the fleets that were looked at, at a rate in requests/s."""
    return [one.candidate for one in looks if one.rate == rate]


def _by_a_wish(kept: Answer) -> tuple[str, ...]:
    """Return that a plan fails since no fleet is as sure as was wished, nothing for any other."""
    return tuple(f"it fails by what was wished: {one}" for one in kept.why if unmet((one,)))


def _caveats(question: Question, kept: Answer) -> list[str]:
    """Return what all reasons of an answer rest on, with what it changes."""
    if kept.answer is None:
        return []
    found = [one for one in kept.warnings if one.startswith(UNKNOWN_PAIRING)]
    if question.confidence is not None:
        wished, passes = f"{100 * question.confidence:.3g}% sure", kept.verdict == "pass"
        sized = f"the plan is sized to be {wished}" if passes else f"the plan was to be {wished}"
        found.append(f"{sized}; all here but prices is at the step times predicted")
    if question.demand.form == "concurrency":
        found.append(f"all at this fleet's {kept.demand.rate:.4g}/s; a closed loop sends another its own: f plans it")
    return found


@dataclass(slots=True, kw_only=True)
class FormulaAsker:
    """Asks the formulas about the kept workload: for other questions, and for fleets at other sizes.

    `pairings` are those that a question is answered for, all where it is empty: then the costliest counts. Where
    `rate` is given, requests per second, it stands for a closed loop, whose fleets would each drive another. `check` is
    called before each search and may raise Interrupted. Searches are corrected by what simulations showed of replicas,
    the `anchors`.
    """

    question: Question
    workload: Workload
    profiles: tuple[Profile, ...]
    pairings: tuple[str, ...]
    rate: float | None
    check: Callable[[], None]
    anchors: Anchors = field(default_factory=dict)
    _answers: dict[Question, Answer] = field(default_factory=dict)
    _best: dict[Question, Answer] = field(default_factory=dict)
    _sized: dict[str, KeptOffers] = field(default_factory=dict)

    def knowing(self, anchors: Anchors) -> FormulaAsker:
        """Return what asks the same where other `anchors` are known."""
        return FormulaAsker(
            question=self.question,
            workload=self.workload,
            profiles=self.profiles,
            pairings=self.pairings,
            rate=self.rate,
            check=self.check,
            anchors=anchors,
        )

    def find(self, asked: Question) -> Answer:
        """Return the formulas' answer to a question; each is worked out once."""
        if asked not in self._answers:
            self._answers[asked] = self._answer(asked, alone=False)
        return self._answers[asked]

    def alone(self, asked: Question) -> Answer:
        """Return the same with its best fleet alone, which takes a part of the time where only prices are others."""
        if asked in self._answers:
            return self._answers[asked]
        if asked not in self._best:
            self._best[asked] = self._answer(asked, alone=True)
        return self._best[asked]

    def _answer(self, asked: Question, *, alone: bool) -> Answer:
        self.check()
        cases, context = read(asked, self.workload)
        wanted = [case for case in cases if case.pairing in self.pairings] or cases
        profiles, driven = self._serving(asked), asked
        if asked.demand.form == "concurrency" and self.rate is not None:
            driven = replace(asked, demand=Demand(form="rate", rate=self.rate), ranges=())
        sized = [self._sized.setdefault(one.pairing, KeptOffers(self.anchors)) if alone else None for one in wanted]
        return costliest(
            [
                answer_case(driven, case, profiles, context, anchors=self.anchors, alone=kept)
                for case, kept in zip(wanted, sized, strict=True)
            ]
        )

    def drop(self, asked: Question) -> float:
        """Return the share of the requests that a question leaves out, for any pairing; 1 where none is left."""
        try:
            return max(case.dropped for case in read(asked, self.workload)[0])
        except InputError:
            return 1.0

    def fix(self, fleet: Fleet, sizes: Sequence[int], case: Case, rate: float, context: int) -> ScoredFleet:
        """Return what the formulas say of a fleet at other sizes, at the kept plan's rate."""
        self.check()
        known = {one.replica_key: one for one in self.profiles}
        profiles = [known.get(pool.replica_key) or profile_of(pool, self.question) for pool in fleet.pools]
        slices = case.at(rate)
        return resize(
            fleet, sizes, question=self.question, profiles=profiles, slices=slices, context=context, ranged=False
        )

    def sized(self, case: Case, rate: float, context: int) -> Sequence[Candidate]:
        """Return the shapes of fleets that the formulas find, each at the sizes that are as sure as is wished."""
        scene = self._scene(case, rate, context)
        return [*sized_shapes(self.find(scene.question), scene, known_by(self.anchors))]

    def finer(self, near: Sequence[Candidate], case: Case, rate: float, context: int) -> Sequence[Candidate]:
        """Return the fleets that hold by formula and divide near where those of two pools `near` do."""
        self.check()
        return divided_near(self._scene(case, rate, context), near, self.anchors)

    def _scene(self, case: Case, rate: float, context: int) -> Scene:
        """Return what is asked of fleets, whatever these cost."""
        free = replace(self.question, budget=None)
        return Scene(question=free, case=case, rate=rate, context=context, profiles=self.profiles)

    def _serving(self, asked: Question) -> tuple[Profile, ...]:
        """Return the kept profiles at the question's prices, or those of the catalogue for other hardware."""
        if self._is_alike(asked, HARDWARE) and all(one.serves(asked.max_num_seqs) for one in self.profiles):
            return _priced(self.profiles, asked)
        chosen = [one for one in self.profiles if one.gpu in asked.gpus and one.serves(asked.max_num_seqs)]
        if chosen and self._is_alike(asked, REPLICA) and {one.gpu for one in chosen} == set(asked.gpus):
            return _priced(chosen, asked)
        narrower = [one for one in self.profiles if _is_asked(one, asked)]
        if narrower and self._is_alike(asked, SERVER) and asked.gpus and asked.tp and asked.dtype != "auto":
            return _priced(narrower, asked)
        return profiles_of(asked, catalog.model(asked.model))

    def _is_alike(self, asked: Question, names: Sequence[str]) -> bool:
        return all(getattr(asked, name) == getattr(self.question, name) for name in names)


def _priced(profiles: Sequence[Profile], asked: Question) -> tuple[Profile, ...]:
    prices = dict(asked.prices)
    return tuple(replace(one, price_per_hour=prices.get(one.gpu, one.price_per_hour)) for one in profiles)


def _is_asked(profile: Profile, asked: Question) -> bool:
    shape = (
        profile.gpu in asked.gpus and profile.tp in asked.tp and profile.pp in asked.pp and profile.dtype == asked.dtype
    )
    cache = asked.kv_dtype in (None, profile.kv_dtype)
    experts = asked.parallel is not None or asked.expert_parallel == profile.expert_parallel
    return shape and cache and experts and profile.serves(asked.max_num_seqs)
