"""Token budgets that are left to the search are never dearer than the engine's own."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.cli.ask_question import ask
from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, PlanIdentity
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.searched_budgets import plan_with_budgets
from fleettui.planning.searched_cap import Last
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.reports.conftest import too_slow

ASKED = Question(slo=Slo(ttft=0.5), token_budget="auto")
FLEET = replace(too_slow(), shortfalls=())
ADVISED = 4096


class Made:
    """Makes plans that come to a cost by their token budget, and remembers what was asked of which parent."""

    def __init__(self, costs: dict[object, float | None], advised: int | None = None) -> None:
        self.costs, self.advised = costs, advised
        self.asked: list[tuple[object, str]] = []

    async def __call__(self, question: Question, *, parent: str, last: Last) -> Answer:
        budget = question.token_budget
        self.asked.append((budget, parent))
        cost = self.costs[budget]
        answer = Answer(
            verdict="pass" if cost is not None else "infeasible",
            plan=PlanIdentity(id=f"id {budget}", handle=f"of-{budget}"),
            demand=DerivedDemand(rate=1.0, arithmetic=""),
            answer=None if cost is None else replace(FLEET, cost_per_hour=cost),
            advised_budget=self.advised if budget is None else None,
        )
        new: NewPlan | None = None
        return await last(new, answer)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("costs", "advised", "chosen"),
    [
        ({"auto": 72.0, None: 68.0}, None, None),
        ({"auto": 60.0, None: 68.0}, None, "auto"),
        ({"auto": 68.0, None: 68.0}, None, None),
        ({"auto": 72.0, None: 68.0, 4096: 66.0}, ADVISED, 4096),
        ({"auto": 60.0, None: 68.0, 4096: 66.0}, ADVISED, "auto"),
    ],
)
async def test_the_least_of_all_is_the_answer(
    costs: dict[object, float | None], advised: int | None, chosen: object
) -> None:
    make = Made(costs, advised)
    answer = await plan_with_budgets(ASKED, make, parent="before")
    assert answer.plan.handle == f"of-{chosen}"
    assert [budget for budget, _ in make.asked] == [*costs]
    assert [parent for _, parent in make.asked] == ["before", *(f"id {budget}" for budget in costs)][: len(costs)]


async def test_each_plan_says_what_those_before_it_came_to() -> None:
    answer = await plan_with_budgets(ASKED, Made({"auto": 72.0, None: 68.0}), parent="")
    (said,) = answer.why
    assert said == (
        "--token-budget auto: vllm's own takes 20 MI300X, $68/h; plan of-auto with each pool's takes 20 MI300X, $72/h"
    )


async def test_nothing_more_is_tried_where_no_fleet_holds() -> None:
    make = Made({"auto": None})
    assert (await plan_with_budgets(ASKED, make, parent="")).verdict == "infeasible"
    assert make.asked == [("auto", "")]


async def test_all_that_would_be_handed_over_is_refused() -> None:
    with pytest.raises(InputError, match="all that would be handed over"):
        ask(ASKED, (), detach=True, as_json=False)


@pytest.mark.thorough
async def test_a_search_of_budgets_is_no_dearer_than_the_engines_own(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(
        trace(tmp_path), gpus=("a100",), token_budget=None, demand=Demand(form="rate", rate=20.0), slo=Slo(ttft=0.4)
    )
    own = await make_plan(asked, store=store, pool=workers)
    found = await make_plan(replace(asked, token_budget="auto"), store=store, pool=workers)
    assert own.answer is not None
    assert found.answer is not None
    assert found.answer.cost_per_hour <= own.answer.cost_per_hour
    assert any(one.startswith("--token-budget auto: ") for one in found.why)
