"""Advice is tried before it is printed: its size stands with it, and what changes nothing is not said."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.workload import ArrivalStatistics, Workload
from fleettui.planning.tasks.tried_advice import Tried, with_one_pool
from tests.planning.tasks.test_input_warnings import ATOMS, Timed
from tests.reports.conftest import too_slow, two_pools

RATE = DerivedDemand(rate=2.0, arithmetic="")
BURSTY = ArrivalStatistics(dispersion=((60.0, 16.4),), mean_rate=5.0)
ONE = replace(too_slow(), shortfalls=())
ASKED = Question(slo=Slo(ttft=0.5))


def answer(found: Candidate | None) -> Answer:
    return Answer(verdict="infeasible" if found is None else "pass", demand=RATE, answer=found)


def said(workload: Workload, found: Candidate | None, asked: Question = ASKED, best: Candidate = ONE) -> list[str]:
    """Return what is advised where every other question is answered by `found`."""
    return [one.told() for one in tried(answer(best), answer(found), asked).advice(workload)]


def tried(own: Answer, other: Answer, asked: Question = ASKED, node: int = 1) -> Tried:
    """Return advice where every other question is answered by `other`, and nodes of so many GPUs are paid for."""
    return Tried(
        question=asked,
        answer=own,
        again=lambda _: other,
        anew=lambda _: other,
        paid=lambda one: -(-one.gpus // node) * node,
    )


@pytest.fixture
def bursty(timed: Timed) -> Workload:
    return replace(timed((0.0, 60.0, 2.0, ATOMS)), arrivals=BURSTY)


def test_bursts_are_told_with_what_they_take(bursty: Workload) -> None:
    more = replace(ONE, gpus=28, cost_per_hour=80.0)
    assert said(bursty, more) == ["bursts: 99% of minutes are below 3.09/s: ~8 more like these, --rate 3.09/s"]
    assert said(bursty, None) == ["bursts: 99% of minutes are below 3.09/s: no fleet holds, --rate 3.09/s"]
    assert said(bursty, ONE) == [], "what changes nothing is not said"
    assert said(replace(bursty, arrivals=ArrivalStatistics(dispersion=((60.0, 2.0),), mean_rate=5.0)), more) == []
    closed = Demand(form="concurrency", concurrency=9)
    assert said(bursty, more, replace(ASKED, demand=closed)) == []


def test_bursts_take_whole_nodes_where_those_are_paid_for(bursty: Workload) -> None:
    best, more = replace(ONE, gpus=20), replace(ONE, gpus=32, cost_per_hour=90.0)
    found = [one.told() for one in tried(answer(best), answer(more), node=8).advice(bursty)]
    assert found == ["bursts: 99% of minutes are below 3.09/s: ~8 more like these, --rate 3.09/s"]


def test_a_limit_on_the_floor_is_told_where_a_looser_one_is_cheaper(timed: Timed) -> None:
    plain = timed((0.0, 60.0, 2.0, ATOMS))
    edge = replace(ONE, pools=(replace(ONE.pools[0], limited_by="TTFT", utilization=0.2),))
    less = replace(ONE, gpus=12, cost_per_hour=20.0)
    assert said(plain, less, best=edge) == ["pool all: a looser limit takes ~8 GPUs fewer: --slo-ttft 550ms"]
    assert said(plain, edge, best=edge) == []
    busy = replace(edge, pools=(replace(edge.pools[0], utilization=0.5),))
    assert said(plain, less, best=busy) == []
    twice = replace(edge, pools=(edge.pools[0], edge.pools[0]))
    assert len(said(plain, less, best=twice)) == 1, "one looser limit is told once"


def test_what_one_pool_takes_stands_beside_the_router_that_must_know_outputs() -> None:
    warnings = ("router length must know outputs", "pool short: something else")
    alone = two_pools()
    alone = replace(alone, gpus=32, fleet=replace(alone.fleet, pools=alone.fleet.pools[1:]))
    both = replace(answer(two_pools()), candidates=(two_pools(), alone))
    found = tried(both, both).told(warnings)
    assert found == (f"{warnings[0]}; --pools 1 need not: ~8 GPUs more", warnings[1])
    assert with_one_pool(found, two_pools(), None) == warnings, "what is told anew is told once"


def test_what_one_pool_of_other_gpus_takes_is_told_in_dollars() -> None:
    """Found: 4 A100 were told as 2 GPUs more than 1 L40S with 1 H100."""
    told = ("router length must know outputs",)
    dearer, alike = replace(ONE, cost_per_hour=73.16), replace(ONE, cost_per_hour=71.0)
    assert with_one_pool(told, two_pools(), dearer) == (f"{told[0]}; --pools 1 need not: ~$2.16/h more",)
    assert with_one_pool(told, two_pools(), alike) == (f"{told[0]}; --pools 1 need not: for about as much",)


def test_more_of_the_same_that_divide_elsewhere_are_not_like_these(bursty: Workload) -> None:
    own = two_pools()
    same, other = (
        said(bursty, replace(two_pools(split=split), gpus=own.gpus + 8, cost_per_hour=99.0), best=own)
        for split in (4096, 8192)
    )
    assert same == ["bursts: 99% of minutes are below 3.09/s: ~8 more like these, --rate 3.09/s"]
    assert other == ["bursts: 99% of minutes are below 3.09/s: ~8 GPUs more, --rate 3.09/s"]
