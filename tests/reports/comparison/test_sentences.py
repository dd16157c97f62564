import re
from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.length_factors import Lengths
from fleettui.domain.plan import ENGINE_VERSION
from fleettui.domain.redundancy import PoolRedundancy, Redundancy, Serving, StandBy
from fleettui.reports.comparison.model import Compared
from fleettui.reports.comparison.sentences import sentences, warnings
from tests.reports.comparison.conftest import Make, at
from tests.reports.conftest import simulated, two_pools


def test_the_sentence_says_cost_and_latency(base: Compared, other: Compared) -> None:
    assert sentences((base, other)) == (
        "40f2 costs $6.98/h more than 41a7 (+16.7%); its P99 TTFT is 12% shorter, which is proven.",
    )
    assert sentences((other, base))[0].startswith("41a7 costs $6.98/h less than 40f2 (-14.3%)")


def test_what_is_not_proven_is_said_with_the_proof_that_would_tell(base: Compared, make: Make) -> None:
    near = make("40e9", at(simulated(two_pools(cost=41.88)), 0.45, 0.02))
    assert sentences((base, near)) == ("40e9 costs what 41a7 costs; that its P99 TTFT differs is not proven.",)
    (words,) = warnings((base, near))
    width = re.search(r"--precision ([\d.]+)%", words)
    assert width
    half = float(width[1]) / 100
    assert 0.443 * (1 + half) <= 0.45 * (1 - half) * (1 + 1e-3), "intervals of that width would lie apart"


def test_figures_that_are_as_good_as_the_same_ask_for_no_proof(base: Compared, make: Make) -> None:
    near = make("40e9", at(simulated(two_pools(cost=41.88)), 0.4431, 0.02))
    assert warnings((base, near)) == ("P99 TTFT of 41a7 and 40e9 are as good as the same",)


def test_formula_values_are_told_apart(base: Compared, estimate: Compared, make: Make) -> None:
    told = "its P99 TTFT is not held to the other's: only 41a7 is simulated."
    assert sentences((base, estimate))[0].endswith(told)
    assert sentences((estimate, base))[0].endswith(told)
    both = make("40f2", two_pools(cost=48.86)), estimate
    assert sentences(both)[0].endswith("its P99 TTFT is the same by formula, not simulated.")
    assert any(
        words.startswith("~ is by formula, not simulated: fleettui verify 41b3") for words in warnings((base, estimate))
    )
    assert not warnings((base, base))


def test_where_no_fleet_holds_nothing_is_compared(base: Compared, make: Make) -> None:
    none = make("2d3f", None)
    for pair in ((base, none), (none, base)):
        assert sentences(pair) == ("2d3f has no fleet that holds every limit: there is nothing to compare with.",)


def test_another_verdict_stands_in_the_sentence(base: Compared, make: Make) -> None:
    assert sentences((base, make("40f2", base.fleet, verdict="fail")))[0].endswith("; it is FAIL where 41a7 is PASS.")


def test_the_sentence_says_who_is_surer_and_who_stands_failures(base: Compared, other: Compared) -> None:
    def known(plan: Compared, holds: float, spares: int, up: float | None = None) -> Compared:
        assert plan.fleet is not None
        pools = tuple(replace(pool, spares=spares) for pool in plan.fleet.fleet.pools)
        fleet = replace(plan.fleet, fleet=replace(plan.fleet.fleet, pools=pools))
        sure = Confidence(holds=holds, replicas=None, gpus=None, cost=None, span=(None, None))
        serving = Serving(ttft=0.4, holds=True)
        choice = StandBy(spares=spares, gpus=8, cost=9.0, up=up or 0.0, all_up=serving, one_down=serving)
        pool = PoolRedundancy(name="short", replicas=2, spares=spares, choices=(choice,))
        stands = None if up is None else Redundancy(of="node", up=0.98, target=0.999, pools=(pool,))
        return replace(plan, answer=replace(plan.answer, answer=fleet, confidence=sure, redundancy=stands))

    (said,) = sentences((known(base, 0.54, 4, 0.9999), known(other, 0.79, 1)))
    assert said.endswith(
        ", which is proven; it is 79% sure to suffice where 41a7 is 54%; "
        "it stands failures less, with 2 spare replicas where 41a7 has 8."
    )
    (said,) = sentences((known(base, 0.54, 1, 0.99), known(other, 0.544, 1, 0.999)))
    assert said.endswith(
        ", which is proven; it stands failures more, with all that it needs up 99.9% of the time where 41a7 has 99%."
    )


def test_of_three_the_cheapest_and_the_fastest_that_pass_are_named(
    base: Compared, other: Compared, estimate: Compared, make: Make
) -> None:
    failing = make("5f00", at(simulated(two_pools(cost=1.0)), 0.1, 0.001), verdict="fail")
    found = sentences((base, other, failing))
    assert found[-1] == "Of those that pass, 41a7 is cheapest and 40f2 has the shortest P99 TTFT."
    mixed = sentences((base, other, estimate))[-1]
    assert "41b3 (by formula) is cheapest and 40f2 has the shortest P99 TTFT of those simulated" in mixed
    slow = make("9a9a", at(simulated(two_pools(cost=50.0)), 0.6, 0.001))
    assert sentences((base, other, slow))[-1].startswith("Another that passes is no worse than 9a9a")
    assert sentences((failing, failing, failing))[-1] == "None of them passes."


def test_what_makes_plans_less_comparable_is_warned_of(base: Compared, make: Make) -> None:
    fleet = base.fleet
    aged = make("1111", fleet, engine=1)
    assert warnings((base, aged))[0].startswith(f"made by engines 1 and {ENGINE_VERSION}: figures may differ for that")
    (changed,) = warnings((base, make("2222", fleet, workload="food")))
    assert "has changed between them: it had other lengths or arrivals then" in changed
    shorter = make("2222", fleet, workload="food")
    asked = replace(shorter.question, lengths=Lengths(prompt=0.9))
    assert warnings((base, replace(shorter, question=asked))) == (), "it is the same workload, scaled"
    dear = [make(name, fleet, prices=(("h100", price),)) for name, price in (("3333", 2.0), ("4444", 2.5))]
    assert warnings(dear) == ("the catalogue's price of H100 has changed between them",)


@pytest.mark.parametrize("preset", ["paper"])
def test_another_preset_is_warned_of(base: Compared, make: Make, preset: str) -> None:
    assert any("preset paper" in words for words in warnings((base, make("5555", base.fleet, preset=preset))))


def test_steps_that_are_timed_otherwise_are_warned_of(base: Compared, make: Make) -> None:
    measured = make("5556", base.fleet, step_law="kernels")
    assert base.question.step_law == "roofline"
    told = "their steps are timed by kernels and roofline: a part of what differs may be that alone"
    assert warnings((base, measured)) == (told,)
    assert not warnings((measured, measured))


def test_other_traffic_and_other_typed_prices_are_warned_of(base: Compared, make: Make) -> None:
    busier = replace(base, answer=replace(base.answer, demand=replace(base.answer.demand, rate=120.0)))
    (told,) = warnings((base, busier))
    assert "azure-2023-conv at 120/s" in told
    assert "may have less to do" in told
    assert len(sentences((base, busier, busier))) == 2, "among other traffic there is no choice"
    code = make("6666", base.fleet)
    code = replace(code, question=replace(code.question, workload="/data/mine.csv"))
    assert "mine.csv at" in warnings((base, code))[0]
    cheap = make("7777", base.fleet, prices=(("h100", 2.1),))
    cheap = replace(cheap, question=replace(cheap.question, prices=(("h100", 2.1),)))
    dear = make("8888", base.fleet, prices=(("h100", 2.95),))
    (told,) = warnings((dear, cheap))
    assert told == "H100 has other prices in them ($2.95/h -> $2.10/h): a part of the cost is the price alone"
    assert "($2.10/h -> $2.95/h)" in warnings((cheap, dear))[0]
    assert "($2.95/h, $2.10/h)" in warnings((dear, cheap, cheap))[0]


def test_prices_of_gpus_that_no_fleet_has_are_no_part_of_a_cost(base: Compared, make: Make) -> None:
    """Found: two plans of 24 H100, of which H200 cost other prices: "a part of the cost is the price alone"."""
    plans = [make(name, base.fleet, prices=(("h200", cost),)) for name, cost in (("7777", 4.0), ("8888", 3.6))]
    asked = [replace(one, question=replace(one.question, prices=one.prices)) for one in plans]
    assert not any("H200" in told for told in warnings(asked))


def test_every_plans_dollars_say_class_and_date(base: Compared, make: Make) -> None:
    assert base.fleet is not None
    counts = base.fleet.fleet.gpus_by_type

    def priced(handle: str, cost: float) -> Compared:
        found = make(handle, replace(base.fleet, cost_per_hour=cost * sum(counts.values())))  # type: ignore[type-var]
        typed = tuple((gpu, cost) for gpu in counts)
        return replace(found, question=replace(found.question, prices=typed))

    def told(*plans: Compared) -> str:
        return next(one for one in warnings(plans) if one.startswith("prices: "))

    one = ", ".join(f"{gpu.upper()} $2.10/h as typed" for gpu in counts)
    two = one.replace("2.10", "2.95")
    assert told(priced("7777", 2.1), priced("8888", 2.1)) == f"prices: {one}"
    assert told(priced("7777", 2.1), priced("8888", 2.95)) == f"prices: 7777 {one}; 8888 {two}"


def test_a_plan_with_more_redundancy_is_not_beaten_by_a_cheaper_one_with_less(base: Compared, make: Make) -> None:
    """The first is no faster than the second, and the third the dearest."""
    plain = at(simulated(two_pools(cost=41.88)), 0.443, 0.001)
    pools = tuple(replace(pool, spares=2) for pool in plain.fleet.pools)
    spared = replace(plain, fleet=replace(plain.fleet, pools=pools), cost_per_hour=60.0)
    dear = replace(plain, cost_per_hour=70.0)
    found = sentences((base, make("40f2", spared), make("9a9a", dear)))
    assert (
        found[-1]
        == "Another that passes is no worse than 9a9a in redundancy, cost and every latency, and better in one."
    )
    share = Redundancy(of="node", up=0.99, target=0.99, pools=())
    known = [replace(one, answer=replace(one.answer, redundancy=share)) for one in (base, make("40f2", spared))]
    assert sentences((*known, make("5f00", plain)))[-1].startswith("Another that passes is no worse than 40f2")
