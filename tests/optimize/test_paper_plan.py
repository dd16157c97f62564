"""Plans under the papers' method reproduce their fleets and say what these imply."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import paper_profile
from fleettui.optimize.paper import uniform_atoms
from fleettui.optimize.paper_lengths import Counted, Drawn
from fleettui.optimize.paper_plan import LEFT_OUT, TIME_LEFT_OUT, PaperDemand, find_paper_plan

CDFS = Path(__file__).parents[2] / "../shared/data/paper-cdfs.json"
pytestmark = pytest.mark.skipif(not CDFS.exists(), reason="the shared data are not beside the project")


def breakpoints(name: str) -> tuple[tuple[int, float], ...]:
    return tuple((int(t), float(f)) for t, f in json.loads(CDFS.read_text())["cdfs"][name])


def answer(
    name: str, rate: float, *, gpus: tuple[str, ...], pools: tuple[int, ...], context: int, cut: int, **changes: Any
) -> Answer:
    asked = Question(demand=Demand(form="rate", rate=rate), slo=Slo(ttft=0.5), pools=pools, preset="paper", **changes)
    return find_paper_plan(
        asked,
        PaperDemand(rate=rate, lengths=Drawn(breakpoints(name))),
        gpus=[(paper_profile(gpu), catalog.gpu(gpu)) for gpu in gpus],
        model=catalog.model("llama-3.1-70b"),
        splits=(cut,),
        context=context,
    )


PUBLISHED = [
    ("azure", 1000.0, "a100", 65_536, 4096, [284], [43, 131]),
    ("lmsys", 1000.0, "a100", 65_536, 1536, [139], [7, 74]),
    ("agent-heavy", 1000.0, "a100", 65_536, 8192, [2397], [229, 2037]),
    ("azure", 100.0, "h100", 8192, 4096, [6], [3, 4]),
    ("azure", 100.0, "a10g", 8192, 4096, None, [8, 12]),
    ("agent-heavy", 20.0, "h100", 65_536, 4096, [24], [2, 23]),
]


@pytest.mark.parametrize(("name", "rate", "gpu", "context", "cut", "one", "two"), PUBLISHED)
def test_published_fleets(
    name: str, rate: float, gpu: str, context: int, cut: int, one: list[int] | None, two: list[int]
) -> None:
    for pools, printed in (((1,), one), ((2,), two)):
        if printed is not None:
            found = answer(name, rate, gpus=(gpu,), pools=pools, context=context, cut=cut)
            assert found.answer is not None
            assert [pool.replicas for pool in found.answer.fleet.pools] == printed


@pytest.mark.parametrize("rate", [1.0, 5.0, 30.0, 100.0, 1000.0])
def test_what_limits_a_pool_is_what_one_replica_fewer_breaks(rate: float) -> None:
    found = answer("azure", rate, gpus=("a100",), pools=(1, 2), context=65_536, cut=4096)
    for one in found.candidates:
        for pool, deployed in zip(one.pools, one.fleet.pools, strict=True):
            if deployed.replicas == 1:
                assert pool.limited_by == "one replica"
            else:
                fewer = pool.utilization * deployed.replicas / (deployed.replicas - 1)
                assert pool.limited_by == ("utilization" if fewer > 0.85 else "wait")


def test_the_implied_arithmetic_is_said() -> None:
    found = answer("azure", 1000.0, gpus=("a100",), pools=(1, 2), context=65_536, cut=4096)
    assert any("implied MFU" in warning for warning in found.warnings)
    assert any("cannot be run" in warning for warning in found.warnings)
    assert found.answer is not None
    assert found.answer.cost_per_hour == pytest.approx(174 * 2.21)
    assert max(pool.mfu for pool in found.answer.pools) > 1.0


T3 = [
    ("azure", 4096, 1.0, {1.0: [43, 131], 1.5: [47, 45], 2.0: [48, 2]}),
    ("lmsys", 1536, 1.0, {1.0: [7, 74], 1.5: [7, 65], 2.0: [7, 52]}),
    ("agent-heavy", 8192, 0.75, {1.0: [229, 2037], 1.5: [255, 1981]}),
]
"""FleetOpt's Table 3: workload, split, what can be compressed, and the two pools by gamma."""


@pytest.mark.parametrize(("name", "cut", "share", "printed"), T3)
def test_the_published_columns_of_each_gamma(
    name: str, cut: int, share: float, printed: dict[float, list[int]]
) -> None:
    for gamma, pools in printed.items():
        found = answer(
            name,
            1000.0,
            gpus=("a100",),
            pools=(2,),
            context=65_536,
            cut=cut,
            gamma=(gamma, gamma),
            compressible=share,
        )
        assert found.answer is not None
        assert [pool.replicas for pool in found.answer.fleet.pools] == pools
        assert (found.answer.fleet.gamma, found.answer.fleet.compressible) == (gamma, share)
        assert (LEFT_OUT in found.warnings) == (gamma > 1.0)
        assert TIME_LEFT_OUT not in found.warnings


@pytest.mark.parametrize(("rate", "gpus", "gamma"), [(100.0, 225, 1.2), (500.0, 1119, 1.5), (2000.0, 4470, 1.5)])
def test_the_published_best_of_all_factors(rate: float, gpus: int, gamma: float) -> None:
    """FleetOpt's Table 6, whose method sweeps gamma from 1 to 2."""
    found = answer(
        "agent-heavy",
        rate,
        gpus=("a100",),
        pools=(1, 2),
        context=65_536,
        cut=8192,
        gamma=(1.0, 2.0),
        compressible=0.75,
    )
    assert found.answer is not None
    assert (found.answer.gpus, found.answer.fleet.gamma) == (gpus, gamma)


def test_the_time_of_a_measured_compressor_is_said_to_be_left_out() -> None:
    measured = MeasuredShare(study="e40e", share=0.75, low=0.7, high=0.8, split=8192, gamma=1.5, seconds=0.004)
    found = answer(
        "agent-heavy",
        1000.0,
        gpus=("a100",),
        pools=(2,),
        context=65_536,
        cut=8192,
        gamma=(1.5, 1.5),
        compressible=0.75,
        compressor=measured,
    )
    assert {LEFT_OUT, TIME_LEFT_OUT} <= set(found.warnings)


def test_a_factor_that_leaves_the_long_pool_nothing_is_no_way_to_divide() -> None:
    """Twice 8,192 tokens is the longest request of azure: all but a share that cannot be compressed would be moved."""
    found = answer(
        "azure", 1000.0, gpus=("a100",), pools=(1, 2), context=65_536, cut=8192, gamma=(2.0, 2.0), compressible=0.5
    )
    assert found.answer is not None
    assert [len(one.fleet.pools) for one in found.candidates] == [1]


def test_nodes_under_repair_are_made_up_for_by_the_papers_rule() -> None:
    plain, held = (
        answer("azure", 1000.0, gpus=("a100",), pools=(2,), context=65_536, cut=4096, availability=one).answer
        for one in (None, 0.95)
    )
    assert plain is not None
    assert held is not None
    assert [pool.replicas for pool in held.fleet.pools] == [pool.replicas for pool in plain.fleet.pools] == [43, 131]
    assert [pool.replicas + pool.spares for pool in held.fleet.pools] == [46, 138]  # 45.3 and 137.9
    assert held.cost_per_hour == pytest.approx(184 * 2.21)
    assert (held.pools[0].ttft, held.gpus) == (plain.pools[0].ttft, 184)


def test_splits_with_nothing_on_one_side_are_refused() -> None:
    with pytest.raises(InputError, match="both sides"):
        answer("azure", 1000.0, gpus=("a100",), pools=(2,), context=65_536, cut=32)


def test_atoms_are_divided_and_compressed_by_the_same_rule() -> None:
    """Each whole length of azure as an atom of its own: the exact sums of model.md §10."""
    asked = Question(slo=Slo(ttft=0.5), pools=(2,), preset="paper", gamma=(1.5, 1.5))
    found = find_paper_plan(
        asked,
        PaperDemand(rate=1000.0, lengths=Counted.of(uniform_atoms(breakpoints("azure")))),
        gpus=[(paper_profile("a100"), catalog.gpu("a100"))],
        model=catalog.model("llama-3.1-70b"),
        splits=(4096,),
        context=65_536,
    )
    assert found.answer is not None
    assert [pool.replicas for pool in found.answer.fleet.pools] == [48, 45]


def test_the_verdict_is_that_of_the_ttft_it_prints() -> None:
    """Found by trying: a fleet whose P99 TTFT is 19 % over the limit was told as PASS."""
    over = answer("agent-heavy", 200.0, gpus=("a100",), pools=(2,), context=65_536, cut=32_768)
    kept = answer("agent-heavy", 200.0, gpus=("a100",), pools=(2,), context=65_536, cut=16_384)
    for found, verdict in ((over, "fail"), (kept, "pass")):
        best = found.answer
        assert best is not None
        assert best.evidence is not None
        assert (found.verdict, best.evidence.verdict) == (verdict, verdict)
        assert (max(pool.ttft for pool in best.pools) <= 0.5) == (verdict == "pass")
    assert over.why[-1].startswith("the mean prefill is over the limit")
