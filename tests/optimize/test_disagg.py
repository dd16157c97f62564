"""The search of disaggregated fleets held to trying every size, and both ways beside each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.hardware.profile import build_profile
from fleettui.optimize.disagg import LinksOf, disaggregated, pairs, sized
from fleettui.optimize.disagg_or_not import ENDLESS, Asked, asked_values, flip, lost

MODEL = catalog.model("llama-3.1-70b")
GPUS = {name: catalog.gpu(name) for name in ("h100", "a100")}
PROFILES = [build_profile(gpu, MODEL, dtype="bf16", tp=tp) for gpu in GPUS.values() for tp in (4, 8)]
ATOMS = ((3.0, 900.0, 250.0), (2.0, 3000.0, 120.0), (1.0, 200.0, 700.0))
ASKED = Question(workload="x", slo=Slo(ttft=1.0, tpot=0.04), pools=(1,), token_budget=2048)
SLICES = ((40.0, ATOMS), (25.0, ATOMS[:2]))


def links(typed: float | None) -> LinksOf:
    return lambda prefill, decode: links_between(prefill, decode, GPUS, typed)


def given(question: Question = ASKED, **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "slices": SLICES,
        "profiles": PROFILES,
        "context": 4096,
        "cache_of": lambda dtype: cache_size(MODEL, dtype),
        "links_of": links(None),
    }
    return {"question": question, **found, **changes}


def both(question: Question = ASKED, profiles: list[Profile] = PROFILES, **changes: Any) -> Asked:
    return Asked(**given(question, profiles=profiles, links_of=links, **changes), both=profiles, grid=(512, 1024, 2048))


def test_no_smaller_fleet_of_a_pair_holds() -> None:
    """Every pair's sizes against every other pair of sizes up to them and somewhat beyond."""
    values = given()
    for _, pair in pairs(values.pop("question"), **values):
        found = sized(pair)
        assert found is not None
        most = found.replicas + 3, found.decoding + 3
        cheaper = [
            sizes
            for sizes in product(range(1, most[0]), range(1, most[1]))
            if pair.worth(*sizes) < found.worth and pair.holds(*sizes)
        ]
        assert cheaper == []
        assert pair.holds(found.replicas, found.decoding)


def test_the_best_of_each_two_gpu_types_stand_in_order_and_keep_every_limit() -> None:
    values = given()
    found = disaggregated(values.pop("question"), **values)
    assert len({one.kind for one in found}) == len(found) == 4
    assert [one.worth for one in found] == sorted(one.worth for one in found)
    for one in found:
        figures = one.figures
        assert figures.ttft <= 1.0
        assert figures.tpot <= 0.04
        assert max(figures.prefill_busy, figures.decode_busy) <= ASKED.max_utilization
        assert figures.cost == pytest.approx(one.worth[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"max_gpus": (("h100", 8),)},
        {"max_total_gpus": 24},
        {"budget": 60.0},
        {"max_power": 9_000.0},
        {"slo": Slo(ttft=1.0, tpot=0.04, e2e=20.0)},
        {"whole_nodes": True},
        {"availability": 0.99},
        {"objective": "gpus"},
    ],
)
def test_constraints_are_kept(changes: dict[str, Any]) -> None:
    question = replace(ASKED, **changes)
    values = given(question)
    for one in disaggregated(values.pop("question"), **values):
        taken: dict[str, int] = {}
        for pool in one.figures.fleet.pools:
            taken[pool.gpu] = taken.get(pool.gpu, 0) + pool.gpus
        assert taken.get("h100", 0) <= 8 or "max_gpus" not in changes
        assert one.figures.fleet.gpus <= (question.max_total_gpus or 10**6)
        assert one.figures.cost <= (question.budget or 1e9)
        assert one.figures.e2e <= (question.slo.e2e or 1e9)


@pytest.mark.thorough
def test_a_slower_link_never_makes_a_fleet_cheaper_and_one_that_is_too_slow_none() -> None:
    costs = []
    for speed in (ENDLESS, 50e9, 5e9, 1e9, 1e6):
        values = given(links_of=links(speed))
        found = disaggregated(values.pop("question"), **values)
        costs.append(found[0].worth[0] if found else float("inf"))
    assert costs == sorted(costs)
    assert costs[-1] == float("inf")


def test_a_cache_is_passed_on_only_between_replicas_that_keep_the_same_numbers() -> None:
    fp8 = [build_profile(GPUS["h100"], MODEL, dtype="bf16", tp=8, kv_dtype="fp8")]
    values = given(profiles=[*PROFILES[:2], *fp8])
    found = [pair for _, pair in pairs(values.pop("question"), **values)]
    assert {(one.prefill.profile.kv_dtype, one.decode.profile.kv_dtype) for one in found} == {
        ("bf16", "bf16"),
        ("fp8", "fp8"),
    }


@pytest.mark.evidence
def test_both_ways_and_where_the_cheaper_one_changes() -> None:
    asked = both(profiles=PROFILES[:2])
    best, other = asked.best, asked.colocated
    assert best is not None
    assert other is not None
    assert asked.pays == (best.worth[0] < other.cost_per_hour)
    narrowed = asked.narrowed()
    found = flip(narrowed, "tpot", 0.04)
    for at, end in ((found.below, found.low), (found.above, found.high)):
        if at is not None:
            assert min(0.04, end) <= at <= max(0.04, end)
            assert narrowed.moved("tpot", at).pays != found.pays
    assert set(asked_values(asked, 200e9)) == {"tpot", "ttft", "rate", "link", "output"}
    wasted = lost(narrowed, best, best.figures)
    assert 0.0 <= wasted.idle_prefill + wasted.idle_decode < best.worth[0]
    assert narrowed.moved("link", 1e6).best is None
