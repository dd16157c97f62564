"""The papers' puzzles in words: what is saved, what runs out when, what breaks once slots are held."""

from dataclasses import replace

from fleettui.domain.paper_fleet import HeldSlots, PaperFleet, PaperPool
from fleettui.domain.plan import Estimate
from fleettui.reports.studies.paper import front_study, given_study, steps_study
from fleettui.reports.study_text import study_text
from tests.reports.studies.test_sweep import PLAN


def pool(replicas: int, held: float | None, *, busy: float = 0.7, ttft: float = 0.1) -> PaperPool:
    interval = None if held is None else Estimate(value=held, low=0.9 * held, high=1.1 * held)
    return PaperPool(
        gpu="a100",
        replicas=replicas,
        slots=16,
        above=0,
        up_to=4096,
        rate=50.0,
        utilization=busy,
        ttft=ttft,
        held=None if interval is None else HeldSlots(ttft=interval, utilization=busy),
    )


def fleet(*pools: PaperPool, rate: float = 100.0) -> PaperFleet:
    return PaperFleet(pools=pools, cost=2.0 * sum(one.replicas for one in pools), rate=rate)


WHOLE, SPLIT = fleet(pool(14, None, ttft=0.05)), fleet(pool(3, 0.04), pool(5, 1.9))


def test_the_split_that_saves_and_breaks_the_limit_is_told_first() -> None:
    study = front_study(PLAN, "pareto 9f3c", (WHOLE, SPLIT), 0.5)
    assert study.sentences == (
        "the cheapest that keeps the limit by their formula: 3 A100 + 5 A100, $16/h, split at 4,096",
        "one pool takes 14 A100, $28/h: the split saves 43%",
        "split at 4,096 breaks the limit as simulated: P99 TTFT 1.9 s with its slots held",
    )
    rows = study.tables[0].records()
    assert [(row["split"], row["gpus"], row["keeps"]) for row in rows] == [(None, 14, ""), (4096, 8, "no")]
    assert all(len(line) <= 80 for line in study_text(study).splitlines())


def test_steps_say_how_long_the_plans_own_fleet_lasts() -> None:
    found = (replace(SPLIT, rate=90.0), replace(SPLIT, rate=110.0), replace(WHOLE, rate=150.0))
    study = steps_study(PLAN, "whatif 9f3c --steps", found, 0.5)
    assert study.sentences[0].startswith("3 A100 + 5 A100, $16/h last until 110/s, +10% on the plan's 100/s")
    assert study.sentences[1].startswith("at 110/s it breaks the limit as simulated")
    assert [row["up_to"] for row in study.tables[0].records()] == [90.0, 110.0, 150.0]


def test_a_given_fleet_has_the_verdict_of_its_simulation() -> None:
    def verdict(one: PaperFleet) -> str | None:
        return given_study(one, "simulate", 0.5, 1, "as given").verdict

    assert verdict(fleet(pool(3, 0.2))) == "pass"
    assert verdict(SPLIT) == "fail"
    assert verdict(fleet(pool(3, 0.5))) == "unproven"
    drowned = given_study(fleet(pool(3, None, busy=1.2)), "simulate", 0.5, 1, "as given")
    assert drowned.verdict == "fail"
    assert "the wait has no bound" in drowned.sentences[0]
