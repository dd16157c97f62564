"""Routers as a study: what its sentences and tables say of figures made up here."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Estimate
from fleettui.domain.routers import Needed, Played
from fleettui.reports.studies.differences import change_words
from fleettui.reports.studies.routers import routers_study
from fleettui.reports.study_text import study_text
from tests.cli.conftest import POOL, PROVEN
from tests.reports.studies.test_sweep import ASKED, PLAN


def about(value: float, half: float = 0.01) -> Estimate:
    return Estimate(value=value, low=value - half, high=value + half)


def played(router: str, ttft: float, change: float) -> Played:
    return Played(
        router=router,
        ttft=about(ttft),
        tpot=about(0.04, 0.001),
        ttft_change=about(change, 0.005),
        tpot_change=about(0.0, 0.001),
        attainment=about(0.99, 0.001),
        verdict="pass" if ttft < 0.5 else "fail",
    )


def needed(router: str, replicas: int, *, simulated: bool = True) -> Needed:
    sizes = (replicas,)
    return Needed(router=router, replicas=sizes, gpus=8 * replicas, cost=23.6 * replicas, simulated=simulated)


PLAYED = (played("length", 0.4, 0.0), played("random", 0.7, 0.3), played("vllm-dp", 0.35, -0.05))


def test_the_fleet_that_each_needs_comes_first_and_what_is_not_proven_is_not_told() -> None:
    study = routers_study(PLAN, ASKED, PROVEN, PLAYED, [needed("length", 6), needed("random", 8), needed("vllm-dp", 6)])
    assert study.sentences == (
        "no router needs fewer GPUs than the plan's, length: 48 GPUs, $142/h",
        "more: random 64 GPUs, $189/h",
        "on the plan's own fleet vllm-dp has the shortest TTFT, 0.35 s, 50 ms less",
        "every router met the same requests: arrivals, lengths and seeds of 10 runs",
    )
    ttft, tpot, fleets = study.tables
    assert [row[-1] for row in ttft.rows] == ["the plan's", "slower", "faster"]
    assert [row[-1] for row in tpot.rows] == ["the plan's", "not proven", "not proven"]
    assert [(row[0], row[2], row[3], row[6]) for row in fleets.rows] == [
        ("length", "holds", 48, "simulated"),
        ("random", "fails", 64, "simulated"),
        ("vllm-dp", "holds", 48, "simulated"),
    ]
    assert study.warnings == ()
    assert max(map(len, study_text(study).splitlines())) <= 80


def test_a_router_that_needs_fewer_is_told_and_so_is_what_is_by_formula() -> None:
    rows = [needed("length", 6), Needed(router="random"), needed("vllm-dp", 5, simulated=False)]
    study = routers_study(PLAN, ASKED, PROVEN, PLAYED, rows)
    assert study.sentences[0] == "router vllm-dp needs fewer GPUs: 40 instead of 48, $118/h"
    assert "by formula" in study.warnings[0]
    none = routers_study(PLAN, ASKED, PROVEN, PLAYED, [Needed(router=one.router) for one in PLAYED])
    assert "no fleet of its shape" in none.sentences[0]


def test_several_pools_and_missing_intervals_are_warned_of() -> None:
    pools = (replace(POOL, name="short", up_to=4096), replace(POOL, name="long", above=4096))
    best = replace(PROVEN, fleet=replace(PROVEN.fleet, pools=pools))
    rows = (PLAYED[0], replace(PLAYED[1], unstable="its queue has no end"), PLAYED[2])
    study = routers_study(PLAN, ASKED, best, rows, [needed(one.router, 6) for one in PLAYED])
    assert study.warnings[0] == "no intervals of random: its queue has no end"
    assert "true lengths" in study.warnings[1]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.1, 0.2, "slower"), (-0.2, -0.1, "faster"), (-0.1, 0.1, "not proven"), (None, None, "not proven")],
)
def test_a_change_is_told_where_its_interval_leaves_out_nothing(
    low: float | None, high: float | None, words: str
) -> None:
    assert change_words(Estimate(value=0.1, low=low, high=high), "slower", "faster") == words
