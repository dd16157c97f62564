"""Replicas down on a small kept plan's fleet: three hold, two do not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.failures import Failures
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import asked
from fleettui.planning.studies.failures import how_often
from fleettui.planning.studies.study_context import make
from fleettui.planning.studies.whatif import WHATIF, read_line
from fleettui.queueing.availability import availability
from fleettui.reports.study_text import study_text
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

SHORT = "failures for 10s load 5s runs 2 fails 400/node-day repair 30s over 200s"


def values(line: str = SHORT) -> dict[str, Any]:
    return asked(WHATIF, {"plan": "last", **read_line(line)})[1]


@pytest.mark.thorough
async def test_what_is_left_holds_or_does_not_and_every_request_ends_somewhere(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    plan = await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("failures", store, pool=workers, **values(f"{SHORT} at-once 99%"))
    assert (study.kind, study.plan, store.study(study.handle)) == ("failures", plan.plan.id, study)
    assert study.question.startswith(f"whatif {plan.plan.handle} --failures --fails 400/node-day --repair 30s")
    throughout, for_a_while, counts, (played, plain) = (table.records() for table in study.tables)
    assert [(row["down"], row["left"], row["it"]) for row in throughout] == [
        ("none down", "3", "holds"),
        ("1 down", "2", "fails"),
        ("2 down", "1", "fails"),
        ("99% at once", "0", "fails"),
    ]
    worst = [float(row["worst"] or 0.0) for row in for_a_while]
    assert worst == sorted(worst, reverse=True)
    assert len({row["offered"] for row in counts}) == 1
    for row in (*counts, played):
        ends = [row[name] for name in ("completed", "lost", "rejected")]
        assert row["offered"] == sum(int(one or 0) for one in ends)
    assert [int(row["rejected"] or 0) > 0 for row in counts] == [False, False, False, True]
    assert (counts[0]["lost"], plain["lost"]) == (0, 0)
    assert int(played["lost"] or 0) > 0
    assert float(played["slo_met"] or 0.0) < float(plain["slo_met"] or 0.0)
    assert workers.asked.count("failures-play") == 2
    assert max(map(len, study_text(study).splitlines())) <= 80


@pytest.mark.thorough
async def test_a_slow_replica_loses_nothing_and_keeps_fewer_limits(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), verify=False, slo=Slo(ttft=0.2, tpot=0.1))
    plan = await simulate(sketch(3), asked, store=store, pool=workers)
    study = await make("failures", store, pool=workers, **values("failures for 10s load 5s runs 2 slow 10%"))
    assert study.question.startswith(f"whatif {plan.plan.handle} --failures --load 5s --for 10s --slow 10%")
    throughout, limits, for_a_while, counts = (table.records() for table in study.tables)
    assert [row["ttft"] for row in limits] == [row["ttft"] for row in throughout]
    assert float(limits[-1]["tpot"] or 0.0) > float(limits[0]["tpot"] or 0.0) > 0.0
    assert throughout[-1]["down"] == "1 at 10% speed"
    assert (throughout[-1]["left"], throughout[-1]["no_more"]) == ("3", "")
    assert float(throughout[-1]["slo_met"] or 0.0) < float(throughout[0]["slo_met"] or 0.0)
    assert float(for_a_while[-1]["slo_met"] or 0.0) < float(for_a_while[0]["slo_met"] or 0.0)
    assert counts[-1]["completed"] == counts[-1]["offered"]
    assert any("1 replica at 10% of its speed for 10 s" in one for one in study.sentences)
    assert [one.partition(" is assumed: ")[2] for one in study.warnings[:2]] == [
        "--fails gives yours",
        "--repair gives yours",
    ]


async def test_what_cannot_fail_is_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    own = replace(question(trace(tmp_path), verify=False), demand=Demand(form="rate", rate=400.0))
    await simulate(sketch(1), own, store=store, pool=workers)
    with pytest.raises(InputError, match="it does not keep up with the plan's own rate"):
        await make("failures", store, pool=workers, **values())


PLAIN = Question(slo=Slo(ttft=0.5))
SAID = Failures(per_day=0.02, of="node")


@pytest.mark.parametrize(
    ("wanted", "given", "assumed"),
    [
        (PLAIN, (None, None), ("fails", "repair")),
        (PLAIN, (SAID, None), ("repair",)),
        (PLAIN, (None, 60.0), ("fails",)),
        (PLAIN, (SAID, 60.0), ()),
        (replace(PLAIN, failures=SAID, repair=60.0), (None, None), ()),
        (replace(PLAIN, availability=0.99), (None, None), ("fails",)),
        (replace(PLAIN, availability=0.99, availability_of="node"), (SAID, None), ()),
        (replace(PLAIN, availability=0.99, availability_of="gpu"), (SAID, None), ("repair",)),
        (replace(PLAIN, availability=0.99), (None, 60.0), ()),
    ],
)
def test_what_neither_the_line_nor_the_question_says_is_assumed(
    wanted: Question, given: tuple[Failures | None, float | None], assumed: tuple[str, ...]
) -> None:
    assert how_often(wanted, *given)[2] == assumed


def test_what_is_typed_of_a_plan_with_an_availability_says_the_other_by_it() -> None:
    """Found: the rate that was assumed, typed, dropped the plan's 99 %: back after 4 h for 37.3 h, 99.67 % for 97 %."""
    asked = replace(PLAIN, availability=0.99, availability_of="node")
    plain, _, _ = how_often(asked, None, None)
    for given in ((None, None), (plain, None), (SAID, None), (None, 3600.0)):
        often, takes, _ = how_often(asked, *given)
        assert availability(often.per_day, takes) == pytest.approx(0.99)
    assert how_often(asked, plain, None)[1] == how_often(asked, None, None)[1]
    both = how_often(asked, SAID, 3600.0)
    assert (both[0], both[1]) == (SAID, 3600.0), "both typed are taken as they are"


def test_what_is_asked_is_read() -> None:
    found = values("failures fails 0.002/gpu-day repair 30m at-once 25%")
    assert (found["failures"], found["repair"], found["at_once"]) == (Failures(per_day=0.002, of="gpu"), 1800.0, 0.25)
    for line, words in (
        ("failures fails often", "--fails"),
        ("failures at-once 100%", "this is no share of a fleet"),
        ("failures load soon", "--load"),
        ("failures slow 100%", "this is no share of a replica's speed"),
        ("failures at 5min", "this goes with --burst"),
        ("failures burst x2", "several questions at once"),
    ):
        with pytest.raises(InputError, match=words):
            values(line)
