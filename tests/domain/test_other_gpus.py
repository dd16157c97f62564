"""What stands beside an answer of other GPU types."""

from dataclasses import replace

from fleettui.domain.other_gpus import other_gpu
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
