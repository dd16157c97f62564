"""What a joint plan's question may choose from where it wishes how sure its fleet is to be."""

from dataclasses import replace

from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
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


def test_where_none_is_as_sure_at_any_size_it_says_so(question: Question) -> None:
    asked = replace(question, gpus=("a100",), pools=(1,))
    assert offered(asked).options
    found = offered(replace(asked, confidence=0.9))
    assert found.options == ()
    assert found.infeasible is not None
    assert found.infeasible.answer.why[0].startswith("no fleet of any size is 90% sure: at step times that long")
