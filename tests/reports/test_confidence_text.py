"""How sure it is that a fleet suffices, in words."""

from dataclasses import replace

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.decisive import Decisive
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Candidate
from fleettui.reports.confidence_text import deciding, for_more, holding, over, told
from tests.reports.conftest import two_pools

SURE = Confidence(holds=0.483, replicas=(7,), gpus=28, cost=70.0, span=(8, 40))


def test_how_sure_and_what_is_surer(proven: Candidate) -> None:
    assert told(SURE, replace(proven, gpus=18)) == "48% sure that 18 GPUs suffice, 90% with ~28 like these (~$70/h)"
    assert told(replace(SURE, holds=0.93), replace(proven, gpus=1800)) == "93% sure that 1,800 GPUs suffice"
    assert holding(SURE, replace(proven, gpus=1)) == "48% sure that 1 GPU suffices"
    assert told(None, proven) == over(None, proven) == ""
    assert over(SURE, proven) == "over step times, not waits, within the model's error"


def test_where_one_pool_alone_decides_it_is_named(proven: Candidate) -> None:
    """Found: of 1 + 3 replicas another one of the second made nothing surer, and no line said where the doubt was."""
    both = replace(proven, fleet=two_pools().fleet)
    short, long = (pool.replicas for pool in both.fleet.pools)
    decides = replace(SURE, replicas=(short + 1, long))
    assert told(decides, both).startswith(f"48% sure that {both.gpus} GPUs suffice, short decides, 90% with ~28 like ")
    assert "long decides" in told(replace(SURE, replicas=(short, long + 2)), both)
    for replicas in ((short + 1, long + 1), (short, long), None):
        assert "decides" not in told(replace(SURE, replicas=replicas), both)
    assert "decides" not in told(replace(decides, holds=0.95), both)
    assert "decides" not in told(SURE, proven), "there is one pool"


def test_a_better_fleet_of_another_shape_stands_beside_more_of_the_same(proven: Candidate) -> None:
    other = SureFleet(fleet=proven.fleet, cost=60.0)
    words = f"~{proven.fleet.gpus} GPUs as {fleet_words(proven.fleet)} (~$60/h)"
    assert for_more(replace(SURE, instead=other)) == f"90% with ~28 like these (~$70/h) or {words}"
    assert for_more(replace(SURE, gpus=None, cost=None, instead=other)) == f"90% with no number of them or {words}"


def test_a_better_fleet_of_gpus_that_nobody_measured_says_so(proven: Candidate) -> None:
    """Found: 90 % with B200 for $32/h, and with MI300X for $24/h where that was asked for."""
    other = SureFleet(fleet=proven.fleet, cost=60.0, paid=32, speeds="kernels not measured")
    assert for_more(replace(SURE, instead=other)).endswith(" (~32 paid in whole nodes, ~$60/h, kernels not measured)")
    measured, words = SureFleet(fleet=proven.fleet, cost=65.0), fleet_words(proven.fleet)
    said = for_more(replace(SURE, instead=other, better_known=measured))
    assert said.startswith(f"90% with ~28 like these (~$70/h), ~{proven.fleet.gpus} GPUs as {words} (~$65/h) or ~")
    assert for_more(replace(SURE, instead=other, alike=measured)) == said, "another division of the same GPU types"


def test_what_whole_nodes_take_beyond_a_fleet_is_told_with_what_it_costs(proven: Candidate) -> None:
    other = SureFleet(fleet=proven.fleet, cost=80.0, paid=32)
    words = f"~{proven.fleet.gpus} GPUs as {fleet_words(proven.fleet)} (~32 paid in whole nodes, ~$80/h)"
    assert for_more(replace(SURE, paid=40, instead=other)) == (
        f"90% with ~28 like these (~40 paid in whole nodes, ~$70/h) or {words}"
    )
    decides = Decisive(name="dtype", now="bf16", other="fp8", gpus=20, cost=105.0, paid=24)
    sure = replace(decides, sure=True, paid=None)
    assert deciding(sure, wished=0.9).endswith(", 90% sure"), "found: two sizes, and which is how sure was not told"
    assert deciding(decides) == "dtype fp8 instead of bf16: ~20 GPUs like these (~24 paid in whole nodes, ~$105/h)"


def test_what_no_simulation_saw_is_so_sure_by_formula_alone(proven: Candidate) -> None:
    """Of fourteen questions plans by formula were said to hold in 63 % of the step times and held in 56 %."""
    unseen = replace(proven, evidence=None, gpus=18)
    assert told(SURE, unseen) == "~48% sure that 18 GPUs suffice, 90% with ~28 like these (~$70/h)"
    assert over(SURE, unseen) == "by formula, over step times, not waits, within the model's error"
