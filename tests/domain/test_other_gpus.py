"""What stands beside an answer of other GPU types."""

import math
from dataclasses import replace

from fleettui.domain.other_gpus import may_be_cheaper, other_gpu
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from tests.planning.trials import evidence, seen, shape


def test_both_costs_stand_there_so_that_the_share_between_them_can_be_checked() -> None:
    """Found: +88 % was told beside an answer to whose cost the other's was +17 %."""
    answer = replace(shape(2), cost_per_hour=13.93)
    other = replace(shape(4, gpu="b200"), cost_per_hour=21.0)
    asked = Question(slo=Slo(ttft=0.5))
    said = "next without h100, by formula: B200 tp2 x4, ~$21.00/h beside $13.93/h (+51%)"
    assert other_gpu(answer, other, asked) == said
    assert other_gpu(answer, None, asked) == ""
    assert "8 GPUs, ~$21.00/h" in other_gpu(answer, other, replace(asked, objective="gpus"))


def test_what_several_gpu_types_cost_to_be_sure_is_told_of_them_together() -> None:
    """Found: b200 or mi300x $13.35/h to be 90 % sure, beside 2 B200 ($11/h), which are, too."""
    two = shape(1, 1)
    pools = (two.fleet.pools[0], replace(two.fleet.pools[1], gpu="mi300x"))
    mixed = replace(two, band=(0.1, 9.0), speeds="a guess", fleet=replace(two.fleet, pools=pools))
    other = replace(shape(4, gpu="b200"), cost_per_hour=21.0)
    said = other_gpu(mixed, other, Question(slo=Slo(ttft=0.5)), 13.35)
    assert said.startswith("next without h100 or mi300x, ")
    assert said.endswith("; h100 with mi300x ~$13.35/h to be 90% sure (a guess)")


def test_what_may_be_cheaper_stands_beside_what_the_answer_costs_to_be_as_sure() -> None:
    answer, cheaper = shape(9), replace(shape(3, gpu="mi300x"), band=(0.5, 2.0), speeds="a guess")
    measure = "a measurement (two bench points: fleettui profile fit) would"
    found = "mi300x may be cheaper: ~$3.00/h by formula, ~$9.50/h beside ~$9.20/h to be 90% sure (a guess): "
    assert may_be_cheaper(cheaper, 9.5, answer, 9.2) == f"{found}{measure} decide"
    assert may_be_cheaper(cheaper, 8.5, answer, 9.2).endswith(f": {measure} confirm it")
    assert ", 63% sure, ~$9.50/h beside ~$9.20/h to be " in may_be_cheaper(cheaper, 9.5, answer, 9.2, share=0.634)
    assert "by formula, ~$9.50/h to be 90% sure" in may_be_cheaper(cheaper, 9.5, answer)
    assert "by formula, no size 90% sure (a guess)" in may_be_cheaper(cheaper, math.inf, answer, 9.2)
    two = shape(1, 1)
    pools = two.fleet.pools[0], replace(two.fleet.pools[1], gpu="mi300x")
    both = replace(two, fleet=replace(two.fleet, pools=pools))
    told = may_be_cheaper(both, 9.5, answer, 9.2, surest=cheaper)
    assert told.startswith("h100 with mi300x may be cheaper: ")
    assert "by formula, mi300x alone ~$9.50/h beside ~$9.20/h to be 90% sure (a guess): " in told


def test_what_being_sure_costs_is_by_formula_though_the_fleets_it_stands_beside_were_simulated() -> None:
    """Found: MI300X $223/h beside $210/h to be 90% sure, of 56 MI300X and 40 B200 that no run looked at."""
    answer, cheaper = (
        replace(one, evidence=evidence("pass", seen(one.pools[0].name, None, "pass")))
        for one in (shape(9), replace(shape(3, gpu="mi300x"), band=(0.5, 2.0), speeds="a guess"))
    )
    own = answer.cost_per_hour
    assert f"$3.00/h as simulated, ~$9.50/h beside ~${own + 1:.2f}/h to be" in may_be_cheaper(
        cheaper, 9.5, answer, own + 1
    )
    assert f"as simulated, $3.00/h beside ${own:.2f}/h to be" in may_be_cheaper(cheaper, 3.0, answer, own)
