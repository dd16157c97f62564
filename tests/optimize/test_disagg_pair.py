"""Formula against simulation over disaggregated fleets of shipped workloads."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fleettui.domain.disagg import AT_ONCE, Handover
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.domain.slo import Slo
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


def found(workload: str, rate: float, tpot: float, handover: Handover = AT_ONCE) -> list[Sized]:
    atoms = library.load(workload).slices[0].lengths.atoms
    longest = int(max(prompt + output for _, prompt, output in atoms)) + 1
    profiles = [build_profile(GPUS["h100"], MODEL, dtype="bf16", tp=tp, step_law="kernels") for tp in (4, 8)]
    question = Question(workload="x", slo=Slo(ttft=30.0, tpot=tpot), pools=(1,), step_law="kernels")
    values = given(question, slices=((rate, atoms),), profiles=profiles, context=longest, handover=handover)
    return disaggregated(values.pop("question"), **values)


@pytest.mark.evidence
@pytest.mark.parametrize("handover", [AT_ONCE, Handover(parts=80), Handover(first_token="decode")])
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
                PoolLength(warm_up=5_000, measured=20_000, relaxation=0.0),
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
