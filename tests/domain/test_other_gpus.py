"""What stands beside an answer of other GPU types."""

from dataclasses import replace

from fleettui.domain.other_gpus import may_be_cheaper, other_gpu
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from tests.planning.trials import shape


def test_both_costs_stand_there_so_that_the_share_between_them_can_be_checked() -> None:
    """Found: +88 % was told beside an answer to whose cost the other's was +17 %."""
    answer = replace(shape(2), cost_per_hour=13.93)
    other = replace(shape(4, gpu="b200"), cost_per_hour=21.0)
    asked = Question(slo=Slo(ttft=0.5))
    said = "next without h100, by formula: B200 tp2 x4, $21.00/h beside $13.93/h (+51%)"
    assert other_gpu(answer, other, asked) == said
    assert other_gpu(answer, None, asked) == ""
    assert "8 GPUs, $21.00/h" in other_gpu(answer, other, replace(asked, objective="gpus"))


def test_what_costs_less_even_then_is_not_too_close_to_call() -> None:
    answer, cheaper = shape(9), shape(3, gpu="mi300x")
    assert ": too close to call, a measurement (two bench" in may_be_cheaper(cheaper, 9.5, answer)
    told = may_be_cheaper(cheaper, 8.5, answer)
    assert told.endswith(": a measurement (two bench points: fleettui profile fit) would confirm it")
