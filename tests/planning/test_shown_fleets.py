"""What is told of fleets that the formulas name is what they are simulated to take, and not what was refuted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.plan import Answer, Candidate, Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import make_of
from fleettui.domain.slo import Slo
from fleettui.planning import shown_fleets
from fleettui.planning.shown_fleets import MOST_MAKES, NEAR, ShownFleets
from tests.planning.trials import evidence, shape
from tests.planning.trials import seen as of_pool
from tests.store import samples

ASKED = Question(workload="chat", slo=Slo(ttft=0.5))
RATE = 10.0
VERDICTS: dict[bool | None, Verdict] = {True: "pass", False: "fail", None: "unproven"}


def simulated(one: Candidate, replicas: int, cost: float) -> Candidate:
    """Return a fleet that passed as simulated, with so many replicas."""
    (pool,) = one.fleet.pools
    fleet = replace(one.fleet, pools=(replace(pool, replicas=replicas),))
    return replace(one, fleet=fleet, cost_per_hour=cost, evidence=evidence("pass"))


def nobody(asked: Question = ASKED) -> Any:
    return SimpleNamespace(source=SimpleNamespace(question=asked, rate=RATE), workers=None)


@dataclass(slots=True, kw_only=True)
class Told(ShownFleets):
    """Fleets that are looked at come to what is known of their GPU type; of some nothing can be seen in short."""

    takes: dict[str, Candidate | None] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def _smallest(self, one: Candidate, _: float) -> list[Candidate]:
        gpu = one.fleet.pools[0].gpu
        self.asked.append(gpu)
        if gpu not in self.takes:
            return []
        found = self.takes[gpu]
        self.looks.append(Look(rate=RATE, candidate=found or replace(one, evidence=evidence("fail"))))
        return [] if found is None else [found]


def fleets(**costs: float) -> list[Candidate]:
    return [replace(shape(2, gpu=gpu), cost_per_hour=cost) for gpu, cost in costs.items()]


async def best(ranked: Sequence[Candidate], **takes: Candidate | None) -> tuple[Candidate | None, Told]:
    return await best_within(1.0, ranked, takes)


async def best_within(
    beyond: float, ranked: Sequence[Candidate], takes: dict[str, Candidate | None]
) -> tuple[Candidate | None, Told]:
    shown = Told(simulator=nobody(), answer=samples.answer(1), takes=takes, beyond=beyond)

    async def find(_: Answer) -> Sequence[Candidate]:
        return ranked

    return await shown.best(find, lambda _: True), shown


async def test_a_fleet_is_told_at_the_size_that_it_is_simulated_to_take() -> None:
    """Found: MI300X tp8 x4, $63.68/h, followed 40 MI300X, $79.60/h; 13 H100 where 12 do."""
    ranked = fleets(mi300x=63.68, h100=94.4)
    larger = simulated(ranked[0], 5, 79.6)
    found, shown = await best(ranked, mi300x=larger)
    assert found == larger
    assert shown.asked == ["mi300x"], "the other is dearer than what this takes"
    assert [one.candidate for one in shown.looks] == [larger]


async def test_what_was_refuted_is_not_told() -> None:
    ranked = fleets(b200=31.5, h100=70.8)
    assert (await best(ranked, b200=None, h100=None))[0] is None
    other = simulated(ranked[1], 3, 106.2)
    found, shown = await best(ranked, b200=None, h100=other)
    assert (found, shown.asked) == (other, ["b200", "h100"])
    assert not shown.is_open(ranked[0])


async def test_what_cannot_be_seen_in_short_is_by_formula() -> None:
    ranked = fleets(b200=31.5, h100=70.8)
    found, _ = await best(ranked)
    assert found == ranked[0]
    assert found.simulation is None


async def test_no_more_than_some_are_looked_at() -> None:
    kinds = [f"gpu{place}" for place in range(MOST_MAKES + 2)]
    ranked = fleets(**{gpu: 10.0 + place for place, gpu in enumerate(kinds)})
    found, shown = await best(ranked, **dict.fromkeys(kinds))
    assert shown.asked == kinds[:MOST_MAKES]
    assert found == ranked[MOST_MAKES], "by formula, and not refuted"
    dear = simulated(ranked[0], 9, 99.0)
    found, shown = await best(ranked, **{**dict.fromkeys(kinds), kinds[0]: dear})
    assert found == dear, "what was shown to do, once no more are looked at"


@pytest.mark.parametrize(("cost", "asked"), [(11.94, "h200"), (12.5, "b200")])
async def test_a_simpler_fleet_that_is_nearly_as_cheap_is_looked_at_after_the_first(cost: float, asked: str) -> None:
    """Found: MI300X may be cheaper, $13.93/h as simulated, where MI300X tp2 x3 held for $11.94 and was ranked."""
    first, *simple = fleets(h100=9.95, h200=cost)
    mixed = replace(shape(1, 2, gpu="b200"), cost_per_hour=9.95)
    takes = {"h100": simulated(first, 7, 13.93), asked: replace(simple[0], evidence=evidence("pass"))}
    _, shown = await best([first, mixed, *simple], **takes)
    assert shown.asked[:2] == ["h100", asked]


@pytest.mark.parametrize(("beyond", "told"), [(1.0, 13.93), (NEAR, 11.94)])
async def test_makes_that_are_nearly_as_cheap_are_looked_at_where_they_are_to_be(beyond: float, told: float) -> None:
    """Found: of the usual GPUs MI300X for $13.93/h would do, where another make of it held for $11.94."""
    ranked = fleets(h100=13.0, h200=15.0, b200=40.0)
    held = simulated(ranked[0], 7, 13.93), simulated(ranked[1], 6, 11.94), None
    found, shown = await best_within(beyond, ranked, dict(zip(("h100", "h200", "b200"), held, strict=True)))
    assert found is not None
    assert found.cost_per_hour == told
    assert "b200" not in shown.asked


@dataclass(slots=True, kw_only=True)
class Sizes:
    """Sizes of one make as looks show them: `holds` by replicas of its pool, None where it is open; each is $5 an hour.

    It is expected to take one replica more than what was seen not to hold, one fewer than what was.
    """

    fleet: Candidate
    holds: dict[int, bool | None]
    known: Anchor = NOTHING_SEEN
    looks: list[Look] = field(default_factory=list)
    asked: list[tuple[int, bool]] = field(default_factory=list)
    source: Any = field(default_factory=lambda: SimpleNamespace(rate=RATE))

    @property
    def sizes(self) -> tuple[int]:
        return (self.fleet.fleet.pools[0].replicas,)

    @property
    def anchors(self) -> tuple[Anchor]:
        return (self.known,)

    async def look(self, sizes: tuple[int], rate: float, *, longer: bool) -> None:
        (size,) = sizes
        self.asked.append((size, longer))
        verdict = VERDICTS[self.holds[size]]
        seen = replace(
            simulated(self.fleet, size, 5.0 * size), evidence=evidence(verdict, of_pool("all", None, verdict))
        )
        self.looks.append(Look(rate=rate, candidate=seen))

    async def smallest(self, most: int, *, longer: bool = False) -> tuple[Candidate, bool]:
        wanted = self._wanted()
        if most and wanted not in self.holds:
            wanted = min(size for size, holds in self.holds.items() if holds)
        elif most and wanted not in {size for size, _ in self.asked}:
            await self.look((wanted,), RATE, longer=longer)
        return simulated(self.fleet, self._wanted(), 5.0 * self._wanted()), True

    def _wanted(self) -> int:
        held = [one.sizes[0] for one in self.looks if one.holds]
        failed = [one.sizes[0] for one in self.looks if not one.holds]
        more = 1 + max(failed, default=self.sizes[0] - 1)
        return more if not held or (failed and more == min(held)) else min(held) - 1


async def looked_at(
    monkeypatch: pytest.MonkeyPatch, sizes: Sizes, least: float = math.inf
) -> tuple[ShownFleets, list[float]]:
    """Return what a make of so many sizes comes to beside the `least` of others, and the costs that are shown."""
    monkeypatch.setattr(ShownFleets, "_limits", lambda *_: sizes)
    shown = ShownFleets(simulator=nobody(), answer=replace(samples.answer(1), candidates=(), looks=()))
    await shown.look_at(sizes.fleet, least)
    return shown, [one.cost_per_hour for one in shown.shown]


def of_five() -> Candidate:
    return replace(shape(5), cost_per_hour=25.0)


async def test_what_short_runs_leave_open_is_run_for_longer_before_another_size_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found: H100 + 6 H200 for $26.95/h, as simulated, where five held in a proof and short runs left that open."""
    sizes = Sizes(fleet=of_five(), holds={4: False, 5: True, 6: True})
    shown, costs = await looked_at(monkeypatch, sizes)
    assert (costs, sizes.asked) == ([25.0], [(5, True), (4, True)])
    assert shown.is_least(shown.shown[0], lambda _: True)


async def test_no_size_is_looked_at_that_is_no_better_than_what_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    dear = Sizes(fleet=of_five(), holds={5: False, 6: True})
    assert (await looked_at(monkeypatch, dear, least=30.0))[1] == []
    assert dear.asked == [(5, True)], "six cost as much"
    no_better = Sizes(fleet=of_five(), holds={5: False, 6: True})
    await looked_at(monkeypatch, no_better, least=25.0)
    assert no_better.asked == [(5, False)], "in short runs alone"


async def test_sizes_that_simulations_refuted_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    few = SeenPool(utilization=0.9, ratios=(), replicas=5, rate=RATE, passed=False)
    sizes = Sizes(fleet=of_five(), holds={5: False, 6: True}, known=Anchor(seen=(few,)))
    monkeypatch.setattr(Sizes, "_wanted", lambda _: 6)
    _, costs = await looked_at(monkeypatch, sizes)
    assert (costs, sizes.asked) == ([30.0], [(6, True)])


@pytest.mark.parametrize(
    ("least", "nearly", "looked"),
    [(35.0, 5, [5, 6]), (30.0, 5, [5]), (35.0, 4, [4, 6]), (20.0, 4, [4]), (25.0, 5, [5])],
    ids=["larger", "no better", "nearly as sure", "none better nearly", "itself no better"],
)
async def test_no_larger_size_is_asked_how_sure_it_is_that_is_no_better_than_what_was_shown(
    monkeypatch: pytest.MonkeyPatch, least: float, nearly: int, looked: list[int]
) -> None:
    """It begins with what is nearly as sure. Found: H100 tp4 x9 beside the answer, where eight are as sure.

    Found: beside 120 MI300X for $246.76/h three more fleets with these as their main pool were looked at.
    """
    one, asked = of_five(), list[int]()

    async def prepare(*values: Any) -> Any:
        (size,) = values[-1]
        return SimpleNamespace(candidate=replace(one, cost_per_hour=5.0 * size))

    async def look(sizes: Any, _: float) -> Look:
        asked.extend(sizes)
        looks.append(Look(rate=RATE, candidate=simulated(one, sizes[0], 5.0 * sizes[0])))
        return looks[-1]

    async def unsure(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(holds=0.5 if asked[-1] < 6 else 0.95)

    async def wanted(*values: Any) -> tuple[int, ...]:
        return (6,) if values[-1] == 0.9 else (nearly,)

    looks: list[Look] = []
    limits = SimpleNamespace(looks=looks, look=look, sizes=(5,), source=SimpleNamespace(rate=RATE))
    monkeypatch.setattr(shown_fleets, "prepared", prepare)
    monkeypatch.setattr(shown_fleets, "how_sure", unsure)
    monkeypatch.setattr(ShownFleets, "_sizes_for", wanted)
    monkeypatch.setattr(ShownFleets, "_limits", lambda *_: limits)
    shown = ShownFleets(simulator=nobody(replace(ASKED, confidence=0.9)), answer=samples.answer(1))
    assert await shown.look_at(one, least)
    assert asked == looked
    assert [each.cost_per_hour for each in shown.shown] == ([30.0] if least > 30.0 else [])


async def test_a_fleet_is_the_least_where_all_that_is_better_was_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = await looked_at(monkeypatch, Sizes(fleet=of_five(), holds={5: None, 6: True}))
    (one,) = shown.shown
    assert one.cost_per_hour == 30.0
    assert not shown.is_least(one, lambda _: True), "five are open"
    shown, _ = await looked_at(monkeypatch, Sizes(fleet=of_five(), holds={5: False, 6: True}))
    assert shown.is_least(one, lambda _: True)
    shown.left = [replace(shape(2, gpu="b200"), cost_per_hour=29.0)]
    assert not shown.is_least(one, lambda _: True), "another make may be better"
    assert shown.is_least(one, lambda other: other.fleet.pools[0].gpu != "b200"), "that is not asked for"


async def test_the_answers_own_simulations_are_known_unless_it_is_to_be_surer() -> None:
    passed = simulated(shape(2, gpu="a100"), 3, 9.0)
    answer = replace(samples.answer(1), candidates=(passed,))
    assert ShownFleets(simulator=nobody(), answer=answer).known == {make_of(passed): passed}
    surer = nobody(replace(ASKED, confidence=0.9))
    assert ShownFleets(simulator=surer, answer=answer).shown == []


@pytest.mark.parametrize("budget", [50.0, 100.0])
async def test_a_fleet_that_breaks_a_constraint_at_its_size_would_not_do(
    monkeypatch: pytest.MonkeyPatch, budget: float
) -> None:
    """Found: within a budget of $40/h B200 tp2 x3 would do, by formula; that takes four, $42."""
    (one,) = fleets(b200=31.5)
    larger = simulated(one, 4, 60.0)
    looks: list[Look] = []

    async def look(*_: object, longer: bool) -> None:
        looks.append(Look(rate=RATE, candidate=larger))
        assert longer

    async def smallest(_: int) -> tuple[Candidate, bool]:
        return larger, True

    source = SimpleNamespace(rate=RATE)
    limits = cast(Any, SimpleNamespace(looks=looks, look=look, smallest=smallest, anchors=(), sizes=(), source=source))
    monkeypatch.setattr(ShownFleets, "_limits", lambda *_: limits)
    shown = ShownFleets(simulator=nobody(replace(ASKED, budget=budget)), answer=samples.answer(1))
    assert await shown.look_at(one)
    assert shown.shown == ([larger] if budget > 60.0 else [])
    assert len(looks) == 1, "it takes much more than the formulas said: no other size is looked at"
