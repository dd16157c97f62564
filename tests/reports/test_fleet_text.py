import dataclasses
from pathlib import Path

from fleettui.domain.limit import TPOT, TTFT
from fleettui.domain.plan import Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.reports import fleet_text


def test_a_replica_always_shows_its_gpus(best: Candidate) -> None:
    assert [fleet_text.gpus(pool) for pool in best.fleet.pools] == ["16 H100 tp4 x4", "8 H100 tp4 x2"]


def test_a_fleet_names_a_gpu_where_it_changes(best: Candidate, slow: Candidate) -> None:
    assert fleet_text.fleet(best.fleet) == "H100 tp4 x4 + tp4 x2"
    first, second = best.fleet.pools
    mixed = dataclasses.replace(best.fleet, pools=(first, dataclasses.replace(second, gpu="a100")))
    assert fleet_text.fleet(mixed) == "H100 tp4 x4 + A100 tp4 x2"
    assert fleet_text.gpu_total(mixed) == "16 H100 + 8 A100"
    assert fleet_text.gpu_total(slow.fleet) == "20 MI300X"


def test_a_router_by_length_has_nothing_to_choose_in_one_pool(best: Candidate) -> None:
    one = dataclasses.replace(best, fleet=dataclasses.replace(best.fleet, pools=best.fleet.pools[:1]))
    assert fleet_text.no_choice(one).startswith("router length has no pool to choose: the fleet has one")
    at_random = dataclasses.replace(one, fleet=dataclasses.replace(one.fleet, router="random"))
    assert [fleet_text.no_choice(other) for other in (best, at_random, None)] == ["", "", ""]


def test_margins_of_every_limit_that_was_set(best: Candidate, question: Question) -> None:
    assert fleet_text.margins(best, question) == [
        "P99 TTFT 12% left",
        "P99 TPOT 32% left",
        "budget 29% left",
        "power 65% left",
        "H100 24 of 40",
    ]


def test_a_broken_limit_says_by_how_much(slow: Candidate, question: Question) -> None:
    assert fleet_text.margins(slow, question)[0] == "P99 TTFT 4% over"
    assert fleet_text.tightest(slow, question.slo) == "no"


def test_the_worst_pool_counts_and_undefined_is_no_number(best: Candidate, question: Question) -> None:
    assert fleet_text.worst(best, TTFT.latency) == Estimate(value=0.44)
    assert fleet_text.tightest(best, question.slo) == "12%"
    broken = dataclasses.replace(best.pools[0], tpot=float("nan"))
    undefined = dataclasses.replace(best, pools=(broken, best.pools[1]))
    assert fleet_text.worst(undefined, TPOT.latency) is None
    assert fleet_text.margins(undefined, question)[1] == "P99 TPOT undefined"
    assert fleet_text.tightest(undefined, question.slo) == "no"


def test_behind_a_router_by_class_limits_of_batch_are_those_of_the_last_pool(best: Candidate) -> None:
    slo = Slo(further=(("batch.ttft", 2.0),))
    waits = [(("batch.ttft", float("nan")),), (("batch.ttft", 0.5),)]
    pools = tuple(dataclasses.replace(pool, further=one) for pool, one in zip(best.pools, waits, strict=True))
    by_length = dataclasses.replace(best, pools=pools)
    by_class = dataclasses.replace(by_length, fleet=dataclasses.replace(best.fleet, router="class"))
    assert fleet_text.worst(by_length, slo.limits()[0]) is None
    assert fleet_text.worst(by_class, slo.limits()[0]) == Estimate(value=0.5)
    assert [share for _, share in fleet_text.slo_margins(by_class, slo)] == [0.75]
    assert fleet_text.worst(by_class, TTFT.latency) == fleet_text.worst(by_length, TTFT.latency)


def test_proof_says_the_method_and_what_it_came_to(
    best: Candidate, proven: Candidate, unproven: Candidate, failed: Candidate
) -> None:
    words = [fleet_text.proof(one) for one in (best, proven, unproven, failed)]
    assert words == ["formula", "simulated", "not proven", "fails"]


def test_what_is_left_of_a_simulated_limit_is_left_for_certain(proven: Candidate, question: Question) -> None:
    assert fleet_text.worst(proven, TTFT.latency) == Estimate(value=0.443, low=0.439, high=0.447)
    assert fleet_text.margins(proven, question)[:2] == ["P99 TTFT 11% left", "P99 TPOT at least 30% left"]
    assert fleet_text.tightest(proven, question.slo) == "11%"


def test_what_is_left_beside_a_value_that_leaves_more_is_the_least(proven: Candidate, question: Question) -> None:
    """Found: 0.78 s of 0.8 s beside 1.0 % left, which is the interval's high end."""
    assert proven.evidence is not None
    near = Estimate(value=0.781, low=0.769, high=0.792)
    pools = tuple(dataclasses.replace(one, ttft=near) for one in proven.evidence.pools)
    close = dataclasses.replace(proven, evidence=dataclasses.replace(proven.evidence, pools=pools))
    asked = dataclasses.replace(question, slo=Slo(ttft=0.8))
    assert fleet_text.margins(close, asked)[0] == "P99 TTFT at least 1% left"
    asked = dataclasses.replace(question, slo=Slo(ttft=0.822))  # 3.65 % left at least
    assert fleet_text.margins(close, asked)[0] == "P99 TTFT at least 3% left"


def test_a_budget_that_is_met_to_the_cent_is_not_exceeded(best: Candidate, question: Question) -> None:
    """Fourteen GPUs at $2.95 are 41.300000000000004 in floats."""
    fourteen = dataclasses.replace(best, cost_per_hour=14 * 2.95)
    for budget, left in ((41.30, "budget 0% left"), (41.29, "budget <0.1% over")):
        assert left in fleet_text.margins(fourteen, dataclasses.replace(question, budget=budget))


def test_an_interval_over_the_limit_says_how_much_may_be_missing(unproven: Candidate, question: Question) -> None:
    assert fleet_text.margins(unproven, question)[0] == "P99 TTFT up to 2% over"
    assert fleet_text.tightest(unproven, question.slo) == "-2%"
    assert fleet_text.margins(unproven, dataclasses.replace(question, slo=Slo(ttft=0.3)))[0] == "P99 TTFT 70% over"


def test_the_simulation_has_the_last_word(failed: Candidate, slow: Candidate, question: Question) -> None:
    assert fleet_text.tightest(failed, question.slo) == "no"
    assert failed.evidence is not None
    passed = dataclasses.replace(failed, evidence=dataclasses.replace(failed.evidence, verdict="pass"))
    assert passed.shortfalls == slow.shortfalls != ()
    assert fleet_text.tightest(passed, question.slo) == "6%"


def test_a_fleet_that_cannot_be_had_holds_no_limit_however_it_was_simulated(
    proven: Candidate, question: Question
) -> None:
    dear = dataclasses.replace(proven, shortfalls=("budget: $71.00/h above $60.00/h",))
    assert fleet_text.broken(dear) == dear.shortfalls
    assert fleet_text.tightest(dear, question.slo) == "no"


def test_what_a_fleet_breaks_is_told_and_not_what_it_passed(proven: Candidate, failed: Candidate) -> None:
    """Found: of a fleet above the feed, simulated, that its TPOT is within its limit."""
    assert proven.evidence is not None
    within = dataclasses.replace(proven.evidence, reason="TPOT of pool all: 0.0529 s [0.0522, 0.0535] within 0.06 s")
    feed = "feed: 19.364 kW above 19 kW"
    hot = dataclasses.replace(proven, evidence=within, shortfalls=(feed,))
    assert fleet_text.why_broken(hot) == feed
    assert fleet_text.why_broken(dataclasses.replace(hot, shortfalls=())) == ""
    assert failed.evidence is not None
    assert fleet_text.why_broken(dataclasses.replace(failed, shortfalls=(*failed.shortfalls, feed))) == (
        f"{failed.evidence.reason or 'simulated: fails'}; {feed}"
    )


def test_whole_nodes_are_counted_as_they_are_taken(best: Candidate, question: Question) -> None:
    first, second = best.fleet.pools
    fleet = dataclasses.replace(best.fleet, pools=(first, dataclasses.replace(second, replicas=1)))
    small = dataclasses.replace(best, gpus=20, fleet=fleet)
    limited = dataclasses.replace(question, max_total_gpus=48)
    assert fleet_text.margins(small, limited)[-2:] == ["GPUs 20 of 48", "H100 20 of 40"]
    nodes = dataclasses.replace(limited, whole_nodes=True)
    assert fleet_text.margins(small, nodes)[-2:] == ["GPUs 24 of 48", "H100 24 of 40"]


def test_whole_nodes_of_a_file_are_those_that_it_says(best: Candidate, question: Question, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(catalog.gpu_text("gb200").replace('name = "gb200"', 'name = "mine"'), "utf-8")
    first, second = (dataclasses.replace(pool, gpu="mine", replicas=1) for pool in best.fleet.pools)
    pools = (dataclasses.replace(first, tp=1), dataclasses.replace(second, tp=1))
    own = dataclasses.replace(best, gpus=2, fleet=dataclasses.replace(best.fleet, pools=pools))
    asked = dataclasses.replace(question, gpus=(str(path),), max_gpus=(("mine", 40),), whole_nodes=True)
    assert fleet_text.margins(own, asked)[-1] == "MINE 4 of 40"
    path.unlink()
    assert fleet_text.margins(own, asked)[-1] == "MINE 2 of 40"


def test_a_value_without_an_interval_counts_as_it_is(proven: Candidate, question: Question) -> None:
    assert proven.evidence is not None
    pools = tuple(dataclasses.replace(one, ttft=Estimate(value=0.45)) for one in proven.evidence.pools)
    wide = dataclasses.replace(proven, evidence=dataclasses.replace(proven.evidence, pools=pools))
    assert fleet_text.margins(wide, question)[0] == "P99 TTFT 10% left"
    assert fleet_text.interval(pools[0].ttft) == ""


def test_beside_limits_of_their_own_only_what_has_a_limit_is_in_a_narrow_table() -> None:
    usual, own = Slo(ttft=0.5), Slo(further=(("e2e.p95", 20.0), ("ttft.p50", 0.2)))
    assert [one.label for one in fleet_text.latencies(usual)] == ["TTFT", "TPOT"]
    assert [one.label for one in fleet_text.latencies(own)] == ["P95 E2E", "P50 TTFT"]
    both = dataclasses.replace(own, tpot=0.05)
    assert [one.label for one in fleet_text.latencies(both)] == ["TPOT", "P95 E2E", "P50 TTFT"]


def test_what_is_told_beside_a_fleet_of_several_formats_names_its_own(best: Candidate) -> None:
    first, second = best.fleet.pools
    mixed = dataclasses.replace(best.fleet, pools=(first, dataclasses.replace(second, dtype="bf16")))
    assert fleet_text.told_from(dataclasses.replace(best.fleet, pools=(first,)), mixed) == "H100 fp8 tp4 x4"
