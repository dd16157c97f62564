"""A fleet that is as sure as wished: which is simulated, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.confidence import LIKELY
from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.wish import unmet
from fleettui.errors import InputError
from fleettui.planning import confidence_reasons, surest_fleet
from fleettui.planning.dared_fleets import MOST_DARED, Dares
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.prove import Prover
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Known, Option, Shape, SizedShapes, Wish
from fleettui.planning.studies.study_context import make
from fleettui.planning.surest_fleet import MOST_TRIED, Decide, Decision, Wishes
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes
from store import Store
from tests.planning.contradictions import rows
from tests.planning.simulated import Watched, question, sizes, trace
from tests.planning.test_smallest_fleet import World, searched
from tests.planning.trials import curves, evidence, seen, shape

ASKED = Question(workload="chat", slo=Slo(ttft=0.5), confidence=0.9)


def look_at_rate(best: Candidate, before: Sequence[Look]) -> Look:
    """Return a look at a fleet at a rate of its own, which it holds."""
    own = replace(best, evidence=evidence("pass", seen("short", (0.3, 0.4), "pass")))
    return Look(rate=12.0 + len(before), candidate=own)


async def no_look(*_: object) -> Sequence[Look]:
    return ()


async def no_other(*_: object) -> list[Shape]:
    return []


def wishes_of(wish: Wish, world: World, decide: Decide) -> Wishes:
    """Return what sizes fleets by a `wish`, and simulates them in a `world`."""
    sized = SizedShapes(ASKED, 10.0, wish)
    return Wishes(sized, world.attempt, decide, Dares(sized, sized, no_look), no_other)


async def surest(
    world: World,
    wanted: dict[str, Sizes | None],
    *shapes: Candidate,
    shown: dict[str, Sizes] | None = None,
    unsure: Sequence[str] = (),
) -> Sizes | None:
    """Search with fleets that are sized to what is `wanted` on their GPU; what is simulated for it is kept.

    Where longer steps decide, another size is `shown` to be needed. Those of `unsure` GPUs are less sure than wished.
    """
    looked, another = set[str](), shown or {}

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        kinds = [fleet.pools[0].gpu for fleet, _ in known]
        return [another[gpu] if gpu in looked else wanted[gpu] for gpu in kinds]

    async def decide(best: Candidate, _: Sequence[Candidate], before: Sequence[Look]) -> Decision:
        new = {best.fleet.pools[0].gpu} & another.keys() - looked
        looked.update(new)
        looks = [look_at_rate(best, before) for _ in new]
        return Decision(looks, not new and best.fleet.pools[0].gpu not in unsure)

    settled = await searched(world.attempt, *shapes)
    world.tried.clear()
    wishes = wishes_of(sized, world, decide)
    found = await wishes.surest([(one, curves(one)) for one in shapes], settled)
    assert [(one.fleet.pools[0].gpu, sizes(one)) for one in wishes.tried] == world.tried
    return None if found is None else found.sizes


def fleet(size: int, gpu: str) -> Candidate:
    return replace(shape(size, gpu=gpu), candidate=gpu)


async def test_the_best_at_the_wished_sizes_is_simulated_though_another_is_at_the_predicted() -> None:
    world = World({"h100": [4], "a100": [5]})
    both = fleet(4, "h100"), fleet(5, "a100")
    assert await surest(world, {"h100": (9,), "a100": (6,)}, *both) == (6,)
    assert world.tried == [("a100", (6,))]


async def test_what_is_as_sure_as_it_is_needs_no_further_simulation() -> None:
    world = World({"h100": [4]})
    assert await surest(world, {"h100": (4,)}, fleet(4, "h100")) == (4,)
    assert world.tried == []


async def test_what_a_look_where_longer_steps_decide_shows_counts() -> None:
    world = World({"h100": [4], "a100": [5]})
    both = fleet(4, "h100"), fleet(5, "a100")
    assert await surest(world, {"h100": (9,), "a100": (6,)}, *both, shown={"a100": (7,)}) == (7,)
    assert world.tried == [("a100", (6,)), ("a100", (7,))]
    world.tried.clear()
    assert await surest(world, {"h100": (9,), "a100": (6,)}, *both, shown={"a100": (12,)}) == (9,)
    assert world.tried == [("a100", (6,)), ("h100", (9,))]


async def test_a_fleet_that_is_less_sure_than_its_size_says_is_no_answer() -> None:
    """Its size is for the wished share, and the looks at it tell that it is not as sure."""
    world = World({"h100": [4], "a100": [5]})
    both = fleet(4, "h100"), fleet(5, "a100")
    assert await surest(world, {"h100": (9,), "a100": (6,)}, *both, unsure=["a100"]) == (9,)
    assert world.tried == [("a100", (6,)), ("h100", (9,))]


async def test_a_fleet_that_is_as_sure_is_the_answer_though_its_size_was_thought_to_be_less_later() -> None:
    """Found: a look at one replica fewer made the formula ask for that, which is short; the larger was forgotten."""
    world = World({"h100": [4]})
    wanted, needs = {"now": (30,)}, {28: (30,), 29: None}

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        return [wanted["now"] for _ in known]

    async def decide(best: Candidate, _: Sequence[Candidate], before: Sequence[Look]) -> Decision:
        size = best.fleet.pools[0].replicas
        if size == 30 and not before:
            wanted["now"] = (29,)
            return Decision([look_at_rate(best, before)], enough=True)
        return Decision((), size >= 30, needs.get(size))

    settled = await searched(world.attempt, fleet(4, "h100"))
    for first in (30, 28):
        world.tried.clear()
        wanted["now"] = (first,)
        wishes = wishes_of(sized, world, decide)
        found = await wishes.surest([(fleet(4, "h100"), curves(fleet(4, "h100")))], settled)
        assert found is not None
        assert found.sizes == (30,)
        assert not wishes.left_off


async def test_the_last_that_is_simulated_for_it_is_no_answer_unless_it_is_as_sure() -> None:
    """Found: 74 GPUs that are 85 % sure were told to be 90 % so."""
    world = World({"h100": [4]})

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        return [(9,) for _ in known]

    async def decide(best: Candidate, *_: object) -> Decision:
        return Decision((), enough=False, needs=(best.fleet.pools[0].replicas + 1,))

    wishes = wishes_of(sized, world, decide)
    settled = await searched(world.attempt, fleet(4, "h100"))
    assert await wishes.surest([(fleet(4, "h100"), curves(fleet(4, "h100")))], settled) is None
    assert (len(wishes.tried), wishes.left_off) == (MOST_TRIED + MOST_DARED, True)


async def test_a_search_goes_on_while_no_fleet_is_as_sure_of_those_that_it_simulated() -> None:
    """Found: 104 MI300X were the second of six, 112 would have been the seventh, and no fleet was said to be sure."""
    world, start = World({"h100": [4]}), 9
    enough = start + MOST_TRIED

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        return [(start,) for _ in known]

    async def decide(best: Candidate, *_: object) -> Decision:
        size = best.fleet.pools[0].replicas
        return Decision((), size >= enough, (size + 1,))

    wishes = wishes_of(sized, world, decide)
    settled = await searched(world.attempt, fleet(4, "h100"))
    found = await wishes.surest([(fleet(4, "h100"), curves(fleet(4, "h100")))], settled)
    assert found is not None
    assert (found.sizes, len(wishes.tried)) == ((enough,), MOST_TRIED + 1)


@pytest.mark.parametrize("most", [MOST_TRIED, 1], ids=["some are left", "all were tried"])
async def test_a_cheaper_fleet_that_was_thought_dearer_is_the_answer_once_a_look_shows_that_it_is_as_sure(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Found: eight replicas do where formulas ask for thirteen, and a fleet of another shape was the dearer answer.

    It is so where the last of the fleets that are simulated for it was the dearer one.
    """
    monkeypatch.setattr(surest_fleet, "MOST_TRIED", most)
    world = World({"h100": [4], "a100": [5]})
    wanted: dict[str, Sizes] = {"h100": (9,), "a100": (13,)}

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        at_best = any(one.rate == 0.0 for _, anchors in known for one in anchors[0].seen)
        return [(5,) if at_best else wanted[fleet.pools[0].gpu] for fleet, _ in known]

    async def decide(*_: object) -> Decision:
        return Decision((), enough=True)

    async def look_at(one: Candidate, sizes: Sizes, _: object, before: Sequence[Look]) -> Sequence[Look]:
        wanted["a100"] = sizes
        return [look_at_rate(one, before)]

    both = fleet(4, "h100"), fleet(5, "a100")
    settled = await searched(world.attempt, *both)
    world.tried.clear()
    wishes = wishes_of(sized, world, decide)
    wishes.dares.look_at = look_at
    found = await wishes.surest([(one, curves(one)) for one in both], settled)
    assert found is not None
    assert (found.candidate.fleet.pools[0].gpu, found.sizes) == ("a100", (8,))
    assert world.tried == [("h100", (9,)), ("a100", (8,))]
    assert wishes.untried is None


async def test_a_fleet_of_one_pool_that_others_made_too_large_for_the_stock_is_looked_at_before_none_is_found() -> None:
    """Found: 22 L40S without a stock, no fleet within one of 24: what long requests showed asked for 66 of one pool."""
    world, looked = World({"h100": [4], "a100": [5]}, most=12), set[str]()
    both = fleet(4, "h100"), fleet(5, "a100")

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        at_best = any(one.rate == 0.0 for _, anchors in known for one in anchors[0].seen)
        own = {"h100": (20,), "a100": (11,) if looked else (8,) if at_best else (66,)}
        return [own[fleet.pools[0].gpu] for fleet, _ in known]

    async def decide(*_: object) -> Decision:
        return Decision((), enough=True)

    async def look_at(one: Candidate, sizes: Sizes, _: object, before: Sequence[Look]) -> Sequence[Look]:
        asked.append((one.fleet.pools[0].gpu, sizes))
        looked.add(one.fleet.pools[0].gpu)
        return [look_at_rate(one, before)]

    asked = list[tuple[str, Sizes]]()
    settled = await searched(world.attempt, *both)
    wishes = wishes_of(sized, world, decide)
    wishes.sized = wishes.dares.sized = replace(wishes.sized, question=replace(ASKED, max_total_gpus=24))
    wishes.dares.look_at = look_at
    found = await wishes.surest([(one, curves(one)) for one in both], settled)
    assert found is not None
    assert (found.candidate.fleet.pools[0].gpu, found.sizes) == ("a100", (11,))
    assert asked[0] == ("a100", (12,)), "as large as the stock lets it be"


async def test_fleets_that_may_be_cheaper_are_looked_at_though_no_more_of_those_that_were_begun_are_simulated() -> None:
    """Found: 22 L40S where 20 of one pool do: another size of what was tried was the best, and was not tried."""
    others, start, enough = [f"other-{number}" for number in range(MOST_DARED)], 9, 10 + MOST_TRIED
    world = World({"h100": [4], "a100": [5], **{name: [7] for name in others}})
    wanted: dict[str, Sizes] = {"h100": (start,), "a100": (40,), **dict.fromkeys(others, (30,))}

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        at_best = any(one.rate == 0.0 for _, anchors in known for one in anchors[0].seen)
        return [(5,) if at_best else wanted[fleet.pools[0].gpu] for fleet, _ in known]

    async def decide(best: Candidate, _: Sequence[Candidate], before: Sequence[Look]) -> Decision:
        gpu, size = best.fleet.pools[0].gpu, best.fleet.pools[0].replicas
        if gpu == "a100" or (size == enough and wanted["h100"] != (start,)):
            return Decision((), enough=True)
        if size < enough:
            return Decision((), enough=False, needs=(enough if size == enough - 2 else size + 1,))
        wanted["h100"] = (enough - 1,)
        return Decision([look_at_rate(best, before)], enough=True)

    async def look_at(one: Candidate, sizes: Sizes, _: object, before: Sequence[Look]) -> Sequence[Look]:
        wanted[one.fleet.pools[0].gpu] = (10,) if one.fleet.pools[0].gpu == "a100" else (50,)
        return [look_at_rate(one, before)]

    shapes = fleet(4, "h100"), fleet(5, "a100"), *(fleet(7, name) for name in others)
    settled = await searched(world.attempt, *shapes)
    world.tried.clear()
    wishes = wishes_of(sized, world, decide)
    wishes.dares.look_at = look_at
    found = await wishes.surest([(one, curves(one)) for one in shapes], settled)
    assert found is not None
    assert (found.candidate.fleet.pools[0].gpu, found.sizes) == ("a100", (10,))


@pytest.mark.parametrize(("sure", "came_to"), [(9, "a100"), (12, "a100"), (None, "a100"), (5, "h100")])
async def test_pools_that_divide_elsewhere_are_looked_at_before_a_search_ends(sure: int | None, came_to: str) -> None:
    """Found: no fleet of six that were simulated was 90 % sure, and the same GPUs divided elsewhere were."""
    world = World({"h100": [4], "a100": [5]})
    wanted: dict[str, Sizes | None] = {"h100": None if sure is None else (sure,), "a100": (20,)}
    known, asked = fleet(4, "h100"), list[float | None]()

    async def sized(known: Sequence[Known]) -> list[Sizes | None]:
        return [wanted[fleet.pools[0].gpu] for fleet, _ in known]

    async def decide(*_: object) -> Decision:
        return Decision((), enough=True)

    async def divide(_: Sequence[Shape], best: Option | None, __: Sequence[Candidate]) -> list[Shape]:
        asked.append(None if best is None else best.sizes[0])
        return [(other, curves(other)) for other in [fleet(6, "a100")] if len(asked) == 1 and came_to == "a100"]

    async def look_at(one: Candidate, sizes: Sizes, _: object, before: Sequence[Look]) -> Sequence[Look]:
        wanted["a100"] = sizes
        return [look_at_rate(one, before)]

    settled = await searched(world.attempt, known)
    world.tried.clear()
    wishes = wishes_of(sized, world, decide)
    wishes.divide, wishes.dares.look_at = divide, look_at
    found = await wishes.surest([(known, curves(known))], settled)
    assert found is not None
    assert found.candidate.fleet.pools[0].gpu == came_to
    assert asked[0] == sure
    assert len(asked) == (2 if came_to == "a100" else 1)


async def test_what_fails_at_the_step_times_predicted_is_no_answer() -> None:
    world = World({"h100": [4], "a100": [9]})
    both = fleet(4, "h100"), fleet(5, "a100")
    assert await surest(world, {"h100": (12,), "a100": (6,)}, *both) == (12,)
    assert world.tried == [("a100", (6,)), ("h100", (12,))]


async def test_no_size_or_a_broken_constraint_is_no_answer() -> None:
    world = World({"h100": [4]})
    assert await surest(world, {"h100": None}, fleet(4, "h100")) is None
    world = World({"h100": [4]}, most=5)
    assert await surest(world, {"h100": (6,)}, fleet(4, "h100")) is None


async def test_the_last_of_the_fleets_simulated_for_it_is_of_a_shape_that_was_tried_before() -> None:
    others = [f"other-{number}" for number in range(MOST_TRIED + 2)]
    world = World({"h100": [4], **{name: [100] for name in others}})
    wanted: dict[str, Sizes | None] = {"h100": (60,), **dict.fromkeys(others, (41,))}
    shapes = [fleet(4, "h100"), *(fleet(40, name) for name in others)]
    assert await surest(world, wanted, *shapes) == (60,)
    assert len(world.tried) == MOST_TRIED
    assert world.tried[-1] == ("h100", (60,))


async def test_fleets_with_a_main_pool_like_one_that_was_tried_come_after_others_while_none_is_as_sure() -> None:
    """Found: of the first six fleets four had the same 104 MI300X as their main pool, none of them 90 % sure."""
    names = [f"other-{number}" for number in range(MOST_TRIED + MOST_DARED + 1)]
    world = World({"h100": [4], **{name: [1, 4] for name in names}})

    def beside(gpu: str) -> Candidate:
        small, main = shape(1, 40).fleet.pools
        pools = replace(small, gpu=gpu), replace(main, gpu="a100")
        return replace(shape(1, 40), candidate=gpu, fleet=replace(shape(1, 40).fleet, pools=pools))

    wanted: dict[str, Sizes | None] = {"h100": (60,), **dict.fromkeys(names, (1, 41))}
    assert await surest(world, wanted, fleet(4, "h100"), *map(beside, names), unsure=names) == (60,)
    assert world.tried[:2] == [(names[0], (1, 41)), ("h100", (60,))]


async def test_a_search_that_left_off_is_told_from_one_that_found_nothing() -> None:
    """Found: where as many were tried as may be, it said that at any size some limit breaks."""
    names = [f"other-{number}" for number in range(MOST_TRIED + MOST_DARED + 1)]
    for most, left_off in ((len(names), True), (2, False)):
        world = World({"h100": [4], **{name: [100] for name in names}})
        shapes = [fleet(4, "h100"), *(fleet(40, name) for name in names[:most])]

        async def sized(known: Sequence[Known]) -> list[Sizes | None]:
            return [None if one.pools[0].gpu == "h100" else (41,) for one, _ in known]

        async def decide(*_: object) -> Decision:
            return Decision((), enough=False)

        wishes = wishes_of(sized, world, decide)
        settled = await searched(world.attempt, *shapes)
        assert await wishes.surest([(one, curves(one)) for one in shapes], settled) is None
        assert wishes.left_off == left_off
    said = confidence_reasons.left_off(replace(ASKED, confidence=0.9), MOST_TRIED)
    assert unmet([said]) == f"no fleet of {MOST_TRIED} that were simulated for it is 90% sure"


async def test_it_is_not_said_that_none_is_as_sure_while_one_may_be_that_was_not_looked_at() -> None:
    """Found: "no fleet of any size", and one of one pool was, of which others' requests told that it is not."""
    names = [f"other-{number}" for number in range(MOST_DARED + 1)]
    for most, left_off in ((MOST_DARED + 1, True), (MOST_DARED, False)):

        async def sized(known: Sequence[Known]) -> list[Sizes | None]:
            at_best = any(one.rate == 0.0 for _, anchors in known for one in anchors[0].seen)
            return [(41,) if at_best and one.pools[0].gpu != "h100" else None for one, _ in known]

        async def decide(*_: object) -> Decision:
            return Decision((), enough=True)

        world, shapes = World({"h100": [4]}), [fleet(4, "h100"), *(fleet(40, name) for name in names[:most])]
        settled, wishes = await searched(world.attempt, shapes[0]), wishes_of(sized, world, decide)
        assert await wishes.surest([(one, curves(one)) for one in shapes], settled) is None
        assert wishes.left_off == left_off


async def test_every_fleet_that_was_simulated_for_it_says_how_sure_the_answer_is(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it says which sizes are simulated: else a fleet sized to be 90% sure could be told to be less."""
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=20.0), slo=Slo(ttft=0.35), confidence=LIKELY)
    wished, counted = list[Candidate](), list[Candidate]()

    async def surest(wishes: Wishes, shapes: Sequence[Shape], settled: Settled) -> Trial:
        """Have a fleet simulated that is not the answer."""
        best = settled.answer
        assert best is not None
        larger = tuple(size + 1 for size in best.sizes)
        wishes.tried.append((await wishes.attempt(shapes[0][0], larger)).candidate)
        wished.extend(wishes.tried)
        return best

    async def with_confidence(_: Prover, answer: Answer, __: FleetLimits) -> Answer:
        counted.extend(answer.candidates)
        return answer

    monkeypatch.setattr(Wishes, "surest", surest)
    monkeypatch.setattr(Prover, "with_confidence", with_confidence)
    await make_plan(asked, store=store, pool=workers)
    assert wished
    assert all(one in counted for one in wished)
    workers.asked.clear()


@pytest.mark.thorough
async def test_a_plan_is_as_sure_as_wished_by_simulation_and_its_studies_go_on_from_that(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=20.0), slo=Slo(ttft=0.35))
    nominal = await make_plan(asked, store=store, pool=workers)
    found = await make_plan(replace(asked, confidence=LIKELY), store=store, pool=workers)
    assert nominal.confidence is not None
    assert found.confidence is not None
    assert nominal.confidence.holds < LIKELY <= found.confidence.holds
    assert (found.verdict, found.simulation is not None) == ("pass", True)
    assert sizes(found.answer) == nominal.confidence.replicas
    assert found.why[0].startswith("sized to be 90% sure; at the step times predicted H100 tp8 x")
    steps = await make("steps", store, pool=workers, plan=found.plan.id)
    own = next(row for row in rows(steps) if row["gpus"] == 8 * sizes(found.answer)[0])
    assert own["up_to"] >= 20.0
    fewer = [row for row in rows(steps) if row["gpus"] < own["gpus"]]
    assert all(row["up_to"] < 20.0 for row in fewer)


async def test_a_plan_by_formula_says_how_sure_it_is_and_is_as_sure_as_wished(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=20.0), slo=Slo(ttft=0.3), verify=False)
    nominal = await make_plan(asked, store=store, pool=workers)
    found = await make_plan(replace(asked, confidence=LIKELY), store=store, pool=workers)
    assert nominal.confidence is not None
    assert found.confidence is not None
    assert nominal.confidence.holds < LIKELY <= found.confidence.holds
    assert sizes(found.answer) == nominal.confidence.replicas
    assert found.answer in found.candidates
    poor = await make_plan(replace(asked, confidence=LIKELY, max_total_gpus=8), store=store, pool=workers)
    assert (poor.verdict, poor.answer) == ("infeasible", None)
    assert KeptPlan.of(store, found.plan.id).question.confidence == LIKELY


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"verify": False}, id="by formula"),
        pytest.param({"verify": False, "arrivals": "gamma:cv=2"}, id="in bursts"),
        pytest.param({"verify": False, "confidence": 0.75, "slo": Slo(ttft=0.5, tpot=0.03)}, id="less sure"),
        pytest.param({}, id="simulated", marks=pytest.mark.thorough),
    ],
)
async def test_plans_steps_and_sweeps_size_for_a_confidence_alike(
    store: Store, workers: Watched, tmp_path: Path, changes: dict[str, Any]
) -> None:
    given: dict[str, Any] = {"demand": Demand(form="rate", rate=20.0), "slo": Slo(ttft=0.35), "confidence": LIKELY}
    asked = replace(question(trace(tmp_path), **given), **changes)
    found = await make_plan(asked, store=store, pool=workers)
    steps = rows(await make("steps", store, pool=workers, plan=found.plan.id, low=10.0, high=60.0))
    ends = [row["up_to"] for row in steps[:-1]]
    rates = [round(rate * by, 3) for rate in ends for by in (0.999, 1.001)]
    points = ",".join(f"{rate}/s" for rate in rates)
    study = await make("whatif", store, pool=workers, plan=found.plan.id, sweep=[f"rate={points}"])
    for row in rows(study):
        step = next(one for one in steps if one["up_to"] >= row["rate"])
        assert (row["gpus"], row["fleet"]) == (step["gpus"], f"H100 tp8 x{step['replicas']}"), row["rate"]
        assert "nothing" not in row["limited_by"]
    if not asked.verify:
        for rate, row in list(zip(rates, rows(study), strict=True))[1:4]:
            anew = await make_plan(replace(asked, demand=Demand(form="rate", rate=rate)), store=store, pool=workers)
            assert (sizes(anew.answer)[0] * 8, anew.answer and anew.answer.pools[0].limited_by) == (
                row["gpus"],
                row["limited_by"],
            )


@pytest.mark.evidence
@pytest.mark.own_workers
@pytest.mark.looks
@pytest.mark.timeout(900)  # two plans that are as sure as wished: 160 s beside six others on two cores
async def test_a_sweep_knows_of_the_plans_own_fleet_what_its_steps_know(store: Store, workers: Watched) -> None:
    asked = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=20.0),
        slo=Slo(ttft=0.5),
        gpus=("h100",),
        step_law="kernels",
        confidence=LIKELY,
    )
    found = await make_plan(asked, store=store, pool=workers)
    study = await make("whatif", store, pool=workers, plan=found.plan.id, sweep=["rate=30/s"])
    anew = await make_plan(replace(asked, demand=Demand(form="rate", rate=30.0)), store=store, pool=workers)
    assert anew.answer is not None
    assert (rows(study)[0]["gpus"], rows(study)[0]["cost_per_hour"]) == (anew.answer.gpus, anew.answer.cost_per_hour)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"demand": Demand(form="concurrency", concurrency=40)}, "a closed loop's rate is another at other speeds"),
        ({"preset": "paper"}, "the papers' own speeds have no error"),
        ({"confidence": 0.3}, "confidence is no confidence to size for"),
        ({"confidence": 1.0}, "confidence is no confidence to size for"),
    ],
)
def test_what_has_no_error_to_be_sure_over_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(ASKED, **changes)
