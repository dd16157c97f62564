"""What a joint plan's question may choose from where it wishes how sure its fleet is to be."""

from dataclasses import replace

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from tests.planning.tasks.test_joint import answer_of, offered


def test_every_fleet_has_the_size_that_is_as_sure_as_wished(question: Question) -> None:
    two = replace(question, gpus=("h100", "a100"), name="spring/chat", pools=(1,), slo=Slo(ttft=2.0), verify=False)
    nominal, found = offered(two), offered(replace(two, confidence=0.9))
    assert {kind.name for kind in found.kinds} == {"a100", "h100"}
    assert len(found.options) == len(nominal.options)
    costs = [one.cost(found.kinds) for one in found.options]
    assert costs == sorted(costs)
    for place, option in enumerate(found.options):
        answer = answer_of(replace(two, confidence=0.9), place)
        assert answer.answer is not None
        assert answer.confidence is not None
        assert answer.confidence.is_likely
        assert answer.answer.gpus == sum(option.gpus)
    assert costs[0] > nominal.options[0].cost(nominal.kinds)


def test_the_cheapest_that_is_as_sure_is_offered_though_another_is_cheaper_at_the_step_times_predicted() -> None:
    """Found: no fleet of any size, or 14 L40S beyond a stock of 12, where 8 do that are dearer as predicted."""
    asked = Question(
        workload="azure-2023-code",
        demand=Demand(form="rate", rate=7.0),
        slo=Slo(ttft=1.6),
        model="qwen3-32b",
        dtype="fp8",
        gpus=("l40s",),
        pools=(1,),
        verify=False,
        confidence=0.9,
    )
    alone = run(Context(), question=asked).answer.answer
    assert alone is not None
    found = offered(asked)
    assert sum(found.options[0].gpus) == alone.gpus
    own = answer_of(asked).answer
    assert own is not None
    assert own.gpus == alone.gpus


def test_where_none_is_as_sure_at_any_size_it_says_so(question: Question) -> None:
    asked = replace(question, gpus=("a100",), pools=(1,))
    assert offered(asked).options
    found = offered(replace(asked, confidence=0.9))
    assert found.options == ()
    assert found.infeasible is not None
    assert found.infeasible.answer.why[0].startswith("no fleet of any size is 90% sure: at step times that long")
