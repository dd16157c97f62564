"""How replicas are divided where the search decides: which division answers, and what is said of it."""

from dataclasses import replace

from fleettui.domain.hardware import Profile, StepCost
from fleettui.optimize.searched_words import unmeasured
from tests.optimize.samples import atoms, plan, profile, question


def of_experts(name: str, *, spread: bool, speed: float = 1.0, tp: int = 4) -> Profile:
    one = profile(name, tp=tp, speed=speed)
    assert isinstance(one.step, StepCost)
    step = replace(one.step, expert_share=0.1)
    return replace(one, name=f"{one.name}{'/ep4' if spread else ''}", expert_parallel=spread, step=step)


DIVIDED, WHOLE = of_experts("fast", spread=False), of_experts("fast", spread=True, speed=1.4)
ASKED = question(ttft=0.8, pools=(1,), parallel="auto", step_law="kernels")


def test_the_cheaper_division_answers_and_what_it_saves_is_said() -> None:
    apart, found = (plan(ASKED, 60.0, atoms(5), some) for some in ([DIVIDED], [DIVIDED, WHOLE]))
    assert apart.answer is not None
    assert found.answer is not None
    assert [pool.expert_parallel for pool in found.answer.fleet.pools] == [True]
    gpus, dollars = apart.answer.gpus - found.answer.gpus, apart.answer.cost_per_hour - found.answer.cost_per_hour
    said = f"--parallel auto: experts whole on each GPU instead of divided: saves {gpus} GPUs, ${dollars:.2f}/h"
    assert f"{said}, by formula" in found.why


def test_a_division_that_saves_nothing_is_not_chosen() -> None:
    alike = replace(WHOLE, step=DIVIDED.step)
    found = plan(replace(ASKED, pools=(1, 2)), 60.0, atoms(5), [alike, DIVIDED])
    assert found.answer is not None
    assert not any(pool.expert_parallel for pool in found.answer.fleet.pools)
    assert "--parallel auto: holding experts whole on each GPU saves nothing, by formula" in found.why


def test_sequences_that_are_divided_are_told_with_what_they_save() -> None:
    asked = replace(ASKED, parallel="all")
    apart = replace(
        DIVIDED, name=f"{DIVIDED.name}/dp4", step=WHOLE.step, bandwidth=4 * DIVIDED.bandwidth, attention_dp=True
    )
    found = plan(asked, 60.0, atoms(5), [DIVIDED, apart])
    assert found.answer is not None
    assert [pool.attention_dp for pool in found.answer.fleet.pools] == [True]
    assert any(one.startswith("--parallel all: sequences on each GPU instead of heads: saves ") for one in found.why)
    dear = plan(asked, 60.0, atoms(5), [DIVIDED, replace(apart, price_per_hour=9.0)])
    assert "--parallel all: attention that divides sequences saves nothing, by formula" in dear.why


def test_lanes_of_several_gpus_are_told_with_what_they_save() -> None:
    asked = replace(ASKED, parallel="all")
    lanes = replace(
        DIVIDED,
        name="fast/tp2dp2",
        step=WHOLE.step,
        bandwidth=4 * DIVIDED.bandwidth,
        attention_dp=True,
        layout="tp2dp2/tp4",
    )
    found = plan(asked, 60.0, atoms(5), [DIVIDED, lanes])
    assert found.answer is not None
    assert [pool.layout for pool in found.answer.fleet.pools] == ["tp2dp2/tp4"]
    said = [one.partition(": ")[2].partition(": ")[0] for one in found.why if one.startswith("--parallel all: ")]
    assert said[-2:] == ["sequences in lanes instead of heads", "lanes of several GPUs, tp2dp2/tp4"]
    dear = plan(asked, 60.0, atoms(5), [DIVIDED, replace(lanes, price_per_hour=9.0)])
    assert "--parallel all: lanes of several GPUs save nothing, by formula" in dear.why


def test_where_it_was_not_tried_is_said_and_why() -> None:
    plain = replace(DIVIDED, gpu="plain", name="plain/tp4", price_per_hour=9.0)
    found = plan(ASKED, 60.0, atoms(5), [DIVIDED, WHOLE, plain])
    said = [one for one in found.warnings if "not tried" in one]
    assert said == [
        "experts whole on each GPU were not tried on plain: no kernel of them was measured there or on a GPU like it"
    ]
    by_roofline = plan(replace(ASKED, step_law="roofline"), 60.0, atoms(5), [DIVIDED])
    assert any(one.endswith("the roofline does not know how unevenly they are chosen") for one in by_roofline.warnings)
    dense = plan(ASKED, 60.0, atoms(5), [profile("fast")])
    assert not any("experts" in one for one in dense.warnings)
    assert "--parallel auto: the model has no routed experts, so that --tp alone was searched" in dense.why


def test_experts_that_are_spread_unmeasured_are_warned_of() -> None:
    asked = replace(ASKED, parallel=None, expert_parallel=True)
    (warned,) = unmeasured([WHOLE, WHOLE, DIVIDED], asked)
    assert warned == "on fast how unevenly experts are chosen is not known: profile fit measures it"
    assert warned in plan(asked, 60.0, atoms(5), [WHOLE]).warnings
