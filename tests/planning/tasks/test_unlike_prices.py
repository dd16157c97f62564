"""A ranking that rests on prices of unlike class says so, and no other does."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.planning.tasks import unlike_prices as of_task
from tests.store import samples

ASKED = Question(workload="chat", slo=Slo(ttft=0.5))


def unlike_prices(
    best: Candidate | None, candidates: Sequence[Candidate], question: Question, more: Collection[Fleet] = ()
) -> str:
    """Return what is told of posted prices, empty where nothing is."""
    found = of_task.unlike_prices(best, candidates, question, more)
    return "" if found is None else found.told


def of(gpu: str, replicas: int, *more: tuple[str, int]) -> Candidate:
    """Return a fleet of so many GPUs of a type, and of others, at the catalogue's prices."""
    pools = tuple(
        replace(samples.pool(name, name, 4096 * place, 4096 * (place + 1), count), tp=1)
        for place, (name, count) in enumerate(((gpu, replicas), *more))
    )
    cost = 0.0
    for pool in pools:
        price = catalog.gpu(pool.gpu).price
        assert price is not None
        cost += pool.gpus * price.per_hour
    fleet = Fleet(pools=pools)
    return replace(samples.candidate(cost=cost), gpus=fleet.gpus, fleet=fleet, shortfalls=())


def test_a_marketplace_against_a_median_is_told_with_what_to_type() -> None:
    """Found: H100 a median of 37 providers, L40S one marketplace, MI300X 1.99 beside 6.00 elsewhere."""
    best, other = of("l40s", 8), of("h100", 3)
    told = unlike_prices(best, [best, other], ASKED)
    assert told == "posted prices: --price l40s=1.8: this $14.40/h, ~3 H100 ~$8.85/h"  # 3 at 2.95, 8 at 1.80
    told = unlike_prices(best, [best, other], ASKED, [other.fleet])
    assert told.endswith("this $14.40/h, at least 3 H100 ~$8.85/h"), "the formulas were seen to ask for too few"


def test_the_cheapest_at_these_prices_is_told_whatever_its_own_are() -> None:
    """Found: 40 H200 for $160/h beside MI300X at $6, where 20 B200 cost $105."""
    asked, best = replace(ASKED, prices=(("b200", 8.0),)), of("l40s", 8)
    other, cheaper = of("h100", 3), replace(of("b200", 1), cost_per_hour=8.0)
    told = unlike_prices(best, [best, other, cheaper], asked)
    assert told == "posted prices: --price l40s=1.8: this $14.40/h, ~1 B200 ~$8.00/h"
    assert unlike_prices(best, [best, cheaper], asked) == "", "both prices are as they are"
    failing = replace(cheaper, cost_per_hour=best.cost_per_hour - 1.0)
    assert "3 H100" in unlike_prices(best, [best, other, failing], asked), "not the answer for a reason"


def test_as_few_prices_are_named_as_turn_the_ranking_and_typed_they_do() -> None:
    best, other = of("l40s", 8), of("h100", 4)
    told = unlike_prices(best, [best, other], ASKED)
    assert told == "posted prices: --price l40s=1.8: this $14.40/h, ~4 H100 ~$11.80/h"
    assert pytest.approx(2.6) == 8 * 1.8 - 4 * 2.95
    both = unlike_prices(best, [of("h100", 5)], ASKED)
    assert both.endswith("--price l40s=1.8,h100=2.5: this $14.40/h, ~5 H100 ~$12.50/h")  # neither alone


def test_prices_of_one_class_typed_ones_and_clear_savings_are_not_told() -> None:
    best = of("mi300x", 4)
    assert unlike_prices(best, [best, of("h100", 5)], ASKED) == "", "both are medians"
    typed = replace(ASKED, prices=(("l40s", 0.8), ("h100", 3.0)))
    assert unlike_prices(of("l40s", 8), [of("h100", 3)], typed) == ""
    assert unlike_prices(of("l40s", 8), [of("h100", 8)], ASKED) == "", "dearer at any price that was posted"
    assert unlike_prices(of("l40s", 8), [of("h100", 1)], ASKED) == "", (
        "cheaper as it is, and not the answer for a reason"
    )
    breaking = replace(of("h100", 3), shortfalls=("P99 TTFT 0.52 s is above 500ms",))
    assert unlike_prices(of("l40s", 8), [breaking], ASKED) == ""
    assert unlike_prices(None, [best], ASKED) == ""
    assert unlike_prices(of("l40s", 8), [of("h100", 3)], replace(ASKED, preset="paper")) == ""


def test_a_fleet_of_which_much_less_is_known_is_not_made_cheaper_by_a_price() -> None:
    """Found: MI300X, set aside while it was cheaper as it was, was said to save money where B200 cost more."""
    best, other = replace(of("l40s", 8), band=(0.9, 1.1)), of("h100", 3)
    assert unlike_prices(best, [replace(other, band=(0.4, 2.0))], ASKED) == ""
    assert unlike_prices(best, [replace(other, band=(0.85, 1.15))], ASKED)


def test_of_fleets_that_share_gpus_only_the_others_prices_count() -> None:
    best, mixed = of("h100", 4, ("l40s", 1)), of("h100", 4, ("a100", 1))
    told = unlike_prices(best, [mixed], ASKED)
    assert ", ~4 H100 + 1 A100 ~$" in told
    assert "h100=" not in told


def test_a_fleet_at_a_typed_price_may_be_what_is_cheaper_at_posted_ones() -> None:
    """A100 the middle of a range, H100 a median; B200 as typed costs least once H100 is what some ask for it."""
    best, other, dearer = of("h100", 4, ("a100", 6)), of("b200", 3), of("h200", 8)
    asked = replace(ASKED, prices=(("b200", 7.5),))
    at_typed = replace(other, cost_per_hour=22.5)
    told = unlike_prices(best, [best, at_typed, dearer], asked)
    assert told.endswith(f"this ${4 * 6.88 + 6 * 1.3:.2f}/h, ~3 B200 ~$22.50/h")


def test_whole_nodes_are_paid_for_at_posted_prices_too() -> None:
    """Found: of 8 H100 that are paid for the 2 that are used cost what was posted: $95.46 where it came to $119.04."""
    whole = replace(ASKED, whole_nodes=True)
    best, mixed = of("h100", 24), of("h100", 2, ("h200", 16))
    in_nodes = replace(mixed, cost_per_hour=mixed.cost_per_hour + 6 * 2.95)
    told = unlike_prices(best, [best, in_nodes], whole)
    assert told == "posted prices: --price h100=6.88: this $165.12/h, ~2 H100 + 16 H200 ~$119.04/h"
    eight = replace(of("h100", 17), cost_per_hour=24 * 2.95)
    assert unlike_prices(eight, [of("h100", 24, ("l40s", 8))], whole) == "", "as many H100 are paid for"
