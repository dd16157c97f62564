"""Another setting of the engine is told where a plan that asks for it takes as much less, and only then."""

import re
from dataclasses import replace

import pytest

from fleettui.domain.advice import Advice
from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan
from fleettui.planning.tasks.other_settings import DOUBT, OtherSettings, doubted, one_of_each, others
from tests.optimize.samples import profile
from tests.reports.conftest import too_slow, two_pools

ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    step_law="kernels",
    verify=False,
)
TOLD = re.compile(r"(.*): ~(\d+) GPUs? fewer(, .* pools?)?, --(\S+) (\S+)")
ONE = replace(too_slow(), shortfalls=())


def answered(asked: Question) -> Answer:
    return plan.run(Context(), question=asked).answer


def said(answer: Answer) -> list[str]:
    settings = ("--token-budget", "--max-num-seqs", "--tuning")
    return [one for one in answer.warnings if any(f", {option} " in one for option in settings)]


def with_option(asked: Question, option: str, value: str) -> Question:
    typed = value if option == "tuning" else int(value)
    return replace(asked, **{option.replace("-", "_"): typed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            replace(ASKED, engine="trtllm", prompt_steps="mixed"),
            "trtllm as benchmark submissions set it, its cache in fp8",
        ),
        (replace(ASKED, gpus=("a100",), slo=Slo(ttft=2.0)), "512 sequences at once"),
    ],
    ids=["a level", "sequences"],
)
def test_a_plan_that_asks_as_advised_takes_as_many_fewer(asked: Question, words: str) -> None:
    own = answered(asked)
    (line,) = said(own)
    told = TOLD.fullmatch(line)
    assert told is not None, line
    assert told[1] == words
    other = answered(with_option(asked, told[4], told[5]))
    assert own.answer is not None
    assert other.answer is not None
    assert own.answer.gpus - other.answer.gpus == int(told[2])
    fewer = len(other.answer.fleet.pools) != len(own.answer.fleet.pools)
    assert bool(told[3]) is fewer
    assert not any(f"--{told[4]} " in one for one in said(other)), "what was taken is not advised again"


def test_what_no_setting_changes_is_not_told() -> None:
    assert said(answered(replace(ASKED, tp=(4,)))) == []


def test_another_objective_than_money_is_not_advised() -> None:
    assert said(answered(replace(ASKED, engine="trtllm", prompt_steps="mixed", objective="power"))) == []


def options(asked: Question, *, batch: float = 1.0) -> list[str]:
    best = replace(ONE, pools=(replace(ONE.pools[0], batch=batch),))
    return [one.option for one in others(asked, best)]


def test_what_is_tried_is_what_nobody_typed() -> None:
    (pool,) = ONE.fleet.pools
    assert (pool.token_budget, pool.max_num_seqs) == (2048, 256)
    budgets = ["--token-budget 512", "--token-budget 1024", "--token-budget 4096"]
    levels = ["--tuning tuned", "--tuning benchmark"]
    assert options(ASKED) == [*budgets, *levels]
    assert options(ASKED, batch=64.0) == [*budgets, "--max-num-seqs 512", *levels]
    assert options(replace(ASKED, token_budget=2048)) == []
    assert options(replace(ASKED, token_budget="auto")) == []
    assert options(replace(ASKED, token_budget=2048), batch=64.0) == ["--max-num-seqs 512"]
    assert options(replace(ASKED, max_num_seqs=256), batch=64.0) == budgets
    assert options(replace(ASKED, tuning="tuned")) == budgets


def test_one_fleet_of_each_setting_is_told_to_be_simulated() -> None:
    """Found: two fleets of one level took the place of the token budget that held."""

    def found(gpus: int, **setting: object) -> Advice:
        asked = replace(ASKED, **setting)  # type: ignore[arg-type]
        return Advice(question=asked, rate=100.0, found=replace(ONE, gpus=gpus), saves=True, gpus=-1, words="")

    level, again, budget = found(25, tuning="benchmark"), found(26, tuning="benchmark"), found(26, token_budget=16384)
    assert one_of_each([level, again, budget]) == [level, budget]


def test_pools_that_are_set_unlike_are_also_tried_alike() -> None:
    both = two_pools()
    short, long = both.fleet.pools
    unlike = replace(both, fleet=replace(both.fleet, pools=(replace(short, token_budget=8192), long)))
    budgets = [one.option.split()[1] for one in others(ASKED, unlike) if "budget" in one.option]
    assert budgets == ["512", "1024", "2048", "4096", "8192", "16384"]


def test_a_budget_that_drafts_do_not_fit_in_is_no_other_setting() -> None:
    few = replace(ONE.fleet.pools[0], token_budget=8, max_num_seqs=1, concurrency=1)
    best = replace(ONE, fleet=replace(ONE.fleet, pools=(few,)))
    drafting = replace(ASKED, speculative="eagle3:4@70%")
    with pytest.raises(InputError):
        replace(drafting, token_budget=2)
    assert "--token-budget 2" not in [one.option for one in others(drafting, best)]


def test_simulated_errors_are_those_of_other_settings_too() -> None:
    """The formula knows what a budget does to waits but for little of either sign; which sizes hold is not told."""
    seen = SeenPool(utilization=0.7, ratios=(("ttft", 1.2), ("tpot", 0.9)), replicas=3, rate=5.0, passed=True)
    own, other = profile("a"), profile("b")
    settings = OtherSettings(
        scene=None,  # type: ignore[arg-type]
        anchors={own.replica_key: Anchor(seen=(seen,))},
        search=None,  # type: ignore[arg-type]
        profiles_of=None,  # type: ignore[arg-type]
        paid=None,  # type: ignore[arg-type]
    )
    found = settings._seen([own, other])
    assert found == dict.fromkeys((own.replica_key, other.replica_key), Anchor(seen=(replace(seen, passed=None),)))


def test_a_budget_is_doubted_by_how_far_it_is_from_the_answers() -> None:
    assert doubted(0.0, 0.7) == NOTHING_SEEN
    for halvings in (2.0, -2.0):
        assert doubted(halvings, 0.7).ratio("ttft", 0.7) == pytest.approx(DOUBT**2)
        assert doubted(halvings, 0.7).ratio("tpot", 0.7) == 1.0
