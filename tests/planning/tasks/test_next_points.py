"""Which runs would narrow a fleet's range, held to plans by a fit that knows nothing but its band."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.calibration import PUBLIC_BAND, Envelope, OperatingPoint
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.next_points import OWN_FIT, BenchPoint, Prospect
from fleettui.domain.plan import Candidate
from fleettui.domain.serialization import dumps
from fleettui.domain.slo import Slo
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan, simulate
from fleettui.planning.tasks.next_points import _narrowed, _runs, run
from tests.own_fits import FIT, SERVER
from tests.planning.simulated import question, sketch, trace

IDENTITY = replace(
    SERVER, dtype="bf16", tp=8, factor=1.0, constant=0.0, front_end=None, band=PUBLIC_BAND, band_source="public"
)


def key_of(found: NewPlan) -> str:
    """Return what tells a scene from others that a worker remembers."""
    return dumps((found.scenario, found.profiles))


def looked_at(found: NewPlan, *others: Candidate) -> tuple[tuple[Prospect, ...], tuple[str, ...]]:
    best = found.answer.answer
    assert best is not None
    source = SceneSource.of(found.scenario.question, found.workload, found.answer.demand, key_of(found), found.profiles)
    fleets = (best, *others)
    unseen = tuple((NOTHING_SEEN,) * len(one.fleet.pools) for one in fleets)
    return run(Context(), source=source, candidates=fleets, anchors=unseen)


def test_a_fit_narrows_the_range_as_much_as_planning_with_one_does(tmp_path: Path) -> None:
    asked = question(trace(tmp_path), front_end=None, slo=Slo(ttft=0.3))
    found = plan.run(Context(), question=asked)
    ((prospect,), known) = looked_at(found)
    assert known == ()
    fit = replace(FIT, step_law="roofline", servers=(IDENTITY,))
    fitted = plan.run(Context(), question=replace(asked, fit=fit)).answer.answer
    assert found.answer.answer is not None
    assert fitted is not None
    assert prospect.gpus_range == found.answer.answer.gpus_range
    assert prospect.fitted_range == fitted.gpus_range
    low, high = prospect.gpus_range
    least, most = prospect.fitted_range
    assert None not in (low, high, least, most)
    assert low <= least <= most <= high  # type: ignore[operator]  # none of them is None
    per_gpu = found.answer.answer.cost_per_hour / found.answer.answer.gpus
    assert prospect.narrowed == pytest.approx(((high - low) - (most - least)) * per_gpu)  # type: ignore[operator]
    assert (prospect.is_answer, prospect.server_key) == (True, IDENTITY.server_key)
    assert prospect.repository == "meta-llama/Llama-3.1-70B"


def test_what_is_known_as_well_already_is_not_measured_again(tmp_path: Path) -> None:
    """The trace has prompts of 1,260 tokens on average and outputs of 10."""
    wide = Envelope(clients=(1, 64), prompt_tokens=(100, 2000), output_tokens=(4, 20), context_tokens=(100, 2020))
    fit = replace(FIT, step_law="roofline", servers=(replace(IDENTITY, envelope=wide),))
    asked = question(trace(tmp_path), fit=fit)
    assert looked_at(plan.run(Context(), question=asked)) == ((), (IDENTITY.server,))
    narrow = replace(fit, servers=(replace(IDENTITY, envelope=replace(wide, prompt_tokens=(100, 1000)), band=0.02),))
    ((beyond,), known) = looked_at(plan.run(Context(), question=replace(asked, fit=narrow)))
    assert beyond.unseen == ("prompts of 1,260 tokens, seen 100 to 1,000",)
    assert (beyond.fitted_range, beyond.narrowed, known) == (beyond.gpus_range, 0.0, ())


def test_speeds_that_were_given_have_no_error_to_narrow(tmp_path: Path) -> None:
    found = simulate.run(Context(), sketch=sketch(2), question=question(trace(tmp_path)))
    without = tuple(replace(one, model_error=0.0, band=None) for one in found.profiles)
    assert looked_at(replace(found, profiles=without)) == ((), ())


def test_another_fleet_counts_where_it_may_cost_less_and_the_answer_stands_first(tmp_path: Path) -> None:
    asked = question(trace(tmp_path), gpus=("h100", "mi300x", "a100"), prices=(("a100", 50.0),))
    found = plan.run(Context(), question=asked)
    best = found.answer.answer
    assert best is not None
    rivals = {one.fleet.pools[0].gpu: one for one in reversed(found.answer.candidates) if not one.shortfalls}
    (prospects, _) = looked_at(found, *(one for gpu, one in rivals.items() if gpu != best.fleet.pools[0].gpu))
    assert [one.is_answer for one in prospects] == [True, *[False] * (len(prospects) - 1)]
    assert "a100" not in {one.gpu for one in prospects}, "at 50 dollars it is never the cheaper"


def test_narrower_by_so_many_gpus() -> None:
    assert _narrowed((10, 30), (14, 22)) == 12
    assert _narrowed((10, None), (14, 22)) == float("inf")
    assert _narrowed((10, None), (14, None)) == 0.0
    assert _narrowed((None, 8), (2, 8)) == 2


@pytest.fixture
def hardware(tmp_path: Path) -> tuple[Any, Profile]:
    found = simulate.run(Context(), sketch=sketch(1), question=question(trace(tmp_path)))
    assert found.answer.answer is not None
    return found.answer.answer.fleet.pools[0], found.profiles[0]


def point(sequences: float, prompt: float = 1000.4, output: float = 200.6) -> OperatingPoint:
    return OperatingPoint(sequences=sequences, prompt_tokens=prompt, output_tokens=output, rate=1.0)


def test_a_run_at_the_load_and_one_with_an_eighth_of_its_clients(hardware: tuple[Any, Profile]) -> None:
    pool, profile = hardware
    assert list(_runs([(pool, point(60.4))], profile)) == [
        BenchPoint(clients=60, prompt_tokens=1000, output_tokens=201),
        BenchPoint(clients=2, prompt_tokens=1000, output_tokens=201),  # of 7, whose prompts fit in a step of 2,048
    ]
    busy, quiet = _runs([(pool, point(0.3))], profile)
    assert (busy.clients, quiet.clients) == (8, 1)
    assert list(_runs([(pool, point(3.0, output=0.5)), (pool, point(16.0))], profile)) == [
        BenchPoint(clients=16, prompt_tokens=1000, output_tokens=201),
        BenchPoint(clients=2, prompt_tokens=1000, output_tokens=201),
        BenchPoint(clients=3, prompt_tokens=1000, output_tokens=2),
    ]


def test_no_more_clients_than_the_cache_holds(hardware: tuple[Any, Profile]) -> None:
    pool, profile = hardware
    small = replace(profile, kv_blocks=1000)  # 16,000 tokens: 13 requests of 1,201
    assert next(iter(_runs([(pool, point(60.0))], small))).clients == 13


def test_the_band_of_a_fit_to_two_runs() -> None:
    assert pytest.approx((1 / 1.18, 1 / 0.82)) == OWN_FIT
