"""What a searched cap costs beside none, in words."""

from dataclasses import replace

from fleettui.domain.plan import PlanIdentity
from fleettui.domain.power_levels import CapChoice
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from fleettui.reports.searched_cap_text import AUTO, beside_caps, beside_none, bill
from tests.planning.simulated import SHIPPED


def test_it_is_said_from_which_price_of_power_on_a_cap_would_pay() -> None:
    asked = replace(SHIPPED, slo=Slo(ttft=1.0), power_price=0.1, host_power=0.0, pue=1.0)
    answer = replace(run(Context(), question=asked).answer, plan=PlanIdentity(handle="3b50"))
    plain = answer.answer
    assert plain is not None
    assert bill(plain, asked) == plain.cost_per_hour + plain.power / 1e3 * 0.1
    larger = replace(plain, cost_per_hour=plain.cost_per_hour + 2.0, power=plain.power - 4e3)
    choice = CapChoice(share=0.8, watts=560.0, candidate=larger)
    said = beside_caps(asked, plain, None, [choice], failed=[630.0])
    assert "from $0.5/kWh on 560 W a GPU" in said
    assert "by formula 630 W cost less, and fail in simulation" in said
    thirsty = replace(choice, candidate=replace(plain, power=plain.power + 1.0))
    assert "at no price of power" in beside_caps(asked, plain, None, [thirsty], failed=[])
    assert "costs less than none" in beside_caps(asked, plain, choice, [choice], failed=[])
    assert "costs least" in beside_caps(asked, None, choice, [choice], failed=[])
    assert beside_caps(asked, None, None, [], failed=[]) == f"{AUTO} no fleet holds under a cap either"

    assert "the cap adds $" in beside_none(asked, larger, 560.0, answer)
    assert "the cap saves $" in beside_none(asked, replace(plain, power=1.0), 560.0, answer)
    assert "without a cap no fleet holds (plan 3b50)" in beside_none(asked, larger, 560.0, replace(answer, answer=None))
