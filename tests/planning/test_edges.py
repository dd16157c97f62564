"""Beyond a fleet's greatest rate only the pools that are why it does not hold are too small."""

from dataclasses import dataclass, field, replace
from typing import cast

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, Candidate, Look, PlanIdentity, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.stock import Greatest
from fleettui.planning.edges import Edges, failing
from fleettui.planning.overload import evidence_against
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.studies.subject import About
from tests.planning.simulated import Here
from tests.planning.trials import evidence, seen, shape


def test_a_pool_beside_one_whose_load_is_too_high_is_not_too_small() -> None:
    busy = evidence_against(
        shape(1, 14, work=[0.5, 11.9]),
        (0.5, 0.86),
        lambda one: one > 0.85,
        lambda pool, one: f"{pool} {one:g}",
        seed=1,
        precision=0.05,
    )
    assert failing(busy) == (False, True)


def test_a_pool_that_is_not_proven_is_too_small_where_none_fails() -> None:
    passes, open_, fails = (
        seen("short", (0.3, 0.4), "pass"),
        seen("long", (0.4, 0.6), "unproven"),
        seen("middle", (0.6, 0.7), "fail"),
    )
    assert failing(evidence("unproven", passes, open_)) == (False, True)
    assert failing(evidence("fail", passes, open_, fails)) == (False, False, True)


ASKED = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",), max_utilization=0.85)
SOURCE = SceneSource(key="made up", question=ASKED, workload="", profiles="", pairing="joint", rate=10.0)


@dataclass
class Desk:
    """What is kept with a plan, and what `others` simulated; nothing more is simulated."""

    before: tuple[Look, ...]
    others: tuple[Look, ...] = ()
    workers: Here = field(default_factory=Here)
    looks: list[Look] = field(default_factory=list)

    def own(self, plan: str) -> tuple[Look, ...]:
        assert plan == "plan"
        return self.before

    def known(self, plan: str) -> tuple[Look, ...]:
        return (*self.own(plan), *self.others, *self.looks)

    def took(self, look: Look) -> None:
        self.looks.append(look)

    def tell(self, words: str, done: int, wanted: int) -> None:
        raise AssertionError((words, done, wanted))


def fleet(replicas: int, verdict: Verdict) -> Candidate:
    """Return a fleet that is as busy at any size, at the rate at which it was simulated."""
    return replace(shape(replicas), evidence=evidence(verdict, seen("short", (0.3, 0.4), verdict)))


THREE = fleet(3, "pass")
BOUNDED = Look(rate=10.14, candidate=fleet(2, "fail"))


def edges_at(desk: Desk) -> Edges:
    """Return those of two replicas that hold 10/s."""
    own = fleet(2, "pass")
    plan = Answer(
        verdict="pass", plan=PlanIdentity(id="plan"), demand=DerivedDemand(rate=10.0, arithmetic=""), answer=own
    )
    about, at = About(plan=plan, question=ASKED, fleet=own, asked="whatif plan"), cast(StudyContext, desk)
    return Edges(desk=at, about=about, source=SOURCE)


async def test_where_another_size_runs_out_is_what_is_kept_with_the_plan() -> None:
    """Of three replicas that is between 15.07/s and 15.38/s, of four it is not shown."""
    looks = (
        BOUNDED,
        Look(rate=15.07, candidate=fleet(3, "pass")),
        Look(rate=15.38, candidate=fleet(3, "fail")),
        Look(rate=20.29, candidate=fleet(4, "pass")),
        Look(rate=25.22, candidate=fleet(4, "fail")),
    )
    edges = edges_at(Desk(looks))
    assert [await edges.looked(edges.about.sizes) for _ in range(2)] == [True, False]
    (anchor,) = edges.seen
    rates = (10.0, 10.1, 15.07, 15.1, 20.29, 25.2, 25.22)
    assert [anchor.least(rate) for rate in rates] == [1, 3, 3, 4, 4, 4, 5]


async def test_what_another_study_simulated_counts_for_nothing_until_it_is_looked_at() -> None:
    """Found: a joint plan's first order was for another workload once a study of that had been made."""
    alone, beside = edges_at(Desk((BOUNDED,))), edges_at(Desk((BOUNDED,), others=(Look(rate=15.07, candidate=THREE),)))
    for edges in (alone, beside):
        await edges.looked(edges.about.sizes)
    assert alone.seen == beside.seen
    limits = beside._limits(fleet(3, "pass"), beside._own)
    assert await limits.look((3,), 15.07) == Look(rate=15.07, candidate=THREE), "it is not simulated again"


async def test_a_rate_that_held_by_chance_beyond_the_greatest_does_not_count() -> None:
    """So a study says of a fleet what `capacity` does: rates that are not proven lie between."""
    edges = edges_at(Desk((BOUNDED, Look(rate=10.56, candidate=fleet(2, "pass")))))
    edges.found[2,] = Greatest(rate=10.0, simulated=True, fails_from=11.0)
    (anchor,) = edges.seen
    assert [anchor.least(rate) for rate in (10.0, 10.1, 10.5)] == [1, 3, 3]
