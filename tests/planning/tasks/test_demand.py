import math
from collections.abc import Callable
from dataclasses import MISSING, fields, replace

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.plan import Answer, Candidate, PoolFigures
from fleettui.domain.serialization import from_plain
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.tasks.demand import BISECTIONS, SECANTS, answer_demand, mean_residence, rate_of, rate_of_fleet
from fleettui.planning.tasks.workload_slices import cases_of

ATOMS = ((1.0, 100.0, 20.0),)
Timed = Callable[..., Workload]


def _candidate(rate: float, residence: float) -> Candidate:
    """A fleet of four replicas in which a request stays `residence` seconds."""
    pool = Pool(
        name="all",
        gpu="h100",
        model="m",
        dtype="bf16",
        tp=1,
        replicas=4,
        context=256,
        concurrency=8,
        max_num_seqs=8,
        token_budget=2048,
        above=0,
        up_to=256,
        profile=PoolProfile(base_step_time=1.0, time_per_context_token=0.0, time_per_prompt_token=0.0, kv_blocks=9),
    )
    given = {"name": "all", "arrival_rate": rate, "batch": rate * residence / 4, "limited_by": "utilization"}
    figures = from_plain(
        PoolFigures, {field.name: 0.0 for field in fields(PoolFigures) if field.default is MISSING} | given
    )
    return Candidate(
        gpus=4,
        cost_per_hour=8.0,
        cost_per_million_output_tokens=0.1,
        power=0.0,
        gpus_range=(3, 5),
        model_error=0.25,
        fleet=Fleet(pools=(pool,)),
        pools=(figures,),
    )


def _finder(residence: Callable[[float], float], asked: list[float]) -> Callable[[DerivedDemand], Answer]:
    def find(derived: DerivedDemand) -> Answer:
        asked.append(derived.rate)
        return Answer(verdict="pass", demand=derived, answer=_candidate(derived.rate, residence(derived.rate)))

    return find


def test_a_rate_is_asked_once(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    asked: list[float] = []
    answer = answer_demand(Demand(form="rate", rate=5.0), case, _finder(lambda _: 1.0, asked))
    assert asked == [5.0]
    assert answer.demand.rate == 5.0


def test_the_traces_own_rate(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    assert rate_of(Demand(), case).rate == 2.0


def test_without_times_there_is_no_own_rate(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 0.0, None, ATOMS)))
    with pytest.raises(InputError, match="add --rate"):
        rate_of(Demand(), case)


def test_several_slices_say_which_one_gets_the_rate(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS), (60.0, 60.0, 3.0, ATOMS)))
    assert rate_of(Demand(), case) == DerivedDemand(rate=3.0, arithmetic="the busiest of 2 time slices: 3 requests/s")
    derived = rate_of(Demand(form="rate", rate=9.0), case)
    assert derived.rate == 9.0
    assert "the busiest of 2 time slices gets it" in derived.arithmetic


def test_tokens_a_day_are_divided_by_the_mean_request(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 0.0, None, ATOMS)))
    derived = rate_of(Demand(form="tokens", tokens=1200.0, peak_hour=1 / 24), case)
    assert derived.rate == pytest.approx(10.0)


def test_a_closed_loop_obeys_littles_law(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    asked: list[float] = []
    demand = Demand(form="concurrency", concurrency=400, think=20.0)
    answer = answer_demand(demand, case, _finder(lambda rate: 2.0 + rate / 100, asked))
    assert answer.answer is not None
    residence = mean_residence(answer.answer)
    assert answer.demand.rate * (residence + 20.0) == pytest.approx(400, rel=0.01)
    assert len(asked) < 10


def test_a_loop_that_does_not_settle_takes_the_busier_rate(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    asked: list[float] = []
    demand = Demand(form="concurrency", concurrency=100)
    answer = answer_demand(demand, case, _finder(lambda rate: 4.0 if rate > 30 else 2.0, asked))
    assert answer.demand.rate == pytest.approx(max(asked[8:]))
    assert 30 < answer.demand.rate < 50


def test_an_infeasible_loop_ends_at_once(timed: Timed) -> None:
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    asked: list[float] = []
    find = _finder(lambda _: 1.0, asked)
    demand = Demand(form="concurrency", concurrency=100)
    answer = answer_demand(demand, case, lambda derived: replace(find(derived), verdict="infeasible", answer=None))
    assert answer.answer is None
    assert len(asked) == 1


def test_residence_is_requests_inside_over_requests_per_second() -> None:
    assert mean_residence(_candidate(10.0, 3.0)) == pytest.approx(3.0)


@pytest.mark.parametrize("clients", [1, 200, 50_000])
@pytest.mark.parametrize("think", [0.0, 20.0, 1e3])
@pytest.mark.parametrize("full", [0.01, 3.0, 1e5])
def test_a_fleet_has_the_rate_at_which_its_clients_drive_it_after_few_trials(
    timed: Timed, clients: int, think: float, full: float
) -> None:
    """Two seconds alone, ever longer towards a fleet's full rate: X·(2/(1 - X/full) + Z) = N is a quadratic in X."""
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    asked: list[float] = []

    def at(rate: float) -> Candidate:
        asked.append(rate)
        found = _candidate(rate, 2.0 / (1.0 - rate / full) if rate < full else -1.0)
        return replace(found, pools=(replace(found.pools[0], utilization=rate / full),))

    found = rate_of_fleet(Demand(form="concurrency", concurrency=clients, think=think), case, at)
    b = clients + full * (2.0 + think)
    exact = 2.0 * full * clients / (b + math.sqrt(b * b - 4.0 * think * full * clients))
    assert found.rate == pytest.approx(exact, rel=1e-9)
    assert len(asked) <= (14 if exact < full / 2 else SECANTS + BISECTIONS)


def test_clients_that_think_for_ages_are_too_slow_for_any_rate_or_have_one(timed: Timed) -> None:
    """A rate below the least that is planned for is what is wrong, not a residence that no digit is left of."""
    (case,) = cases_of(timed((0.0, 60.0, 2.0, ATOMS)))
    seldom = Demand(form="concurrency", concurrency=1, think=1e6)
    with pytest.raises(InputError, match="requests/s"):
        rate_of_fleet(seldom, case, lambda rate: _candidate(rate, 2.0))
    many = Demand(form="concurrency", concurrency=10**9, think=1e12)
    assert rate_of_fleet(many, case, lambda rate: _candidate(rate, 2.0)).rate == pytest.approx(1e-3, rel=1e-9)


def test_what_is_in_front_ends_is_in_the_system() -> None:
    one = _candidate(8.0, 2.0)
    (pool,) = one.fleet.pools
    slow = replace(pool, profile=replace(pool.profile, front_end=0.5))
    assert mean_residence(one) == pytest.approx(2.0)
    assert mean_residence(replace(one, fleet=Fleet(pools=(slow,)))) == pytest.approx(2.5)
