"""The token budget with which a question takes the least fleet: each pool's, the engine's own, or another for all.

Formulas choose each pool's budget, and may be further off with some than with others. So a plan with the engine's own
is made beside that, and one with what it advises; the best that holds is the answer, never dearer than the engine's
own. Each says what those before it came to.
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.searched_cap import Make
from fleettui.planning.worth import worth_if_it_holds
from fleettui.reports import searched_settings_text

OPTION = "--token-budget"


async def plan_with_budgets(question: Question, make: Make, *, parent: str) -> Answer:
    """Return the answer to a question that leaves token budgets to the search; of equals the engine's own."""
    made: list[tuple[str, Answer]] = []

    async def plan(asked: Question, name: str) -> Answer:
        async def compare(_: NewPlan, answer: Answer) -> Answer:
            words = searched_settings_text.beside_plans(OPTION, name, answer.answer, made)
            return replace(answer, why=(*answer.why, *words))

        answer = await make(asked, parent=made[-1][1].plan.id if made else parent, last=compare)
        made.append((name, answer))
        return answer

    first = await plan(question, "each pool's")
    if first.answer is None:
        return first  # nor does any fleet hold with the engine's own, which are among what the formulas tried
    try:
        own = await plan(replace(question, token_budget=None), f"{question.engine}'s own")
    except InputError:
        return first  # the engine's own has no step for the longest prompt, which it does not cut
    other, plans = own.advised_budget, [own, first]
    if other is not None:
        plans.insert(1, await plan(replace(question, token_budget=other), f"{other:,}"))
    best = min(plans, key=lambda one: round(worth_if_it_holds(one, question), 9))
    return best if best.verdict == "pass" else first
