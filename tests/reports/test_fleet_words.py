import dataclasses

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_words


def test_a_replica_always_shows_its_gpus(best: Candidate) -> None:
    assert [fleet_words.gpus(pool) for pool in best.fleet.pools] == ["16 H100 tp4 x 4", "8 H100 tp4 x 2"]


def test_a_fleet_names_a_gpu_where_it_changes(best: Candidate, slow: Candidate) -> None:
    assert fleet_words.fleet(best.fleet) == "H100 tp4 x4 + tp4 x2"
    first, second = best.fleet.pools
    mixed = dataclasses.replace(best.fleet, pools=(first, dataclasses.replace(second, gpu="a100")))
    assert fleet_words.fleet(mixed) == "H100 tp4 x4 + A100 tp4 x2"
    assert fleet_words.gpu_total(mixed) == "16 H100 + 8 A100"
    assert fleet_words.gpu_total(slow.fleet) == "20 MI300X"


def test_margins_of_every_limit_that_was_set(best: Candidate, question: Question) -> None:
    assert fleet_words.margins(best, question) == [
        "P99 TTFT 12% left",
        "P99 TPOT 32% left",
        "budget 29% left",
        "power 65% left",
        "H100 24 of 40",
    ]


def test_a_broken_limit_says_by_how_much(slow: Candidate, question: Question) -> None:
    assert fleet_words.margins(slow, question)[0] == "P99 TTFT 4% over"
    assert fleet_words.tightest(slow, question.slo) == "no"


def test_the_worst_pool_counts_and_undefined_is_no_number(best: Candidate, question: Question) -> None:
    assert fleet_words.worst(best, "ttft") == 0.44
    assert fleet_words.tightest(best, question.slo) == "12%"
    broken = dataclasses.replace(best.pools[0], tpot=float("nan"))
    undefined = dataclasses.replace(best, pools=(broken, best.pools[1]))
    assert fleet_words.worst(undefined, "tpot") is None
    assert fleet_words.margins(undefined, question)[1] == "P99 TPOT undefined"
    assert fleet_words.tightest(undefined, question.slo) == "no"


def test_proof_is_a_word(best: Candidate, proven: Candidate) -> None:
    assert (fleet_words.proof(best), fleet_words.proof(proven)) == ("formula", "simulated")
