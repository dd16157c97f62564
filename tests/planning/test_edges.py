"""Beyond a fleet's greatest rate only the pools that are why it does not hold are too small."""

from dataclasses import dataclass, field, replace

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, Candidate, Look, PlanIdentity, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
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
    """What is known of a plan; nothing more is simulated."""

    before: tuple[Look, ...]
    workers: Here = field(default_factory=Here)
    looks: list[Look] = field(default_factory=list)

    def known(self, plan: str) -> tuple[Look, ...]:
        assert plan == "plan"
        return self.before

    def tell(self, words: str, done: int, wanted: int) -> None:
        raise AssertionError((words, done, wanted))


def fleet(replicas: int, verdict: Verdict) -> Candidate:
    """Return a fleet that is as busy at any size, at the rate at which it was simulated."""
    return replace(shape(replicas), evidence=evidence(verdict, seen("short", (0.3, 0.4), verdict)))


async def test_where_another_size_runs_out_is_what_an_earlier_study_simulated() -> None:
    """Of three replicas that is between 15.07/s and 15.38/s, of four it is not shown."""
    own = fleet(2, "pass")
    plan = Answer(
        verdict="pass", plan=PlanIdentity(id="plan"), demand=DerivedDemand(rate=10.0, arithmetic=""), answer=own
    )
    looks = (
        Look(rate=10.14, candidate=fleet(2, "fail")),
        Look(rate=15.07, candidate=fleet(3, "pass")),
        Look(rate=15.38, candidate=fleet(3, "fail")),
        Look(rate=20.29, candidate=fleet(4, "pass")),
        Look(rate=25.22, candidate=fleet(4, "fail")),
    )
    desk: StudyContext = Desk(looks)  # type: ignore[assignment]
    about = About(plan=plan, question=ASKED, fleet=own, asked="whatif plan")
    edges = Edges(desk=desk, about=about, source=SOURCE)
    assert not await edges.looked(about.sizes)
    (anchor,) = edges.seen
    rates = (10.0, 10.1, 15.07, 15.1, 20.29, 25.2, 25.22)
    assert [anchor.least(rate) for rate in rates] == [1, 3, 3, 4, 4, 4, 5]
