"""The serving architectures by name, and that a new one is seen wherever there are any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fleettui.architectures import ARCHITECTURES, afd, apart
from fleettui.architectures.architecture import Architecture, Bench, Built
from fleettui.architectures.plain import Plain
from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.frontier import FrontierPoint
from fleettui.domain.registry import Registry
from fleettui.domain.roles import DECODE, PREFILL
from fleettui.domain.scenario import ARCHITECTURE_CHOICES, Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning import architecture_need
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import make
from fleettui.planning.tasks import frontier as tasks
from fleettui.reports.question.keys import BY_NAME
from store import Store
from tests.optimize.test_architectures import MADE, points
from tests.planning.simulated import Here, question, trace

SHIPPED = ARCHITECTURES.names
HOP = 0.04
WIDE = 8


@dataclass(frozen=True, slots=True)
class Behind(Plain):
    """Replicas behind a gateway, which takes so long of each request."""

    def built(self, bench: Bench) -> Iterator[Built]:
        """Yield each kind with that on its front end."""
        return (("", replace(one, front_end=one.front_end + HOP)) for one in bench.profiles)


@dataclass(frozen=True, slots=True)
class Wide(Plain):
    """Replicas of many GPUs."""

    def built(self, bench: Bench) -> Iterator[Built]:
        """Yield those that have as many."""
        return (("", one) for one in bench.profiles if one.tp >= WIDE)


GATEWAY = Architecture(
    name="toy-gateway",
    label="behind a toy",
    help="behind a toy",
    first=Behind("both"),
    refusal="nothing deploys the gateway",
)
WIDER = Architecture(
    name="toy-wide",
    label="toy decode",
    help="few wide replicas that decode",
    first=Plain(PREFILL),
    then=Wide(DECODE),
    swaps=((DECODE,),),
    caution="wide replicas are rare",
)


@pytest.fixture
def more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add two architectures that are new: one pool behind a hop, and wide replicas that decode."""
    every = Registry("architecture", *ARCHITECTURES, GATEWAY, WIDER)
    for name in Registry.__slots__:
        monkeypatch.setattr(ARCHITECTURES, name, getattr(every, name))


def test_the_first_is_that_of_a_plans_own_fleet_and_the_others_are_sized_beside_it() -> None:
    assert Question(slo=Slo(ttft=1.0)).architecture == ARCHITECTURES.default.name
    own = [one.name for one in ARCHITECTURES if not one.study]
    assert [*own, SEARCHED] == list(ARCHITECTURE_CHOICES)
    assert [one.name for one in ARCHITECTURES if one.study == "disagg"] == [apart.ARCHITECTURE.name]
    with pytest.raises(UnknownNameError, match=", ".join(sorted(ARCHITECTURES.names))):
        ARCHITECTURES.named("sideways")


def test_roles_that_are_swapped_are_roles_of_its_replicas() -> None:
    with pytest.raises(AssertionError, match="no roles"):
        replace(afd.ARCHITECTURE, swaps=((DECODE,),))
    with pytest.raises(AssertionError, match="one GPU type"):
        replace(ARCHITECTURES.default, swaps=(("both",),))


def test_a_new_one_is_refused_where_a_plan_asks_for_it_by_what_it_declares(more: None) -> None:
    with pytest.raises(InputError, match="nothing deploys the gateway") as caught:
        BY_NAME["architecture"].read("toy-gateway", None)
    assert caught.value.accepted == "together, auto"
    assert (caught.value.remedy or "").endswith(
        "plan with auto, which sizes toy-gateway beside it, or study it after a plan: fleettui frontier last"
    )


def test_a_new_one_is_scored_beside_the_others_which_stay_as_they_are(more: None) -> None:
    def of(name: str, some: tuple[FrontierPoint, ...]) -> list[FrontierPoint]:
        return [one for one in some if one.architecture == name]

    found = points()
    assert [one for one in found if one.architecture in SHIPPED] == list(points(replace(MADE, only=SHIPPED)))
    for own, hop in zip(of("together", found), of("toy-gateway", found), strict=True):
        assert (hop.gpus, hop.cost, hop.tpot) == (own.gpus, own.cost, own.tpot)
        assert hop.ttft == pytest.approx(own.ttft + HOP)
    wide = of("toy-wide", found)
    assert wide
    assert all(one.apart is not None and one.apart.decode.tp >= WIDE for one in wide)


@pytest.mark.thorough
@pytest.mark.asyncio
async def test_a_new_one_is_simulated_sized_and_given_cheaper_gpus(
    more: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "STEPS", 3)
    monkeypatch.setattr(tasks, "RUNS", 2)
    monkeypatch.setattr(tasks, "MOST_REQUESTS", 400)
    monkeypatch.setattr(architecture_need, "usual_layouts", lambda _: ("tp4/tp4",))
    asked = question(trace(tmp_path), verify=False, architecture="auto", slo=Slo(ttft=5.0))
    with Store.open() as store:
        async with Here(1) as workers:
            answer = await make_plan(asked, store=store, pool=workers)
            layouts = ("tp4/tp4",)
            study = await make("frontier", store, pool=workers, plan="last", bounds=(5.0,), layouts=layouts)
            swapped = await make("hetero", store, pool=workers, plan="last", cheaper=("h20", 1.2), layouts=layouts)
    told = [one for one in answer.why if one.startswith("--architecture auto: ")]
    assert [any(one.label in line for line in told) for one in (GATEWAY, WIDER)] == [True, True]
    assert {row["architecture"] for row in study.tables[-1].records()} == {one.label for one in ARCHITECTURES}
    assert WIDER.caution in study.warnings
    rows = [row for row in swapped.tables[0].records() if row["fleet"] == WIDER.label]
    assert [row["cheaper"] for row in rows] == ["none", DECODE]
