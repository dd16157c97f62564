"""What the reasons stand on: a pool's load is that of the plan, and a question without hardware has no fleet."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.reasons.inputs import hardware, resized, sizes, words
from tests.optimize.reasons.grounds import answer_of, ground
from tests.optimize.samples import atoms, profile, question


@pytest.mark.parametrize("admission", ["paged", "reserved"])
@pytest.mark.parametrize("pools", [1, 2])
def test_a_pools_load_is_that_of_the_plan(pools: int, admission: str) -> None:
    base = ground(question(ttft=0.8, pools=(pools,), admission=admission), 60.0, atoms(5), [profile("fast")])
    answer = answer_of(base)
    fixed = base.standing(answer)
    for place, figures in enumerate(answer.pools):
        load = base.load(fixed, place)
        assert float(load.occupancy.utilization[0]) == pytest.approx(figures.utilization, rel=1e-9)
        assert float(load.arrival_rate[0]) == pytest.approx(figures.arrival_rate, rel=1e-9)
        twice = base.load(fixed, place, 2.0 * answer.fleet.pools[place].replicas)
        assert float(twice.occupancy.utilization[0]) == pytest.approx(figures.utilization / 2.0, rel=1e-9)


def test_hardware_that_serves_nothing_is_no_fleet() -> None:
    base = ground(question(ttft=0.8, pools=(1,)), 60.0, atoms(5), [profile("fast")])

    def refuse(asked: Question) -> Answer:
        raise InputError("nothing fits")

    assert base.best(base.question) == answer_of(base)
    assert replace(base, find=refuse).best(base.question) is None


def test_a_fleet_in_words_and_sizes() -> None:
    base = ground(question(ttft=0.8, pools=(2,)), 60.0, atoms(5), [profile("fast")])
    answer = answer_of(base)
    short, long = sizes(answer)
    assert words(answer) == f"FAST tp2 x{short} + tp2 x{long}"
    assert hardware(answer) == (("fast", "bf16", "tp2", short), ("fast", "bf16", "tp2", long))
    assert resized(answer, 1, -1) == (short, long - 1)
