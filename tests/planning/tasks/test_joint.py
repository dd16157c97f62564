"""The tasks of a joint plan against the task `plan`: one question's fleets are those that it would find by itself."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.joint import Joint, JointQuestion, Kind, Offered, Option, SharedLimits, kinds_of
from fleettui.domain.plan import AT_POSTED_PRICES, Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.joint_apart import Left
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import call, joint
from fleettui.planning.tasks.joint import choice, opened, options
from fleettui.planning.tasks.plan import run
from tests.evidence.joint import questions
from tests.repeated import few


def offered(question: Question, stocks: tuple[str, ...] = ()) -> Offered:
    return options(Context(), question=question, format=None, by_power=False, stocks=stocks)


def answer_of(question: Question, option: int = 0) -> Answer:
    return opened(Context(), question=question, format=None, by_power=False, option=option).answer


@pytest.fixture
def two(question: Question) -> Question:
    return replace(question, gpus=("h100", "a100"), name="spring/chat")


@pytest.mark.evidence
def test_the_first_option_is_the_plan_that_the_question_has_by_itself(two: Question) -> None:
    found = offered(two)
    alone = run(Context(), question=two).answer
    answer = answer_of(two)
    assert found.infeasible is None
    assert found.rate == 100.0
    assert {kind.name for kind in found.kinds} == {"a100", "h100"}
    assert answer.answer is not None
    assert alone.answer is not None
    assert answer.answer == alone.answer
    assert answer.candidates == (answer.answer,)
    assert answer.plan.name == "spring/chat"
    assert answer.warnings == tuple(one for one in alone.warnings if not one.startswith(AT_POSTED_PRICES))
    assert answer.why[0] == alone.why[0]
    assert answer.demand == alone.demand
    kinds = [kind.name for kind in found.kinds]
    used = {kind: sum(pool.gpus for pool in answer.answer.fleet.pools if pool.gpu == kind) for kind in kinds}
    assert found.options[0].gpus == tuple(used[kind] for kind in kinds)
    assert found.options[0].watts == pytest.approx(answer.answer.power)


@pytest.mark.evidence
def test_every_option_opens_to_the_fleet_that_it_says(two: Question) -> None:
    found = offered(two)
    costs = []
    for place, option in enumerate(found.options):
        answer = answer_of(two, place)
        assert answer.answer is not None
        assert answer.verdict == "pass"
        assert answer.answer.shortfalls == ()
        assert answer.answer.gpus == sum(option.gpus)
        costs.append(answer.answer.cost_per_hour)
    assert costs == sorted(costs)
    assert len(costs) > 2


def test_a_question_that_no_fleet_holds_says_why(two: Question) -> None:
    found = offered(replace(two, slo=Slo(ttft=0.0001)))
    assert found.infeasible is not None
    answer = found.infeasible.answer
    assert found.options == ()
    assert answer.verdict == "infeasible"
    assert "no number of GPUs helps" in answer.why[0]


@pytest.mark.thorough
def test_a_closed_loop_is_planned_at_the_rate_of_its_own_clients(two: Question) -> None:
    asked = replace(two, demand=Demand(form="concurrency", concurrency=200), pools=(1,))
    alone = run(Context(), question=asked).answer
    answer = answer_of(asked)
    assert alone.answer is not None
    assert answer.answer is not None
    assert answer.answer.fleet == alone.answer.fleet
    assert answer.demand.rate == pytest.approx(alone.demand.rate)


@pytest.mark.evidence
def test_where_the_pairing_is_unknown_the_costliest_is_planned(two: Question) -> None:
    asked = replace(two, workload=None, prompt=((0.5, 900.0), (0.99, 8000.0)), output=((0.5, 200.0), (0.99, 1500.0)))
    alone = run(Context(), question=asked).answer
    answer = answer_of(asked)
    assert answer.demand.pairing == alone.demand.pairing
    assert answer.answer == alone.answer


@pytest.mark.parametrize(
    ("pools", "gamma", "compressible"),
    few([((1, 2, 3), (1.0, 1.0), 1.0), ((2, 3), (1.2, 1.5), 0.75), ((4,), (1.0, 1.1), 1.0)], 1),
)
def test_more_pools_and_compression_are_those_of_the_plan_by_itself(
    two: Question, pools: tuple[int, ...], gamma: tuple[float, float], compressible: float
) -> None:
    asked = replace(two, pools=pools, gamma=gamma, compressible=compressible, splits=(512, 1024, 2048, 4096, 6144))
    alone = run(Context(), question=asked).answer
    answer = answer_of(asked)
    assert answer.answer is not None
    assert alone.answer is not None
    assert answer.answer.fleet == alone.answer.fleet
    assert answer.answer.cost_per_hour == alone.answer.cost_per_hour
    assert answer.answer.power == pytest.approx(alone.answer.power)
    assert len(answer.answer.fleet.pools) in pools
    assert answer.answer.fleet.gamma >= gamma[0]
    assert answer.answer.fleet.compressible == compressible


def test_splits_that_were_thinned_out_count_where_no_others_hold(
    two: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above 6,144 tokens every request is late, so the first and the last split alone give no fleet of three pools."""
    asked = replace(two, pools=(3,), splits=(512, 2048, 3072, 6144), slo=Slo(ttft=0.35))
    assert offered(asked).options
    monkeypatch.setattr(joint, "MOST_CUTS", 2)
    monkeypatch.setattr(joint, "_recent", type(joint._recent)(1))
    found = offered(asked)
    assert found.infeasible is None
    assert found.options


def test_the_stock_of_a_gpu_that_nobody_knows_is_refused(two: Question) -> None:
    with pytest.raises(InputError, match="unknown GPU"):
        offered(two, ("h1000",))


def test_the_choice_crosses_the_pipe() -> None:
    rows = ((((4,), 900.0), ((2,), 1000.0)), (((3,), 500.0),))
    given = {
        "tables": [[Option(gpus=gpus, watts=watts) for gpus, watts in one] for one in rows],
        "kinds": [Kind(name="h100", price=2.0, per_node=8)],
        "limits": SharedLimits(max_gpus=(("h100", 6),)),
        "objective": "power",
    }
    joint = from_plain(Joint, call(choice, to_plain(given), Context()))
    assert (joint.chosen, joint.paid, joint.cost) == ((1, 0), (5,), 10.0)
    assert [one.needs for one in joint.held_back] == [(("stock of h100", 7.0),)]


def one_by_one(asked: JointQuestion) -> float | None:
    """Return what the workloads cost by formula, planned each inside what is left, None where one finds no fleet."""
    left, cost = Left.of(asked), 0.0
    for entry in asked.entries:
        inside = left.within(entry.question)
        found = None if inside is None else run(Context(), question=inside).answer
        if found is None or found.answer is None:
            return None
        left.take(found)
        cost += found.answer.cost_per_hour
    return cost


@pytest.mark.parametrize("seed", few(range(200), 0, more=1))
def test_by_formula_workloads_together_are_never_dearer_than_one_by_one_inside_the_same_stock(seed: int) -> None:
    (drawn,) = questions(1, seed)
    own = (replace(one, question=replace(one.question, drop_longer=True)) for one in drawn.entries)
    asked = replace(drawn, entries=tuple(own))
    apart = one_by_one(asked)
    if apart is None:
        return
    found = [offered(entry.question) for entry in asked.entries]
    kinds = kinds_of(found)
    tables = tuple(tuple(Menu.of(entry, one, kinds).options) for entry, one in zip(asked.entries, found, strict=True))
    joint = choice(Context(), tables=tables, kinds=kinds, limits=asked.limits, objective="cost")
    assert joint.chosen is not None
    assert joint.cost <= apart * (1 + 1e-9)
