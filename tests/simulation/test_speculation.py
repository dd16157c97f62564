"""Steps that verify drafts: the compiled engine is its twin, nothing is lost, and more is committed with more luck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.speculation import NO_DRAFTS, Speculation, speculation
from fleettui.simulation import conservation, kernel
from fleettui.simulation import speculation as compiled_speculation
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, prepare
from tests.repeated import few
from tests.simulation.samples import WAYS, H, P, W, engine, finished, requests, story
from tests.simulation.test_prefix_cache import random_prefixes
from tests.simulation.twins import fleet, played_alike, table


def random_drafts(rng: np.random.Generator) -> Speculation:
    drafts = int(rng.integers(1, 6))
    rates = np.sort(rng.uniform(0.05, 1.0, drafts))[::-1].round(3)
    mode = str(rng.choice(("", ":sampled")))
    return speculation(f"mtp:{drafts}@{'/'.join(f'{100 * one:.1f}%' for one in rates)}{mode}")


def drafting(engines: list[Engine], seed: int) -> list[Engine]:
    """Return engines that verify random drafts, every second one of several with its own luck, some none."""
    rng = np.random.default_rng(seed)
    found = []
    for one in engines:
        said = NO_DRAFTS if rng.random() < 0.15 else random_drafts(rng)
        budget = max(one.budget, said.width)
        places = min(one.places, budget // said.width)
        steps = replace(table(rng), width=said.width)
        own = replace(
            one,
            drafting=said,
            luck=int(rng.integers(2**31)),
            budget=budget,
            places=places,
            blocks=one.blocks if one.blocks == UNLIMITED else one.blocks + -(-2 * said.drafts // 16),
            curve=None if one.curve is None else Curve.of(steps, budget=budget, places=places),
        )
        found.append(own)
    return found


def whole(engines: list[Engine], draws: Draws) -> None:
    for state in played_alike(engines, draws):
        assert state.pools["completed"].sum() == draws.requests
        blocks = np.repeat([one.blocks for one in engines], [one.replicas for one in engines])
        assert np.array_equal(state.replicas["free"], blocks)
        if not state.pools["preempted"].any():
            assert state.pools["decoded"].sum() == (draws.output - 1).sum()


@pytest.mark.parametrize("seed", few(range(100), 2, more=2))
def test_the_engine_is_its_twin(seed: int) -> None:
    engines, draws = fleet(seed)
    whole(drafting(engines, seed), draws)


@pytest.mark.parametrize("seed", few(range(40, 80), 2, more=2))
def test_so_it_is_where_prefixes_are_cached(seed: int) -> None:
    engines, draws = fleet(seed)
    engines = [replace(one, blocks=min(one.blocks, 200), lanes=1) for one in drafting(engines, seed)]
    whole(engines, random_prefixes(draws, seed))


def test_the_fleets_starve_and_leap() -> None:
    """The comparison above means something only if blocks run short, and if some steps are skipped."""
    preempted = steps = 0
    for seed in range(16):
        engines, draws = fleet(seed)
        state = finished(drafting(engines, seed), draws)
        preempted += int(state.pools["preempted"].sum())
        steps += int((state.pools["decoded"] > 1.5 * state.pools["steps"]).sum())
    assert preempted > 100
    assert steps > 3


@pytest.mark.parametrize("end", [3, 20, 90])
@pytest.mark.parametrize("seed", range(4))
def test_a_run_cut_short_adds_up(seed: int, end: int) -> None:
    engines, draws = fleet(seed)
    engines = drafting(engines, seed)
    state = prepare(engines, draws)
    kernel.run(state, 0, end, True)
    conservation.check(state, [one.blocks for one in engines])


@pytest.mark.parametrize("way", WAYS)
def test_a_request_alone_step_by_step(way: str) -> None:
    """Of ten tokens the first is the prompt's; steps of four commit 3, 2, 3 and what is left of 2 by expectation."""
    said = speculation("mtp:3@70%/50%/30%")
    found = story(way, [replace(engine(), drafting=said)], requests((20, 10)))
    first = W + H * 20 + P * 20
    read = [20 + 4, 23 + 4, 25 + 4, 28 + 4]
    assert found.first == pytest.approx([first], abs=1e-12)
    assert found.finish == pytest.approx([first + 4 * W + H * sum(read)], abs=1e-12)


def test_more_accepted_drafts_are_never_slower() -> None:
    work = requests(*[(50, 80), (200, 30)] * 30, arrivals=np.linspace(0.0, 3.0, 60).tolist())
    lasts = [
        finished([replace(engine(budget=512), drafting=speculation(f"mtp:3@{rate}%"))], work).requests["finish"].max()
        for rate in (1, 20, 40, 60, 80, 100)
    ]
    assert sorted(lasts, reverse=True) == lasts
    assert lasts[-1] < 0.5 * lasts[0]


def test_sampled_steps_commit_what_is_expected_on_average() -> None:
    work = requests(*[(10, 400)] * 40, arrivals=np.zeros(40).tolist())
    steps = {}
    for mode in ("", ":sampled"):
        own = replace(engine(places=40, budget=512, luck=7), drafting=speculation(f"mtp:3@79%/48%/22%{mode}"))
        steps[mode] = int(finished([own], work).pools["joined"].sum())
    assert steps[":sampled"] == pytest.approx(steps[""], rel=0.02)


def test_luck_is_uniform_and_unlike_between_requests() -> None:
    luck = (
        np.array([[compiled_speculation.luck_of(5, index, place) for place in range(200)] for index in range(200)])
        / compiled_speculation.CHANCES
    )
    counts, _ = np.histogram(luck, bins=20, range=(0.0, 1.0))
    assert counts == pytest.approx(2000, rel=0.1)
    for one, other in ((luck[:, :-1], luck[:, 1:]), (luck[:-1], luck[1:])):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.02


def test_luck_is_the_same_wherever_and_whenever_a_run_is_repeated() -> None:
    """A kept plan is shown again by its seed alone."""
    asked = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (5, 3, 200), (2**31 - 1, 1000, 7)]
    found = [compiled_speculation.luck_of(*one) for one in asked]
    assert found == [1026250053, 1800845867, 114555507, 2093460407, 115102219]


@pytest.mark.parametrize("seed", range(20))
def test_a_sum_of_floors_is_the_sum_of_floors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, divisor, factor, first = (int(rng.integers(low, 5000)) for low in (0, 1, 0, 0))
    expected = sum((factor * place + first) // divisor for place in range(count))
    assert compiled_speculation.floor_sum(count, divisor, factor, first) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("more", "steps"), [(0, 2), (1, 1)])
def test_a_draft_is_accepted_where_luck_is_below_its_chance_and_not_where_it_is_that(
    way: str, more: int, steps: int
) -> None:
    """Behind its first token a request of three lacks two, which one step commits where its draft is accepted."""
    luck = compiled_speculation.luck_of(11, 0, 1)
    rate = (luck + more) / compiled_speculation.CHANCES
    own = replace(engine(luck=11, per_context=0.0), drafting=Speculation("mtp", 1, (rate,), "", sampled=True))
    found = story(way, [own], requests((20, 3)))
    assert found.finish[0] - found.first[0] == pytest.approx(steps * W, abs=1e-12)
    state = prepare([own], requests((20, 3)))
    assert compiled_speculation.commit_at(state.pools[0], state.requests[0], 0, 2) == 1 + more
