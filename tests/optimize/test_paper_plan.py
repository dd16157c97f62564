"""Plans under the papers' method reproduce their fleets and say what these imply."""

import json
from pathlib import Path

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Demand, Question, Slo
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import paper_profile
from fleettui.optimize.paper import uniform_atoms
from fleettui.optimize.paper_plan import PaperDemand, find_paper_plan

CDFS = Path(__file__).parents[2] / "../shared/data/paper-cdfs.json"
pytestmark = pytest.mark.skipif(not CDFS.exists(), reason="the shared data are not beside the project")


def answer(name: str, rate: float, *, gpus: tuple[str, ...], pools: tuple[int, ...], context: int, cut: int) -> Answer:
    cdf = tuple((int(t), float(f)) for t, f in json.loads(CDFS.read_text())["cdfs"][name])
    asked = Question(demand=Demand(form="rate", rate=rate), slo=Slo(ttft=0.5), pools=pools, preset="paper")
    return find_paper_plan(
        asked,
        PaperDemand(rate=rate, atoms=uniform_atoms(cdf), cdf=cdf),
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


def test_the_implied_arithmetic_is_said() -> None:
    found = answer("azure", 1000.0, gpus=("a100",), pools=(1, 2), context=65_536, cut=4096)
    assert any("implied MFU" in warning for warning in found.warnings)
    assert any("cannot be run" in warning for warning in found.warnings)
    assert found.answer is not None
    assert found.answer.cost_per_hour == pytest.approx(174 * 2.21)
    assert max(pool.mfu for pool in found.answer.pools) > 1.0
