"""Plans of one fleet under one load share a proof; any other does not."""

from dataclasses import replace

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.fleet import Fleet
from fleettui.domain.slo import Slo
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared, Row
from fleettui.reports.comparison.shared import with_shared_proofs
from tests.reports.comparison.conftest import Make
from tests.reports.conftest import two_pools


def row(label: str, plans: tuple[Compared, ...]) -> Row:
    (found,) = [one for one in compare(plans).rows if one.label.endswith(label)]
    return found


def test_a_price_alone_changes_no_latency(base: Compared, make: Make) -> None:
    """Found: after a price change alone a diff said that the P99 TTFT was 17 % shorter."""
    cheap = make("40f2", two_pools(cost=30.0), prices=(("h100", 2.0),))
    cheap = replace(cheap, question=replace(cheap.question, prices=(("h100", 1.2),)))
    found = compare((base, cheap))
    assert found.sentences == (
        "40f2 costs $11.88/h less than 41a7 (-28.4%); its P99 TTFT is the same, as its fleet and its load are.",
    )
    assert not row(" TTFT", (base, cheap)).differs
    assert [cell.text for cell in row("proof", (base, cheap)).cells] == ["12 runs", "12 runs of 41a7"]
    assert not any("by formula" in words for words in found.warnings)
    assert compare((base, cheap), shared=False).plans[1] is cheap


def test_another_limit_at_the_same_percentile_is_no_other_load(base: Compared, make: Make) -> None:
    looser = make("40f2", two_pools(), slo=Slo(ttft=0.9, tpot=0.05))
    assert with_shared_proofs((base, looser))[1].proof_of == "41a7"


@pytest.mark.parametrize(
    "asked",
    [
        {"arrivals": "bursty"},
        {"preset": "paper"},
        {"prefix_hit": 0.3},
        {"prefix_cache": True},
        {"bounds": Bounds(queue=200)},
        {"batch_share": 0.3},
        {"slo": Slo(ttft=0.5, tpot=0.05, percentile=0.95)},
        {"engine": 6},
        {"workload": "food"},
    ],
)
def test_another_load_or_engine_shares_nothing(base: Compared, make: Make, asked: dict[str, object]) -> None:
    plan = make("40f2", two_pools(), **asked)
    assert with_shared_proofs((base, plan))[1] is plan
    found = row(" TTFT", (base, plan)).cells[1]
    assert (found.changed, found.difference) == ("", None)


def test_another_fleet_or_rate_shares_nothing(base: Compared, make: Make) -> None:
    split = make("40f2", two_pools(split=8192))
    busier = make("40e9", two_pools())
    busier = replace(busier, answer=replace(busier.answer, demand=replace(busier.answer.demand, rate=101.0)))
    fleet = two_pools().fleet
    wider = replace(two_pools(), fleet=Fleet(pools=fleet.pools, admission="reserved"))
    for plan in (split, busier, make("40aa", wider), make("2d3f", None)):
        assert with_shared_proofs((base, plan))[1] is plan
