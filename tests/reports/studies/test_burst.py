"""A burst as a study: what its sentences say of figures made up here."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Estimate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.stretch import PHASES, Burst, Moment, PhaseFigures, PoolFigures, StretchFigures
from fleettui.domain.study import Study
from fleettui.reports.studies.burst import burst_study
from tests.reports.studies.test_sweep import PLAN

QUESTION = Question(workload="x", slo=Slo(ttft=0.5))
BURST = Burst(factor=2.0, seconds=300.0, start=300.0, end=1200.0)


def about(value: float, half: float = 0.01) -> Estimate:
    return Estimate(value=value, low=value - half, high=value + half)


def phase(name: str, met: float, ttft: float) -> PhaseFigures:
    return PhaseFigures(
        name=name,
        seconds=Estimate(value=300.0),
        rate=about(200.0 if name == "inside" else 100.0),
        met=about(met),
        ttft=about(ttft),
        tpot=about(0.03, 0.001),
    )


FIGURES = StretchFigures(
    phases=tuple(phase(name, 0.5 if name == "inside" else 0.995, 4.0 if name == "inside" else 0.4) for name in PHASES),
    pools=(PoolFigures(name="all", waiting=about(900.0, 40.0), recovered=about(130.0, 20.0), unrecovered=0),),
    worst=about(0.45),
    moments=tuple(
        Moment(
            start=60.0 * place,
            rate=200.0 if 5 <= place < 10 else 100.0,
            waiting=900.0 * max(0.0, 1.0 - abs(place - 9) / 4.0),
            ttft=0.4 + max(0.0, 3.6 - abs(place - 9)),
            met=0.5,
        )
        for place in range(20)
    ),
)


def bursts(figures: StretchFigures = FIGURES, burst: Burst = BURST) -> Study:
    assert PLAN.answer is not None
    return burst_study(PLAN, QUESTION, PLAN.answer, burst=burst, figures=figures, runs=5)


def test_it_says_what_happened_inside_and_how_long_recovery_took() -> None:
    found = bursts()
    assert found.question == f"whatif {PLAN.plan.handle} --burst x2 --for 300s --at 300s --over 1200s --runs 5"
    said = " | ".join(found.sentences)
    assert "2 times the rate for 5 min: 50.00% (49.00% to 51.00%) of what comes then keeps every limit" in said
    assert "it does not hold" in said
    assert "at most 900 requests wait at once; the backlog is gone 2.17 min (1.83 min to 2.5 min) after" in said
    assert "worst 5 minutes: 45.00%" in said
    assert any("Poisson" in one for one in found.warnings)


@pytest.mark.parametrize(("down", "why"), [(0, "none has failed"), (1, "they take the place of those that are away")])
def test_it_says_that_spare_replicas_serve(down: int, why: str) -> None:
    assert PLAN.answer is not None
    (first, *others), serve = PLAN.answer.fleet.pools, f"spare replicas serve, too: {why}"
    pools = (replace(first, spares=2), *others)
    spare = replace(PLAN.answer, fleet=replace(PLAN.answer.fleet, pools=pools))
    found = burst_study(PLAN, QUESTION, spare, burst=replace(BURST, down=down), figures=FIGURES, runs=5)
    assert [serve in study.warnings for study in (found, bursts())] == [True, False]


@pytest.mark.parametrize(
    ("met", "words"),
    [
        (about(0.998, 0.001), "and it holds"),
        (about(0.991), "it holds, which is not proven"),
        (about(0.985), "it does not hold, which is not proven"),
        (about(0.9), "it does not hold"),
    ],
)
def test_a_share_holds_as_far_as_its_interval_proves(met: Estimate, words: str) -> None:
    before, inside, *rest = FIGURES.phases
    found = bursts(replace(FIGURES, phases=(before, replace(inside, met=met), *rest)))
    assert found.sentences[0].endswith(words)


def test_a_backlog_that_stays_is_told_with_what_to_do() -> None:
    pool = replace(FIGURES.pools[0], recovered=Estimate(value=None), unrecovered=2)
    assert "not gone 10 min after the window in 2 of 5 runs: a longer --over" in " ".join(
        bursts(replace(FIGURES, pools=(pool,))).sentences
    )
