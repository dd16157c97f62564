"""Which guessed or default input decides most about a fleet's size."""

import math
from dataclasses import replace

import pytest

from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.decisive import Decisive
from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.dtype import Dtype
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import decisive, stock
from fleettui.planning.tasks.plan import run

ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    model="llama-3.1-70b",
    gpus=("h100",),
    tp=(8,),
    pools=(1,),
    verify=False,
)


FORMATS: tuple[tuple[str, Dtype], ...] = (("a100", "int8"), ("h100", "fp8"))


def answered(question: Question) -> tuple[int, list[Decisive]]:
    """Return the GPUs of a plan by formula, and the inputs that decide on them; the first is kept with the plan."""
    plan = run(Context(), question=question)
    best = plan.answer.answer
    assert best is not None
    source = SceneSource.of(question, plan.workload, plan.answer.demand, digest(question), plan.profiles)
    found = decisive.run(Context(), source=source, fleet=best.fleet, anchors=(NOTHING_SEEN,))
    assert plan.answer.decides == (found[0] if found else None)
    return best.gpus, found


@pytest.mark.evidence
@pytest.mark.parametrize("wished", [None, 0.9])
def test_another_number_format_is_sized_as_a_plan_with_it_is(wished: float | None) -> None:
    """Found: beside the GPUs for 90 % stood those that another input needs at nominal speed, as many."""
    asked = replace(ASKED, confidence=wished)
    gpus, found = answered(asked)
    (fp8,) = [one for one in found if one.name == "dtype"]
    own, _ = answered(replace(asked, dtype="fp8"))
    assert (fp8.now, fp8.other, fp8.gpus, fp8.sure) == ("bf16", "fp8", own, wished is not None)
    assert own < gpus


@pytest.mark.evidence
def test_the_input_that_moves_most_stands_first_and_what_moves_little_is_left_out() -> None:
    asked = replace(ASKED, demand=Demand(form="users", users=60_000, requests_per_user=6 / 3600))
    gpus, found = answered(asked)
    assert found[0].name == "peak-factor"
    assert {one.name for one in found} >= {"dtype", "requests-per-user"}
    assert found[0].gpus == pytest.approx(2 * gpus, rel=0.2)
    peaked = replace(asked, demand=replace(asked.demand, peak_factor=2.5))
    assert "peak-factor" not in [one.name for one in answered(peaked)[1]]


@pytest.mark.evidence
def test_a_typed_range_decides_by_its_costlier_end_and_by_how_sure_a_fleet_is() -> None:
    each = TypedRange(key="requests-per-user", low=4 / 3600, high=9 / 3600)
    demand = Demand(form="users", users=60_000, requests_per_user=each.middle, peak_factor=2.0)
    asked = replace(ASKED, demand=demand, ranges=(each,))
    gpus, found = answered(asked)
    (told,) = [one for one in found if one.name == each.key]
    assert (told.now, told.other) == ("6/h", "9/h")
    assert told.gpus == answered(replace(asked, demand=replace(demand, requests_per_user=each.high), ranges=()))[0]
    plain, sure = (run(Context(), question=one).answer for one in (replace(asked, ranges=()), asked))
    assert plain.confidence is not None
    assert sure.confidence is not None
    assert sure.confidence.ranges == (each,)
    assert (sure.confidence.gpus or 0) > (plain.confidence.gpus or 0) > gpus
    wished = run(Context(), question=replace(asked, confidence=0.9)).answer
    assert wished.answer is not None
    assert wished.confidence is not None
    assert wished.confidence.holds >= 0.9
    assert wished.answer.gpus == wished.confidence.gpus == sure.confidence.gpus
    assert "in the middle of each range" in wished.why[0]


def test_what_is_said_is_no_guess() -> None:
    assert answered(replace(ASKED, dtype="fp8", prefix_hit=0.5))[1] == []


@pytest.mark.parametrize("wished", [None, 0.9])
def test_a_number_format_that_the_answers_gpus_do_not_know_is_searched_for(wished: float | None) -> None:
    """Seen: no size holds, where --dtype fp8 gave a fleet."""
    prices = (("a100", 0.1),)
    asked = replace(ASKED, gpus=("a100", "h100"), prices=prices, prefix_hit=0.5, confidence=wished)
    _, found = answered(asked)
    (fp8,) = [one for one in found if one.name == "dtype"]
    own = run(Context(), question=replace(asked, dtype="fp8")).answer.answer
    assert own is not None
    assert own.fleet.pools[0].gpu == "h100"
    assert (fp8.gpus, fp8.cost, fp8.searched) == (own.gpus, own.cost_per_hour, True)


def test_what_other_gpus_save_in_the_present_format_is_not_told_of_another() -> None:
    """Found: beside a fleet that was given, of A100, stood fp8 at $2.37/h: three L40S, which cost that in bf16, too."""
    plan = run(Context(), question=replace(ASKED, gpus=("a100",), prefix_hit=0.5))
    best = plan.answer.answer
    assert best is not None
    for price, named in ((0.1, []), (9.0, ["dtype"])):
        asked = replace(ASKED, gpus=("a100", "h100"), prefix_hit=0.5, prices=(("a100", 1.3), ("h100", price)))
        source = SceneSource.of(asked, plan.workload, plan.answer.demand, digest(asked), plan.profiles)
        found = decisive.run(Context(), source=source, fleet=best.fleet, anchors=(NOTHING_SEEN,))
        assert [one.name for one in found] == named, "at $0.10/h H100 cost less as they are"


def test_a_number_format_that_none_of_the_gpus_know_is_no_input() -> None:
    """Found: for A100 fp8 stood first of all inputs, with the words that no fleet holds."""
    _, found = answered(replace(ASKED, gpus=("a100",), prefix_hit=0.5))
    assert "dtype" not in [one.name for one in found]


def test_an_input_that_moves_no_dollar_decides_nothing() -> None:
    """Seen: 20 GPUs instead of 24 stood there, which cost the same in whole nodes."""
    asked = replace(ASKED, demand=Demand(form="rate", rate=50.0), tp=(4,), dtype="fp8")
    free = {one.name: one for one in answered(asked)[1]}
    now = run(Context(), question=replace(asked, whole_nodes=True)).answer
    assert now.answer is not None
    for one in answered(replace(asked, whole_nodes=True))[1]:
        assert abs(math.log((one.cost or math.inf) / now.answer.cost_per_hour)) >= math.log1p(0.1)
    assert "prefix-hit" in free, "in single GPUs it does"


def test_pools_of_several_number_formats_keep_theirs_where_another_input_moves() -> None:
    """Found: beside 16 L40S + 8 A100 in int8 + 4 H100 stood that no number of them holds with hits, less work.

    All were taken in the question's fp8, which A100 do not know.
    """
    plan, other = (run(Context(), question=replace(ASKED, gpus=(gpu,), dtype=dtype)) for gpu, dtype in FORMATS)
    first, last = (one.answer.answer for one in (plan, other))
    assert first is not None
    assert last is not None
    pools = (replace(first.fleet.pools[0], up_to=2048), replace(last.fleet.pools[0], name="long", above=2048))
    asked = replace(ASKED, dtype="fp8", gpus=())
    source = SceneSource.of(asked, plan.workload, plan.answer.demand, digest(asked), (*plan.profiles, *other.profiles))
    fleet = replace(first.fleet, pools=pools)
    (hits,) = decisive.run(Context(), source=source, fleet=fleet, anchors=(NOTHING_SEEN,) * 2)
    with_hits = replace(source, question=replace(asked, prefix_hit=0.3), key="with hits")
    needed = stock.run(Context(), source=with_hits, fleet=fleet, anchors=(NOTHING_SEEN,) * 2)
    assert hits.name == "prefix-hit"
    assert hits.gpus == sum(size * pool.gpus_per_replica for size, pool in zip(needed, pools, strict=True))


def test_what_is_less_work_needs_no_more_than_was_seen_to_hold() -> None:
    """Under other requests no size is known to hold: the formulas as corrected would take many more, or have none."""
    asked = replace(ASKED, dtype="fp8")
    plan = run(Context(), question=asked)
    best = plan.answer.answer
    assert best is not None
    source = SceneSource.of(asked, plan.workload, plan.answer.demand, digest(asked), plan.profiles)
    (pool,) = best.fleet.pools
    ratios = (("ttft", 20.0), ("tpot", 1.0))
    held = SeenPool(utilization=0.01, ratios=ratios, replicas=pool.replicas, rate=100.0, passed=True)
    late = Anchor(seen=(held,))
    assert stock.run(Context(), source=source, fleet=best.fleet, anchors=(late.elsewhere,)) > (pool.replicas,)
    for one in decisive.run(Context(), source=source, fleet=best.fleet, anchors=(late,)):
        assert one.gpus is not None, one.name
        assert one.gpus <= best.gpus
