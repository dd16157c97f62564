from dataclasses import replace

from fleettui.domain.failures import Failures
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.reports.report.constraints import constraints

ASKED = Question(workload="chat", slo=Slo(ttft=0.5))


def test_a_question_without_limits_beside_latencies_says_none() -> None:
    assert constraints(ASKED) == ""


def test_every_limit_is_told() -> None:
    bound = replace(
        ASKED,
        budget=600.0,
        max_total_gpus=64,
        max_gpus=(("h100", 40), ("a100", 8)),
        max_power=40_000.0,
        whole_nodes=True,
        availability=0.987,
        availability_target=0.999,
        survive=1,
        confidence=0.9,
    )
    assert constraints(bound) == (
        "within $600.00/h, 64 GPUs in all, 40 H100, 8 A100 and 40.0 kW of the GPUs, on whole nodes, with all that each "
        "pool needs up 99.9% of the time, with any 1 replica of each pool down, 90% sure over step times, not waits, "
        "within the model's error"
    )
    assert constraints(replace(ASKED, whole_nodes=True)) == "on whole nodes"
    rare = replace(ASKED, failures=Failures(per_day=0.015, of="node"), repair=86_400.0, availability_target=0.999)
    assert constraints(rare) == "with all that each pool needs up 99.9% of the time"
    peak = TypedRange(key="peak-factor", low=2.0, high=3.0)
    assert constraints(replace(ASKED, ranges=(peak,))) == "for peak factor 2 to 3"
