"""Formula against simulation over disaggregated fleets of shipped workloads."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fleettui.domain.disagg import AT_ONCE, Handover
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import cache_size, links_between
from fleettui.hardware.profile import build_profile
from fleettui.optimize.disagg import Sized, disaggregated
from fleettui.simulation.tandem_run import replicate
from fleettui.workloads import library
from tests.optimize.test_disagg import GPUS, MODEL, given

WORKLOADS = (
    "azure-2023-conv",
    "azure-2023-code",
    "arxiv-summarization",
    "mooncake-conversation",
    "servegen-deepseek-r1-h10",
)
FEWEST = 25


LANES = tuple(product(("azure-2023-conv", "arxiv-summarization"), (5.0, 40.0)))


def found(workload: str, rate: float, tpot: float, handover: Handover = AT_ONCE) -> list[Sized]:
    atoms = library.load(workload).slices[0].lengths.atoms
    longest = int(max(prompt + output for _, prompt, output in atoms)) + 1
    profiles = [build_profile(GPUS["h100"], MODEL, dtype="bf16", tp=tp, step_law="kernels") for tp in (4, 8)]
    question = Question(workload="x", slo=Slo(ttft=30.0, tpot=tpot), pools=(1,), step_law="kernels")
    values = given(question, slices=((rate, atoms),), profiles=profiles, context=longest, handover=handover)
    return disaggregated(values.pop("question"), **values)


@pytest.mark.evidence
@pytest.mark.parametrize("handover", [AT_ONCE, Handover(parts=80), Handover(first_token="decode"), Handover(short=512)])
def test_latencies_and_rates_by_formula_are_those_of_simulations(handover: Handover) -> None:
    """At two rates and three TPOT limits: P99 TTFT and TPOT within 25 % in the median, all rates within 3 %."""
    ttft, tpot, rates = [], [], []
    for workload, rate, limit in product(WORKLOADS, (10.0, 40.0), (0.03, 0.05, 0.1)):
        for one in found(workload, rate, limit, handover)[:1]:
            figures, pair = one.figures, one.pair
            atoms = library.load(workload).slices[0].lengths.atoms
            run = replicate(
                figures.fleet,
                Traffic(pools=(PoolTraffic(arrival_rate=rate, atoms=atoms),)),
                PoolLength(warm_up=20_000, measured=20_000, relaxation=0.0),
                admission="paged",
                profiles=(pair.prefill.profile, pair.decode.profile),
                slo=pair.question.slo,
                seed=1,
                index=0,
            ).pools[0]
            assert run.ttft is not None
            assert run.tpot is not None
            ttft.append(figures.ttft / run.ttft - 1.0)
            tpot.append(figures.tpot / run.tpot - 1.0)
            rates.append(run.throughput / (run.offered / run.duration) - 1.0)
    assert len(ttft) >= FEWEST
    medians = [float(np.median(np.abs(errors))) for errors in (ttft, tpot)]
    told = f"{len(ttft)} fleets: TTFT {medians[0]:.1%}, TPOT {medians[1]:.1%}, rates {max(map(abs, rates)):.1%}"
    assert max(medians) <= 0.25, told
    assert max(map(abs, rates)) <= 0.03, told


@pytest.mark.evidence
def test_prompts_wait_for_the_lanes_that_step_with_theirs() -> None:
    """DeepSeek-V3 with attention-DP: P99 TTFT by formula within 25 % of simulation, 15 % in the median."""
    gpu, model, errors = catalog.gpu("h200"), catalog.model("deepseek-v3"), []
    profile = build_profile(gpu, model, dtype="fp8", tp=8, step_law="kernels", engine="sglang", attention_dp=True)
    slo = Slo(ttft=6.0, tpot=0.06)
    question = Question(workload="x", slo=slo, pools=(1,), step_law="kernels", model="deepseek-v3", gpus=("h200",))
    for workload, rate in LANES:
        atoms = library.load(workload).slices[0].lengths.atoms
        (one,) = disaggregated(
            question,
            slices=((rate, atoms),),
            profiles=[profile],
            context=int(max(prompt + output for _, prompt, output in atoms)) + 1,
            cache_of=lambda dtype: cache_size(model, dtype),
            links_of=lambda prefill, decode: links_between(prefill, decode, {"h200": gpu}, None),
        )
        run = replicate(
            one.figures.fleet,
            Traffic(pools=(PoolTraffic(arrival_rate=rate, atoms=atoms),)),
            PoolLength(warm_up=2_000, measured=8_000, relaxation=0.0),
            admission="paged",
            profiles=(one.pair.prefill.profile, one.pair.decode.profile),
            slo=slo,
            seed=1,
            index=0,
        ).pools[0]
        assert run.ttft is not None
        errors.append(one.figures.ttft / run.ttft - 1.0)
    assert max(map(abs, errors)) <= 0.25, errors
    assert float(np.median(np.abs(errors))) <= 0.15, errors
