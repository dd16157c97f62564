"""A fleet in production, simulated with a slower step than its plan believes, is seen through; and kept as a series."""

from collections.abc import AsyncIterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from fleettui.domain.backtest import CONSTANTS, Constant, Figure
from fleettui.domain.calibration import Calibration
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.plan import Answer
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.hardware import kept_fits
from fleettui.planning import backtest as use_case
from fleettui.planning import given_again
from fleettui.planning.backtest import RUNS, subject
from fleettui.planning.corrections import corrected
from fleettui.planning.make_plan import make_plan
from fleettui.planning.rerun import rerun
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import StudyContext, make
from fleettui.planning.take_correction import take_correction
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports import observed_figures
from fleettui.reports.backtest.study import CORRECTION, SERIES
from fleettui.reports.question import conversion
from fleettui.reports.question.conversion import Given
from fleettui.simulation.fleet_figures import figure
from store import Store
from tests.own_fits import FIT, SERVER
from tests.own_fits import keep as keep_fit
from tests.planning.simulated import Here, Watched, question, sketch, trace
from tests.store import samples

HOUR = 3600.0
SLOW = 1.2
OPEN: dict[str, Any] = {"max_num_seqs": None, "token_budget": None}
"""What a fleet's file says, not its question."""


class Whole(Here):
    """A pool whose runs are as long as the program's: what a backtest finds, it finds within their intervals."""

    runs = nullcontext


@dataclass(frozen=True, kw_only=True)
class Production:
    """A store with the plan of a fleet that is believed faster than it is, and what it shows."""

    store: Store
    workers: WorkerPool
    plan: Answer
    seen: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def production(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Production]:
    asked = question(trace(tmp_path_factory.mktemp("trace")), slo=Slo(ttft=0.5), gpus=(), tp=(), pools=(1, 2), **OPEN)
    async with Whole() as workers:
        with Store.open() as store:
            plan = await simulate(sketch(2), asked, store=store, pool=workers)
            assert plan.answer is not None
            (pool,) = plan.answer.fleet.pools
            slower = replace(pool.profile, base_step_time=pool.profile.base_step_time * SLOW)
            hidden = FleetSketch.of(replace(plan.answer.fleet, pools=(replace(pool, profile=slower),)))
            real = await simulate(hidden, replace(asked, seed=77), store=store, pool=workers)
            assert real.answer is not None
            runs = store.replications(real.answer.candidate, 77, histograms=True)
            figures = [Figure(metric="ttft", share=0.99), Figure(metric="tpot", share=0.5), Figure(metric="running")]
            values = [figure(runs[0], real.answer.fleet, one) for one in figures]
            seen = ",".join(
                f"{observed_figures.name(one)}={observed_figures.value(one, value)}"
                for one, value in zip(figures, values, strict=True)
                if value
            )
            yield Production(store=store, workers=workers, plan=plan, seen=seen)


async def held(
    found: Production, constants: Sequence[Constant] = ("base step time", "arrival rate"), *, keep: str | None = None
) -> Study:
    """Hold what was seen to the plan; two constants are enough where it is not asked which."""
    plan = found.plan.plan.id
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(use_case, "CONSTANTS", constants)
        return await _held(found, plan, keep)


async def _held(found: Production, plan: str, keep: str | None = None) -> Study:
    return await make(
        "backtest",
        found.store,
        pool=found.workers,
        fleet=plan,
        seen=observed_figures.read(found.seen),
        window=HOUR,
        keep=keep,
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def first(production: Production) -> Study:
    """The first test of the plan."""
    return await held(production)


def is_slow(study: Study, production: Production) -> bool:
    (table,) = (one for one in study.tables if one.title == CORRECTION)
    ((pool, name, factor, *_),) = table.rows
    return (pool, name) == ("all", "base_step_time") and factor == pytest.approx(SLOW, rel=0.05)


@pytest.mark.evidence
async def test_the_slow_constant_and_its_size_are_found(production: Production, first: Study) -> None:
    assert (first.kind, first.plan) == ("backtest", production.plan.plan.id)
    assert first.question == f"backtest {production.plan.plan.handle} --observed {production.seen} --over 1h"
    assert is_slow(first, production)
    assert sum("plan --correct with this study's handle takes it in" in one for one in first.sentences) == 1
    assert production.store.study(first.handle) == first


@pytest.mark.evidence
async def test_the_slow_constant_is_found_among_all(production: Production) -> None:
    assert is_slow(await held(production, CONSTANTS), production)


@pytest.mark.evidence
async def test_tests_of_a_plan_are_a_series_and_what_was_run_is_not_run_again(
    production: Production, first: Study
) -> None:
    again = await held(production, ("base step time",))
    (table,) = (one for one in again.tables if one.title == SERIES)
    assert table.rows[-1][1] == first.handle, "the newest is above, the first below"
    store = production.store
    assert production.plan.answer is not None
    runs = store.replications(production.plan.answer.candidate, 1)
    assert [one.index for one in runs][:RUNS] == list(range(RUNS))
    assert len({one.index for one in runs}) == len(runs)


@pytest.mark.thorough
async def test_later_plans_with_this_hardware_say_so_and_run_again_the_same(
    production: Production, first: Study, tmp_path: Path
) -> None:
    store, workers = production.store, production.workers
    test = store.studies(1)[0]
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    (told,) = (one for one in plan.warnings if one.startswith("backtest "))
    assert told.startswith(f"backtest {test.handle}, ")
    assert told.endswith(f": --correct {test.handle}")
    assert (await rerun(store, plan.plan.id, pool=workers)).same
    other = await make_plan(question(trace(tmp_path), verify=False, gpus=("a100",)), store=store, pool=workers)
    assert not any(one.startswith("backtest ") for one in other.warnings)


@pytest.mark.thorough
async def test_a_file_or_a_plan_at_another_demand_is_a_plan_of_its_own(production: Production, tmp_path: Path) -> None:
    store, workers = production.store, production.workers
    file = tmp_path / "fleet.yaml"
    file.write_text("pools: [{gpu: h100, tp: 8, replicas: 2, max_num_seqs: 256, token_budget: 2048}]\n")
    asked = store.question(production.plan.plan.id)
    texts = {
        name: one
        for name, one in conversion.given_at(conversion.to_texts(asked), "typed").items()
        if name in given_again.FIXED
    }
    assert await subject(StudyContext(store, workers), str(file), texts) == production.plan.plan.id
    assert await subject(StudyContext(store, workers), production.plan.plan.handle, {}) == production.plan.plan.id
    faster = await subject(StudyContext(store, workers), production.plan.plan.id, {"rate": Given("21/s", "--rate")})
    assert store.question(faster).demand == Demand(form="rate", rate=21.0)
    assert store.question(faster).slo == asked.slo
    assert store.candidate(faster).fleet == production.plan.answer.fleet  # type: ignore[union-attr]
    in_words = await subject(StudyContext(store, workers), "h100 tp8 x2", texts)
    (pool,) = store.candidate(in_words).fleet.pools
    assert (pool.gpu, pool.tp, pool.replicas, pool.token_budget) == ("h100", 8, 2, 8192), "as the engine sets it"


@pytest.mark.thorough
async def test_a_plans_own_fit_is_its_own_at_another_demand(production: Production, tmp_path: Path) -> None:
    """Nobody keeps the fit here."""
    store, workers = production.store, production.workers
    fit = replace(FIT, name="gone", step_law="roofline", servers=(replace(SERVER, dtype="bf16", tp=8),))
    asked = question(trace(tmp_path), verify=False, fit=fit, name="spring")
    plan = await make_plan(asked, store=store, pool=workers)
    slower = await subject(StudyContext(store, workers), plan.plan.id, {"rate": Given("19/s", "--rate")})
    assert (store.question(slower).fit, store.question(slower).step_law) == (fit, "roofline")
    assert store.plan("spring").plan.id == plan.plan.id, "found: two plans had the name then, which meant none of them"
    with pytest.raises(InputError, match="no fit is kept"):
        await subject(StudyContext(store, workers), plan.plan.id, {"profile": Given("gone", "--profile")})


@pytest.mark.thorough
async def test_what_cannot_be_tested_is_refused(production: Production, tmp_path: Path) -> None:
    store, seen = production.store, observed_figures.read("running=3")
    infeasible = samples.add(store, samples.infeasible("none"))
    with pytest.raises(InputError, match="no fleet"):
        await make("backtest", store, pool=production.workers, fleet=infeasible.plan.id, seen=seen, window=HOUR)
    with pytest.raises(InputError, match="nosuch"):
        await subject(StudyContext(store, production.workers), "nosuch", {})
    with pytest.raises(InputError, match="no such file"):
        await subject(StudyContext(store, production.workers), str(tmp_path / "none.yaml"), {})


@pytest.mark.thorough
async def test_the_correction_is_kept_as_a_fit_and_later_plans_have_it_in_them(
    production: Production, tmp_path: Path
) -> None:
    """The hidden factor is on the base step time alone. By the roofline a context token's time has some of it in it."""
    store, workers = production.store, production.workers
    study = await held(production, ("base step time",), keep="slower")
    assert study.sentences[-1] == "the correction is kept as the fit slower: plan with --profile slower"
    fit = kept_fits.kept("slower")
    (server,) = fit.servers
    assert (server.factor, server.context_slope) == pytest.approx((SLOW, 1 / SLOW), rel=0.05)
    assert server.prompt_slope == server.context_slope
    assert fit.sources[0].path == study.question
    asked = question(trace(tmp_path), verify=False, slo=Slo(ttft=0.5))
    plain = await make_plan(asked, store=store, pool=workers)
    own = await make_plan(replace(asked, fit=fit), store=store, pool=workers)
    assert plain.answer is not None
    assert own.answer is not None
    before, after = (one.fleet.pools[0].profile for one in (plain.answer, own.answer))
    assert after.base_step_time == pytest.approx(server.factor * before.base_step_time, rel=1e-6)
    assert after.time_per_prompt_token == pytest.approx(before.time_per_prompt_token, rel=1e-6)
    assert after.time_per_context_token == pytest.approx(before.time_per_context_token, rel=0.1)
    assert any(one.endswith(", in this plan") for one in own.warnings)
    assert not any("beyond own fit" in one for one in own.warnings)
    taken = await take_correction(StudyContext(store, workers), study.handle)
    assert taken == {"profile": f"backtest-{study.handle}"}
    (again,) = kept_fits.kept(taken["profile"]).servers
    assert again == server, "one correction, whichever way it is taken"


async def test_a_name_that_is_another_fits_is_refused_before_any_work(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    keep_fit(replace(FIT, name="taken"))
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    found = Production(store=store, workers=workers, plan=plan, seen="running=3")
    asked = len(workers.asked)
    with pytest.raises(InputError, match=r"--keep: a fit of other runs has this name"):
        await held(found, keep="taken")
    with pytest.raises(InputError, match=r"--keep: a fit cannot be called so"):
        await held(found, keep="Not so")
    assert len(workers.asked) == asked


@pytest.mark.evidence
async def test_what_is_no_step_time_is_not_kept(production: Production) -> None:
    study = await held(production, ("arrival rate",), keep="rate")
    assert study.warnings[-1].startswith("no fit rate is kept: ")
    assert "rate" not in kept_fits.names()


@pytest.mark.evidence
async def test_a_correction_that_plans_would_refuse_is_not_kept(
    production: Production, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faster(*given: Any, **more: Any) -> Calibration:
        fit = corrected(*given, **more)
        return replace(fit, servers=tuple(replace(one, factor=one.factor / 20) for one in fit.servers))

    monkeypatch.setattr(use_case, "corrected", faster)
    study = await held(production, ("base step time",), keep="fast")
    assert study.warnings[-1].startswith("no fit fast is kept: by the fit fast a step of ")
    assert "fast" not in kept_fits.names()
