"""Two settings at once, or weights in fp8, are told where no setting alone does: a plan that asks so passes."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan
from fleettui.planning.tasks.other_settings import others
from fleettui.planning.tasks.paired_settings import paired_settings, small_weights
from tests.reports.conftest import too_slow

ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=20.0),
    slo=Slo(ttft=1.0, tpot=0.035),
    model="llama-3.1-8b",
    gpus=("l40s",),
    tp=(1,),
    budget=3.2,
    pools=(1,),
    step_law="kernels",
    verify=False,
)
Wished = tuple[Question, str, dict[str, object]]
PAIRED = (ASKED, "weights in fp8 and a token budget of 512: L40S tp1 x4", {"dtype": "fp8", "token_budget": 512})
SMALL = (replace(ASKED, slo=Slo(ttft=1.0, tpot=0.045)), "weights in fp8: L40S tp1 x4", {"dtype": "fp8"})
ONE = replace(too_slow(), shortfalls=())
FULL = replace(ONE, pools=(replace(ONE.pools[0], batch=64.0),))


def pairs(asked: Question) -> list[str]:
    return [one.option for one in paired_settings(asked, FULL)]


def test_a_token_budget_comes_with_sequences_and_with_weights() -> None:
    alone = [one.option for one in others(ASKED, FULL)]
    assert alone[:4] == [*(f"--token-budget {tokens}" for tokens in (512, 1024, 4096)), "--max-num-seqs 512"]
    both = [f"--token-budget {tokens} --max-num-seqs 512" for tokens in (512, 1024, 4096)]
    assert pairs(ASKED) == [*both, *(f"--dtype fp8 {one}" for one in alone)]
    assert [one.option for one in small_weights(ASKED)] == ["--dtype fp8"]
    assert pairs(replace(ASKED, dtype="fp8")) == both
    assert pairs(replace(ASKED, dtype="fp8", token_budget=2048)) == []


def test_an_engine_is_not_asked_for_fewer_tokens_than_sequences() -> None:
    many = replace(FULL, fleet=replace(ONE.fleet, pools=(replace(ONE.fleet.pools[0], max_num_seqs=512),)))
    many = replace(many, pools=(replace(ONE.pools[0], batch=128.0),))
    assert "--token-budget 512" in [one.option for one in others(ASKED, many)]
    found = [one.option for one in paired_settings(replace(ASKED, dtype="fp8"), many)]
    assert found == [f"--token-budget {tokens} --max-num-seqs 1024" for tokens in (1024, 4096)]


def found(asked: Question) -> Answer:
    return plan.run(Context(), question=asked).answer


@pytest.mark.parametrize("wished", [PAIRED, SMALL], ids=["two at once", "weights"])
def test_what_is_told_to_do_where_no_setting_alone_does_a_plan_that_asks_so_does(wished: Wished) -> None:
    asked, words, typed = wished
    told = found(asked)
    assert told.answer is None
    assert told.why[0].startswith("a budget of $"), "which leaves the weights as they are"
    (said,) = [one for one in told.why if one.startswith(f"{words} would do, by formula, at $")]
    for name, value in typed.items():
        alone = found(replace(asked, **{name: value})).answer  # type: ignore[arg-type]
        assert (alone is None) == (len(typed) > 1), name
    same = found(replace(asked, **typed)).answer  # type: ignore[arg-type]
    assert same is not None
    assert f"at ${same.cost_per_hour:.2f}/h" in said
