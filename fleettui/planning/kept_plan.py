"""A kept plan with all that it rests on, as the store holds it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from fleettui.domain.digest import digest
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.worth import worth_of
from fleettui.routing import ROUTERS, pools_meet

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """A kept plan with all that it rests on; `ref` is what it was called."""

    ref: str
    answer: Answer
    scenario: Scenario
    workload: Workload
    profiles: tuple[Profile, ...]
    finished: bool

    @classmethod
    def of(cls, store: Store, ref: str, most: int | None = None) -> Self:
        """Return the plan that `ref` names, with its first `most` candidates; raises InputError when there is none."""
        answer = store.plan(ref, most=most)
        scenario = store.scenario(answer.plan.id)  # not of `ref`: `last` may be another by now
        return cls(
            ref=ref,
            answer=answer,
            scenario=scenario,
            workload=store.workload(scenario.workload),
            profiles=_profiles(store, scenario),
            finished=store.is_finished(answer.plan.id),
        )

    @classmethod
    def of_new(cls, new: NewPlan, answer: Answer) -> Self:
        """Return a plan that is not kept yet, with an answer to it, as if it were: its scenario tells it apart."""
        identity = replace(answer.plan, id=digest(new.scenario), seed=new.scenario.question.seed)
        return cls(
            ref="",
            answer=replace(answer, plan=identity),
            scenario=new.scenario,
            workload=new.workload,
            profiles=new.profiles,
            finished=True,
        )

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.scenario.question

    @property
    def id(self) -> str:
        """What it is called in the store."""
        return self.answer.plan.id

    @property
    def handle(self) -> str:
        """What people type to get the plan."""
        return self.answer.plan.handle

    @property
    def at_nominal_speed(self) -> Self:
        """The plan as it is without a wish to be sure, itself where none is: what is not sized for it stands beside it.

        Its fleet is the best that holds at the step times predicted, of those that were simulated if any does.
        """
        question, answer = self.question, self.answer
        if question.confidence is None:
            return self
        known = [one for one in (answer.answer, *answer.candidates) if one is not None and one.may_hold]
        proven = [one for one in known if one.simulation is not None and one.simulation.verdict == "pass"]
        worth = worth_of(question.objective, question.host_power)
        best = min(proven or known, key=worth, default=answer.answer)
        return replace(
            self,
            scenario=replace(self.scenario, question=replace(question, confidence=None)),
            answer=replace(answer, answer=best, verdict="pass" if proven else answer.verdict, confidence=None),
        )

    def source(self, key: str, profiles: tuple[Profile, ...] = ()) -> SceneSource:
        """Return what a task is given to score fleets under the plan's question, at its rate, on these `profiles`."""
        return SceneSource.of(self.question, self.workload, self.answer.demand, key, profiles)

    def fleet_for(self, what: str) -> Candidate:
        """Return the plan's answer; raises InputError with `what` there is nothing to do where it found no fleet."""
        if self.answer.answer is None:
            raise InputError(
                f"the plan found no fleet, so there is nothing {what}",
                value=self.ref,
                remedy=f"fleettui show {self.handle} says what would make it feasible",
            )
        return self.answer.answer

    def finished_fleet(self, what: str, *, paper: str) -> Candidate:
        """Return the answer of a finished plan: one that is still being proven may have another yet.

        Raises InputError as `fleet_for` does, and with what a plan of the `paper` preset lacks.
        """
        self.check_no_paper(paper)
        self.check_finished()
        return self.fleet_for(what)

    def fleet_to_play(
        self,
        what: str,
        *,
        paper: str,
        closed: str,
        bounded: tuple[str] | tuple[str, str] | None,
        apart: str,
        times: str | None,
        prefixes: bool = False,
    ) -> Candidate:
        """Return the plan's answer where each of its pools can be played by itself, over other traffic than its own.

        Raises InputError for what cannot, with what comes of it: the `paper` preset, a `closed` loop, requests that are
        `bounded` (and what to do instead), pools that are not `apart`, and a recorded stream, which has `times` of its
        own, unless that is None. Where `bounded` is None those that play it know bounds.
        Where those that play it know `prefixes`, replicas may keep these.
        """
        best = self.finished_fleet(what, paper=paper)
        self.check_open_loop(closed)
        self.check_no_sessions() if prefixes else self.check_no_prefix_cache()
        self.check_no_features()
        if bounded is not None:
            self.check_unbounded(*bounded)
        self.check_one_class()
        self.check_pools_apart(best.fleet, apart)
        if self.question.arrivals == "replay" and times is not None:
            raise InputError(
                f"a recorded stream has its own {times}",
                value=self.ref,
                accepted="a plan with --arrivals poisson, bursty, gamma or weibull",
            )
        self.question.slo.require_a_limit()
        return best

    def check_open_loop(self, what: str) -> None:
        """Raise InputError with `what` comes of it for a plan of clients that wait for their answers."""
        if self.question.demand.form == "concurrency":
            raise InputError(
                f"a closed loop's clients wait for their answers, so that {what}",
                where=f"plan {self.handle}",
                remedy="plan with --rate",
            )

    def check_pools_apart(self, fleet: Fleet, what: str) -> None:
        """Raise InputError with `what` comes of it for a fleet whose router sends requests of one pool to another."""
        if self.question.length_error and len(fleet.pools) > 1:
            raise InputError(
                f"router {fleet.router} guesses lengths, so that some requests pass two pools, and {what}",
                where=f"plan {self.handle}: length-error",
                remedy="plan without --length-error",
            )
        if pools_meet(fleet.router, len(fleet.pools)):
            raise InputError(
                f"router {fleet.router} sends between pools, and {what}",
                where=f"plan {self.handle}: router",
                value=fleet.router,
                remedy=f"plan with --router {ROUTERS.default.name}",
            )

    def check_unbounded(self, what: str, remedy: str = "plan without them") -> None:
        """Raise InputError with `what` comes of it for a plan that turns requests away or lets clients leave."""
        if self.question.bounds.any:
            raise InputError(
                f"the plan bounds how long requests stay, and {what}",
                where=f"plan {self.handle}: queue-limit, client-timeout",
                remedy=remedy,
            )

    def check_no_drafts(self) -> None:
        """Raise InputError for a plan whose steps verify drafts, which are not modelled where prefill stands apart."""
        pools = () if self.answer.answer is None else self.answer.answer.fleet.pools
        said = next((pool.speculative for pool in pools if pool.speculative), self.question.speculative)
        if said:
            raise InputError(
                "the plan's steps verify drafts, which is not modelled where prefill and decode are apart",
                where=f"plan {self.handle}: speculative",
                value=said,
                remedy="plan without it",
            )

    def check_no_features(self) -> None:
        """Raise InputError for a plan whose engine has what only its own simulation has: caches that move out, more."""
        if self.question.kv_offload:
            raise InputError(
                "the plan moves out the cache of preempted sequences, and here they compute it again",
                where=f"plan {self.handle}: kv-offload",
                value=self.question.kv_offload,
                remedy="plan without --kv-offload",
            )
        for feature, said in self.question.features.said():
            raise InputError(
                f"the plan's engine has {feature.name} {said}, and here it has none",
                where=f"plan {self.handle}: {feature.name}",
                value=said,
                remedy=f"plan without {feature.option}",
            )

    def check_no_prefix_cache(self) -> None:
        """Raise InputError for a plan of sessions or of kept prefixes, which only its own simulation has."""
        self.check_no_sessions()
        if self.question.prefix_cache:
            raise InputError(
                "the plan's replicas keep prefixes, and here none do",
                where=f"plan {self.handle}: prefix-cache",
                remedy="plan with the share of hits that its simulation found: --prefix-hit 40%",
            )

    def check_no_sessions(self) -> None:
        """Raise InputError for a plan of sessions."""
        if self.question.sessions:
            raise InputError(
                "the plan's requests come in sessions, and here each comes by itself",
                where=f"plan {self.handle}: sessions",
                remedy="plan without --sessions, with the share of hits that its simulation found: --prefix-hit 40%",
            )

    def check_one_class(self) -> None:
        """Raise InputError for a plan with requests of class batch: only a plan's own simulation knows classes."""
        if self.question.batch_share is not None:
            raise InputError(
                "some of the plan's requests wait behind the others, and here all are of one class",
                where=f"plan {self.handle}: batch-share",
                remedy="plan without --batch-share, and without limits of class batch",
            )

    def check_paged(self, why: str) -> None:
        """Raise InputError with `why` for a plan whose engine keeps blocks for whole contexts."""
        from fleettui.scheduling import SCHEDULERS

        best = self.answer.answer
        if best is not None and SCHEDULERS.named(best.fleet.admission).reserves:
            raise InputError(
                f"the plan's engine keeps blocks for whole contexts, and {why}",
                where=f"plan {self.handle}: admission",
                value=best.fleet.admission,
                remedy=f"plan with --admission {SCHEDULERS.default.name}",
            )

    def check_no_paper(self, what: str) -> None:
        """Raise InputError with `what` it lacks for a plan of the papers' preset."""
        if self.question.preset == "paper":
            raise InputError(
                f"a plan with the papers' constants {what}", value=self.ref, accepted="a plan of preset recommended"
            )

    def check_finished(self) -> None:
        """Raise InputError for a plan that is still being proven."""
        if not self.finished:
            raise InputError(
                "it is not finished, so its answer may still change",
                where=f"plan {self.handle}",
                remedy="fleettui jobs resume last goes on with it",
            )


def hardware_of(store: Store, ref: str) -> tuple[Profile, ...]:
    """Return the profiles that the plan called `ref` rests on; raises InputError when there is none."""
    return _profiles(store, store.scenario(ref))


def _profiles(store: Store, scenario: Scenario) -> tuple[Profile, ...]:
    return tuple(store.profile(key) for key in scenario.profiles)
