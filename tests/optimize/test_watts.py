"""What pools draw: between idle and working GPUs, by the law and by the papers' curve."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.fleet import FleetSketch, Pool, PoolSketch
from fleettui.domain.hardware import PowerCurve, Profile, StepTable
from fleettui.domain.power_law import PowerCap, PowerLaw
from fleettui.domain.simulation import PoolLength, PoolRun
from fleettui.hardware import catalog
from fleettui.hardware.power import power, working_power
from fleettui.hardware.power_laws import power_law
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import touched_share
from fleettui.optimize.given_fleet import score
from fleettui.optimize.hardware_use import bandwidth_use, busy_share, host_share, memory_use, mfu
from fleettui.optimize.watts import idle_watts, working_watts
from fleettui.simulation import run
from fleettui.simulation.measure import Flow, pool_run
from tests.optimize.samples import atoms, profile, question
from tests.optimize.test_pool_figures import load

LAW = power_law(catalog.gpu("h100"))
H100: Profile = replace(profile(), power=LAW)


def test_without_requests_gpus_are_idle_and_busy_ones_draw_the_law() -> None:
    pool, one, _ = load(rate=1e-6, one=H100)
    gpus = pool.replicas * one.gpus_per_replica
    assert working_watts(one, pool)[0] == pytest.approx(75.0 * gpus[0], rel=1e-3)
    full, _, _ = load(rate=20.0, one=H100)
    drawn = working_power(
        LAW, arithmetic=mfu(full, one), bandwidth=bandwidth_use(full, one), waiting=host_share(full, one), ways=one.tp
    )
    assert busy_share(full)[0] > 0.999
    assert working_watts(one, full)[0] == pytest.approx(drawn[0] * full.replicas[0] * one.gpus_per_replica, rel=1e-3)


def test_more_replicas_for_the_same_requests_draw_more_but_less_each() -> None:
    pool, one, _ = load(rate=20.0, one=H100)
    sizes = pool.replicas * np.array([1.0, 2.0, 8.0])[:, None]
    watts = np.array([working_watts(one, pool.resized(size))[0] for size in sizes])
    assert np.all(np.diff(watts) > 0)
    assert np.all(np.diff(watts / sizes[:, 0]) < 0)


def test_steps_typed_shorter_than_what_the_host_adds_read_no_weights_and_draw_idle_watts_at_least() -> None:
    pool, one, _ = load(rate=20.0, one=H100)
    short = replace(pool, service=replace(pool.service, base=np.array([1e-5])))
    assert not isinstance(one.step, StepTable)
    assert one.step.overhead > 1e-5
    cache = replace(one, bytes_per_step=0.0)
    assert memory_use(short, one, np.ones(1)) == pytest.approx(memory_use(short, cache, np.ones(1)))
    assert working_watts(one, short)[0] >= LAW.idle * pool.replicas[0] * one.gpus_per_replica


def test_a_curve_is_the_papers_and_its_spares_draw_what_it_calls_idle() -> None:
    pool, one, _ = load(rate=20.0)
    assert isinstance(one.power, PowerCurve)
    batch = np.maximum(pool.occupancy.batch_over_steps, 1.0)
    assert working_watts(one, pool) == pytest.approx(power(one.power, batch) * pool.replicas * one.gpus_per_replica)
    assert float(idle_watts(one, 3.0, 5.0)) == 2 * one.gpus_per_replica * 300.0
    assert float(idle_watts(H100, 3.0, 5.0)) == 2 * one.gpus_per_replica * 75.0
    assert float(idle_watts(H100, np.inf, np.inf)) == 0.0


def test_a_cap_takes_what_prompts_draw_above_it_and_nothing_from_decodes() -> None:
    pool, one, _ = load(rate=20.0, one=H100)
    gpus = pool.replicas * one.gpus_per_replica
    free = working_watts(one, pool) / gpus
    spared = 0.5 * (700.0 - float(free[0]))
    cap = PowerCap(watts=700.0 - spared, prompts=1.0, decodes=1.0, spared=spared)
    held = working_watts(replace(one, power=replace(LAW, cap=cap)), pool) / gpus
    assert held == pytest.approx(free - pool.occupancy.prefill_share * spared, rel=1e-3)
    low = PowerCap(watts=200.0, prompts=1.0, decodes=1.0, spared=500.0)
    assert np.all(working_watts(replace(one, power=replace(LAW, cap=low)), pool) / gpus <= 200.0)


def test_the_law_is_the_profiles_own_in_stored_form() -> None:
    assert isinstance(LAW, PowerLaw)
    assert H100.power.idle == 75.0


@pytest.mark.parametrize("rate", [0.2, 3.0, 8.0])
def test_what_a_pool_draws_is_what_a_run_of_it_draws(rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The law at what a run does on average; of few sequences the formula's scatter is not exactly the run's."""
    seen: list[Flow] = []

    def watched(pool: Pool, **given: Any) -> PoolRun:
        seen.append(given["flow"])
        return pool_run(pool, **given)

    monkeypatch.setattr(run, "pool_run", watched)
    one = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="bf16", tp=8, step_law="kernels")
    asked = replace(question(ttft=2.0), step_law="kernels")
    sketch = FleetSketch(pools=(PoolSketch(gpu="h100", tp=8, replicas=2, model="llama-3.1-70b"),))
    found = score(asked, sketch, [one], [(rate, atoms(3))], 16_384)
    lengths = [PoolLength(warm_up=300, measured=2000, relaxation=1.0)]
    shown = run.replicate(found.candidate.fleet, found.traffic, lengths, profiles=[one], slo=asked.slo, seed=1, index=0)
    busy, steps, mfu_seen = seen[0].rate("busy"), seen[0].rate("steps"), shown.pools[0].mfu
    assert mfu_seen is not None
    touched = float(touched_share(one.step, seen[0].rate("joined") / steps))
    context = seen[0].rate("read") + seen[0].rate("reached")
    read = steps * touched * one.bytes_per_step + context * one.kv_bytes_per_token
    law = one.power
    assert isinstance(law, PowerLaw)
    working = working_power(
        law,
        arithmetic=mfu_seen / busy,
        bandwidth=read / one.bandwidth / busy,
        waiting=one.step.overhead * steps / busy,
        ways=one.tp,
    )
    drawn = law.idle + busy * (float(working) - law.idle)
    assert found.candidate.power / found.candidate.gpus == pytest.approx(drawn, rel=0.07)
