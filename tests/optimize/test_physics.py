"""No shipped workload on any model and GPU may ask more of the hardware than its datasheet offers."""

from itertools import product

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.dtype import DTYPES
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.plan import find_plan
from fleettui.workloads import library
from fleettui.workloads.atoms import pairings
from tests.repeated import few

ENDS, BETWEEN = (1, 8), (2, 4)
"""GPUs of a replica: the fewest, which hold most of the weights each, and the most, which share their work most."""


def profiles(model: str, divisions: tuple[int, ...]) -> list[Profile]:
    found = []
    for gpu in catalog.gpu_names():
        for tp in divisions:
            for dtype in DTYPES:
                try:
                    found.append(build_profile(catalog.gpu(gpu), catalog.model(model), dtype=dtype, tp=tp, price=1.0))
                except InputError:
                    continue
    return found


def cases() -> list[tuple[str, str, tuple[int, ...]]]:
    """Return every workload with every model and division; first each model once, with the workloads in turn."""
    workloads, models = library.names(), catalog.model_names()
    places = sorted(product(range(len(workloads)), range(len(models))), key=lambda at: (at[1] - at[0]) % len(workloads))
    pairs = [(workloads[workload], models[model]) for workload, model in places]
    return [(*pair, divisions) for divisions in (ENDS, BETWEEN) for pair in pairs]


@pytest.mark.parametrize(("workload", "model", "divisions"), few(cases(), 0, more=1))
def test_mfu_and_bandwidth_use_stay_below_the_peak(workload: str, model: str, divisions: tuple[int, ...]) -> None:
    """Every profile that fits, sized to 85 % busy by a loose TTFT limit: the densest use there is."""
    lengths = pairings(library.load(workload).slices[0].lengths)[0][1]
    fitting = [atom for atom in lengths if atom[1] + atom[2] <= catalog.model(model).context]
    asked = Question(demand=Demand(form="rate", rate=500.0), slo=Slo(ttft=30.0), model=model, pools=(1,))
    found = find_plan(asked, slices=[(500.0, fitting)], profiles=profiles(model, divisions), grid=(), context=131_072)
    assert found.candidates
    for one in found.candidates:
        assert 0.0 < one.pools[0].mfu < 0.6
        assert 0.0 < one.pools[0].bandwidth_use <= 0.8
