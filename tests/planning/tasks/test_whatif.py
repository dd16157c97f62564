from dataclasses import replace

import pytest
from scipy.stats import binom

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Question
from fleettui.domain.whatif import Growth, Outcome, Stage
from fleettui.errors import InputError, Interrupted, UnknownNameError
from fleettui.hardware import catalog
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan, whatif
from fleettui.planning.tasks.simulation_inputs import read

GROWTH = Growth(
    per_month=0.08,
    span=None,
    start="2026-12-01",
    today="2026-12-01",
    lead_days=84.0,
    months=12,
    orders="each",
)


def source(question: Question, found: NewPlan) -> SceneSource:
    return SceneSource.of(question, found.workload, found.answer.demand, "whatif")


def fleet_of(found: NewPlan) -> Fleet:
    assert found.answer.answer is not None
    return found.answer.answer.fleet


def test_the_point_of_the_plan_itself_is_its_answer(question: Question, found: NewPlan) -> None:
    outcome = whatif.point(Context(), question=question, workload=found.workload, lengths=AS_RECORDED)
    assert found.answer.answer is not None
    assert outcome == Outcome.of(found.answer)
    own = found.answer.answer
    assert (outcome.gpus, outcome.cost, outcome.rate) == (own.gpus, own.cost_per_hour, 100.0)


def test_an_unknown_gpu_is_a_mistake_and_a_small_one_is_infeasible(question: Question, found: NewPlan) -> None:
    def at(asked: Question) -> Outcome:
        return whatif.point(Context(), question=asked, workload=found.workload, lengths=AS_RECORDED)

    with pytest.raises(UnknownNameError):
        at(replace(question, gpus=("h1000",)))
    small = at(replace(question, gpus=("a10g",), tp=(1,)))
    assert (small.verdict, small.gpus) == ("infeasible", None)
    assert small.limited_by


def test_the_context_grows_as_the_longest_request_does(question: Question, found: NewPlan) -> None:
    workload, model = found.workload, catalog.model(question.model)
    _, before = read(question, workload)
    assert whatif.read_scaled(question, workload, model, AS_RECORDED)[1] == before
    (case,), after = whatif.read_scaled(question, workload, model, Lengths(prompt=2.0, output=2.0))
    assert after == pytest.approx(2 * before, abs=512)
    assert max(prompt + output for _, prompt, output in case.atoms) <= after
    (recorded,), _ = read(question, workload)
    assert case.means() == pytest.approx([2 * mean for mean in recorded.means()], rel=1e-9)


@pytest.mark.thorough
def test_a_fleet_that_is_there_is_never_made_smaller(question: Question, found: NewPlan) -> None:
    fleet = fleet_of(found)
    (pool,) = fleet.pools
    larger = replace(fleet, pools=(replace(pool, replicas=pool.replicas + 2),))

    def grown(fleet: Fleet) -> tuple[Stage, ...]:
        stages, _ = whatif.grow(
            Context(),
            source=source(question, found),
            fleet=fleet,
            anchors=(),
            growth=GROWTH,
        )
        return stages

    own, more = grown(fleet), grown(larger)
    assert own[0].step.gpus == fleet.gpus
    assert more[0].step.gpus == larger.gpus
    assert more[1:] == own[3:]
    assert more[0].step.up_to == own[2].step.up_to


@pytest.mark.thorough
def test_an_order_has_the_replicas_of_all_its_gpus(question: Question) -> None:
    """Found: 20 GPUs beside 16 replicas of one GPU each, as no rate of that time asked for more of the last node.

    Also found: growth through more than 200 fleets was refused, as a table of them is, though few are ordered.
    """
    asked = replace(question, model="llama-3.1-8b", tp=(1,), demand=Demand(form="rate", rate=160.0), pools=(1,))
    small = plan.run(Context(), question=asked)
    growth = replace(GROWTH, months=6, orders="quarter")
    place, fleet = source(asked, small), fleet_of(small)
    (now, order), _ = whatif.grow(Context(), source=place, fleet=fleet, anchors=(), growth=growth)
    assert now.step.gpus > 8, "a node is there"
    assert order.ordered == 8
    assert order.step.replicas == (order.step.gpus,) == (now.step.gpus + 8,)
    fast = replace(growth, per_month=0.5)
    assert len(whatif.grow(Context(), source=place, fleet=fleet, anchors=(), growth=fast)[0]) == 3
    faster = replace(growth, per_month=2.0)
    with pytest.raises(InputError, match="lie about") as refused:
        whatif.grow(Context(), source=place, fleet=fleet, anchors=(), growth=faster)
    assert (refused.value.where, refused.value.accepted) == (
        "--growth, --months",
        "a range with up to 2000 fleets in it",
    )


@pytest.mark.thorough
def test_gpus_that_are_paid_for_serve_before_anything_is_ordered(question: Question) -> None:
    """Found: 10 GPUs to order beside 14 that serve, of the 16 that whole nodes cost, two of which were idle."""
    asked = replace(question, model="llama-3.1-8b", tp=(1,), demand=Demand(form="rate", rate=45.0), pools=(1,))
    small = plan.run(Context(), question=asked)
    place, fleet = source(replace(asked, whole_nodes=True), small), fleet_of(small)
    assert fleet.gpus % 8, "some of the last node is idle"
    longer = replace(GROWTH, per_month=0.05, months=36)
    for asked_growth in (longer, replace(longer, orders="quarter")):
        (now, *orders), _ = whatif.grow(Context(), source=place, fleet=fleet, anchors=(), growth=asked_growth)
        assert now.step.gpus == -(-fleet.gpus // 8) * 8 == now.step.replicas[0]
        assert orders
        assert all(one.ordered % 8 == 0 and one.step.gpus % 8 == 0 for one in orders)
        assert orders[0].rate == now.step.up_to


def test_orders_keep_what_spares_are_for(question: Question) -> None:
    """Found: 8 GPUs in one node beside 5+2 replicas on 7 nodes, where that node held more than could be missed."""
    asked = replace(question, model="llama-3.1-8b", tp=(1,), demand=Demand(form="rate", rate=120.0), pools=(1,))
    asked = replace(asked, availability=0.985, availability_of="node", availability_target=0.999)
    small = plan.run(Context(), question=asked)
    place, fleet = source(asked, small), fleet_of(small)
    assert fleet.gpus > 8, "a node would be there"
    (now, *orders), _ = whatif.grow(
        Context(), source=place, fleet=fleet, anchors=(), growth=replace(GROWTH, orders="quarter")
    )
    assert now.step.gpus == fleet.gpus
    assert any(one.ordered % 8 for one in orders)
    for one in orders:
        (held,), (needed,) = dict(one.step.there).values(), one.step.replicas
        assert one.step.gpus == held
        assert binom.sf(needed - 1, held, 0.985) >= 0.999


def test_money_and_growth_stand_larger_fleets_on_nodes_alike(question: Question) -> None:
    """A fleet that fills its nodes without a spare one grows into filled nodes, which take a node of them."""
    asked = replace(question, model="llama-3.1-8b", tp=(1,), demand=Demand(form="rate", rate=120.0), pools=(1,))
    asked = replace(asked, availability=0.999, availability_of="node", availability_target=0.995)
    small = plan.run(Context(), question=asked)
    place, fleet = source(asked, small), fleet_of(small)
    assert fleet.pools[0].spares == 0, "it fills its nodes"
    growth = replace(GROWTH, months=18)
    (_, *orders), _ = whatif.grow(Context(), source=place, fleet=fleet, anchors=(), growth=growth)
    found = whatif.levels(Context(), source=place, fleet=fleet, anchors=(), low=120.0, high=orders[-1].rate * 1.01)
    levels = {one.gpus for one in found}
    assert all(one.step.there in levels for one in orders)
    assert {(one.step.gpus - one.step.replicas[0]) % 8 for one in orders} == {0}
    assert orders[-1].step.gpus > orders[-1].step.replicas[0], "spare ones are needed at last"


def test_work_stops_when_asked(question: Question, found: NewPlan) -> None:
    stopped, place, fleet = Context(cancelled=lambda: True), source(question, found), fleet_of(found)
    with pytest.raises(Interrupted):
        whatif.step_table(stopped, source=place, fleet=fleet, anchors=(), low=50.0, high=200.0)
    with pytest.raises(Interrupted):
        whatif.sensitive(stopped, source=place, fleet=fleet, anchors=(), samples=5, seed=1)
