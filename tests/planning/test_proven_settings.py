"""A question that no fleet answers is told which setting of the engine would do: a plan that asks so passes."""

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.proven_settings import with_settings
from store import Store
from tests.planning.simulated import Watched, question
from tests.store import samples

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]

TOLD = re.compile(r"a token budget of [\d,]+: (B200 tp1 x\d+) would do, (.+), at \$[\d.]+/h, --token-budget (\d+)")


@pytest.fixture
def asked(tmp_path: Path) -> Question:
    """Ask for so few GPUs that steps of 8,192 tokens take more: long prompts hold up the tokens of others."""
    lengths = Random(1)
    rows = [
        {
            "timestamp": at / 25,
            "input_tokens": min(16_000, int(lengths.lognormvariate(8.1, 0.6))),
            "output_tokens": min(1500, int(lengths.lognormvariate(5.2, 0.6))),
        }
        for at in range(1000)
    ]
    path = tmp_path / "long.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return question(
        str(path),
        demand=Demand(form="rate", rate=25.0),
        slo=Slo(ttft=1.0, tpot=0.05),
        model="qwen3-32b",
        dtype="fp8",
        gpus=("b200",),
        tp=(1,),
        token_budget=None,
        step_law="kernels",
        max_total_gpus=6,
    )


def told(answer: Answer) -> tuple[str, str, int]:
    """Return the fleet that would do, how that is known, and the token budget."""
    assert (answer.verdict, answer.answer) == ("infeasible", None)
    found = TOLD.fullmatch(answer.why[0])
    assert found is not None, answer.why
    return found[1], found[2], int(found[3])


@pytest.mark.thorough
async def test_a_token_budget_that_would_do_is_told_before_a_looser_limit(
    store: Store, workers: Watched, asked: Question
) -> None:
    """Found: "5 GPUs would do", where the four that were asked for do in smaller steps."""
    plan = await make_plan(asked, store=store, pool=workers)
    fleet, known, tokens = told(plan)
    assert known == "as simulated"
    assert any("GPUs would do" in one for one in plan.why[1:]), plan.why
    same = await make_plan(replace(asked, token_budget=tokens), store=store, pool=workers)
    assert same.verdict == "pass"
    assert same.answer is not None
    assert f"B200 tp1 x{same.answer.fleet.pools[0].replicas}" == fleet


async def test_by_formula_it_is_told_as_that(store: Store, workers: Watched, asked: Question) -> None:
    by_formula = replace(asked, verify=False)
    _, known, tokens = told(await make_plan(by_formula, store=store, pool=workers))
    assert known == "by formula"
    same = await make_plan(replace(by_formula, token_budget=tokens), store=store, pool=workers)
    assert same.verdict == "pass"


async def test_what_was_typed_is_not_set_otherwise(store: Store, workers: Watched, asked: Question) -> None:
    typed = replace(asked, token_budget=8192, max_total_gpus=5, verify=False)
    plan = await make_plan(typed, store=store, pool=workers)
    assert plan.verdict == "infeasible"
    assert not any("--token-budget" in one or "--tuning" in one for one in plan.why)


async def test_two_settings_are_tried_where_none_alone_was_seen_to_do() -> None:
    asked: list[str] = []

    async def run(_: str, __: object, *, turn: str, **___: object) -> list[object]:
        asked.append(turn)
        return []

    scene = Question(workload="chat", slo=Slo(ttft=0.5))
    prover: Any = SimpleNamespace(
        workers=SimpleNamespace(run=run), source=SimpleNamespace(question=scene), seed=1, tell_aside=None
    )
    answer = samples.infeasible()
    assert await with_settings(prover, answer, (), answer.candidates[0]) == answer
    assert asked == ["alone", "weights", "paired"]
