"""What a proven plan advises is simulated: a plan of the advised question says the same."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.advice import Advice
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import counted
from fleettui.domain.plan import Answer, Candidate, Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.make_plan import make_plan
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.proven_advice import ProvenAdvice
from store import Store
from tests.planning.simulated import Watched, question, trace
from tests.planning.trials import evidence, seen, shape
from tests.reports.conftest import simulated, too_slow, two_pools
from tests.reports.studies.test_sweep import PLAN
from tests.store import samples

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]

ASKED = Question(slo=Slo(ttft=0.5))
PER_MINUTE = (20, 140, 20, 100, 40, 160)


def bursty(folder: Path) -> str:
    """Write a trace whose minutes have unlike numbers of requests, and return its path."""
    rows = [
        {"timestamp": 60.0 * minute + 60.0 * at / count, "input_tokens": (300, 900, 3000)[at % 3], "output_tokens": 8}
        for minute, count in enumerate(PER_MINUTE)
        for at in range(count)
    ]
    path = folder / "bursty.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def said(answer: Answer) -> str:
    return next(one for one in answer.warnings if one.startswith("bursts: "))


@pytest.mark.thorough
async def test_bursts_take_what_a_plan_at_their_rate_is_simulated_to_take(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(bursty(tmp_path), demand=Demand(form="rate", rate=20.0), slo=Slo(ttft=0.2))

    async def plan(question: Question) -> Answer:
        return await make_plan(question, store=store, pool=workers)

    own = await plan(asked)
    told = re.search(r": (\d+) more like these, --rate ([\d.]+)/s", said(own))
    assert told is not None, said(own)
    peak = await plan(replace(asked, demand=Demand(form="rate", rate=float(told[2]))))
    assert own.answer is not None
    assert peak.answer is not None
    assert int(told[1]) == peak.answer.gpus - own.answer.gpus
    guess = await plan(replace(asked, verify=False))
    assert ": ~" in said(guess), "what no simulation showed is about so many"


@pytest.mark.thorough
async def test_what_poissons_arrivals_take_is_simulated(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(bursty(tmp_path), demand=Demand(form="rate", rate=60.0), arrivals="gamma:cv=2")
    own = await make_plan(asked, store=store, pool=workers)
    (line,) = (one for one in own.warnings if one.startswith("these arrivals"))
    told = re.fullmatch(r"these arrivals: as Poisson's (?:at least )?(\d+) GPUs? fewer, --arrivals poisson", line)
    assert told is not None, line
    plain = await make_plan(replace(asked, arrivals="poisson"), store=store, pool=workers)
    assert own.answer is not None
    assert plain.answer is not None
    assert 0 < int(told[1]) <= own.answer.gpus - plain.answer.gpus, "no more is promised than a plan then finds"


@pytest.mark.thorough
async def test_what_spares_give_is_simulated_where_all_are_up(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), availability=0.97, availability_of="node", max_utilization=0.7)
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.redundancy is not None
    assert plan.simulation is not None
    (pool,) = plan.redundancy.pools
    assert pool.spares > 0
    assert pool.choices[0].all_up.ttft == plan.simulation.pools[0].ttft.value, "what its proof showed"
    assert pool.choices[0].all_up.simulated
    assert pool.chosen.all_up.simulated
    assert (pool.chosen.all_up.ttft or 0.0) < (pool.choices[0].all_up.ttft or 0.0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("gpu", "rate", "slo"),
    [("a100", 20.0, Slo(ttft=0.4)), ("h100", 60.0, Slo(ttft=0.2, tpot=0.04))],
    ids=["more", "less"],
)
async def test_another_setting_takes_what_a_plan_with_it_is_simulated_to_take(
    gpu: str, rate: float, slo: Slo, store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), gpus=(gpu,), token_budget=None, demand=Demand(form="rate", rate=rate), slo=slo)
    own = await make_plan(asked, store=store, pool=workers)
    found = [one for one in own.warnings if ", --token-budget " in one or ", --tuning " in one]
    assert len(found) == 1, own.warnings
    told = re.search(r": (?:at least )?(\d+) GPUs? fewer.*, --token-budget (\d+)", found[0])
    assert told is not None, found
    assert own.advised_budget == int(told[2])
    other = await make_plan(replace(asked, token_budget=int(told[2])), store=store, pool=workers)
    assert own.answer is not None
    assert other.answer is not None
    assert 0 < int(told[1]) <= own.answer.gpus - other.answer.gpus, "no more is promised than a plan then finds"


@pytest.mark.thorough
async def test_a_setting_with_which_no_fewer_are_as_sure_as_wished_is_not_told(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: 16 GPUs fewer by formula; followed, the plan took as many."""
    slo, demand = Slo(ttft=0.2, tpot=0.04), Demand(form="rate", rate=60.0)
    asked = question(trace(tmp_path), gpus=("h100",), token_budget=None, demand=demand, slo=slo, confidence=0.9)
    own = await make_plan(asked, store=store, pool=workers)
    assert [one for one in own.warnings if ", --token-budget " in one] == []
    assert own.advised_budget is None
    other = await make_plan(replace(asked, token_budget=16384), store=store, pool=workers)
    assert own.answer is not None
    assert other.answer is not None
    assert other.answer.gpus == own.answer.gpus


async def test_fewer_pools_for_the_same_money_are_told() -> None:
    one, two = replace(too_slow(), shortfalls=()), two_pools()
    as_much = replace(one, cost_per_hour=two.cost_per_hour)
    words, pools = "a token budget of 4,096: {taken}, --token-budget 4096", "one pool instead of two pools"
    advice = Advice(question=ASKED, rate=3.0, found=as_much, saves=True, words=words, pools=pools)
    assert advice.matters(two)
    assert not replace(advice, found=two).matters(as_much), "more pools for the same money are no gain"
    assert advice.told() == f"a token budget of 4,096: as many GPUs, {pools}, --token-budget 4096"
    fewer = replace(advice, gpus=-2).told(simulated=True)
    assert fewer == f"a token budget of 4,096: 2 GPUs fewer, {pools}, --token-budget 4096"


@dataclass(frozen=True, slots=True)
class Found:
    """Workers that find one list of advice, and pay for the GPUs that fleets have."""

    advice: Sequence[Advice]

    async def run(self, name: str, *_: object, **parts: Any) -> list[Any]:
        return [*self.advice] if name == "advice" else [one.gpus for one in parts["fleets"]]


def advice_of(best: Candidate, found: Sequence[Advice]) -> ProvenAdvice:
    """Return what tries advice that is `found` beside a proven fleet."""
    workers: Any = Found(advice=found)
    source = SceneSource(key="x", question=ASKED, workload="", profiles="", pairing="fifo", rate=3.0)
    answer = replace(PLAN, answer=best, verdict="pass", candidates=(best,))
    return ProvenAdvice(workers=workers, source=source, answer=answer, seed=1, tell=lambda *_: None)


def setting(tokens: int, found: Candidate) -> Advice:
    words, pools = f"a token budget of {tokens:,}: {{taken}}", "one pool instead of two pools"
    asked = replace(ASKED, token_budget=tokens)
    return Advice(
        question=asked,
        rate=3.0,
        found=found,
        saves=True,
        gpus=found.gpus - 20,
        words=words,
        pools=pools,
        profiles=(samples.profile(),),
    )


async def test_of_settings_the_one_that_takes_least_as_shown_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: a budget of 2,048 with as many GPUs, beside which 4,096 takes one fewer."""
    best = simulated(two_pools())
    least = replace(best, cost_per_hour=10.0)
    shown = {2048: 12.0, 4096: 10.0, 8192: 11.0}
    looked = list[int]()

    async def show(_: ProvenAdvice, advice: Advice, __: Candidate) -> tuple[Advice, bool] | None:
        tokens = advice.question.token_budget
        assert isinstance(tokens, int)
        looked.append(tokens)
        return replace(advice, found=replace(least, cost_per_hour=shown[tokens])), True

    monkeypatch.setattr(ProvenAdvice, "_shown", show)
    every = [setting(tokens, least) for tokens in shown]
    told = await advice_of(best, every).shown()
    assert [one.question.token_budget for one, _ in told] == [4096]
    assert looked == [2048, 4096], "what costs no less than what was shown is not looked at"


@pytest.mark.parametrize(("fewer", "said"), [("fail", ""), ("unproven", "at least ")])
async def test_fewer_that_were_not_shown_to_fail_are_not_ruled_out(
    fewer: Verdict, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found: "as many GPUs" of 5 where 4 were open in short runs, and a plan took them."""
    best, five = simulated(two_pools()), replace(shape(5), evidence=evidence("pass", seen("short", None, "pass")))
    four = replace(shape(4), evidence=evidence(fewer, seen("short", None, fewer)))

    async def smallest(limits: FleetLimits) -> tuple[Candidate, bool]:
        limits.looks += [Look(rate=3.0, candidate=one) for one in (four, five)]
        return five, True

    async def holds(*_: object) -> bool:
        return True

    monkeypatch.setattr(FleetLimits, "smallest", smallest)
    monkeypatch.setattr(ProvenAdvice, "_holds_below", holds)
    (told,) = await advice_of(best, [setting(2048, five)]).told()
    assert told == f"a token budget of 2,048: {said}14 GPUs fewer, one pool instead of two pools"


async def test_that_fewer_may_do_is_told() -> None:
    found, pools = replace(too_slow(), shortfalls=()), "one pool"
    advice = Advice(question=ASKED, rate=3.0, found=found, saves=True, open_below=True, words="{taken}", pools=pools)
    assert advice.told(simulated=True) == "as many GPUs or fewer, one pool"
    assert replace(advice, gpus=-2).told(simulated=True) == "at least 2 GPUs fewer, one pool"
    assert replace(advice, gpus=-2).told() == "~2 GPUs fewer, one pool", "about so many"
    more = replace(advice, saves=False, gpus=2, alike=True, pools="")
    assert more.told(simulated=True) == "at most 2 more like these"


async def test_advice_is_told_as_it_is_known() -> None:
    found = replace(too_slow(), shortfalls=())
    advice = Advice(
        question=Question(slo=Slo(ttft=0.5)),
        rate=3.0,
        found=found,
        saves=False,
        gpus=8,
        words="bursts: {taken}, --rate 3/s",
    )
    assert advice.told() == "bursts: ~8 GPUs more, --rate 3/s"
    assert advice.told(simulated=True) == "bursts: at most 8 GPUs more, --rate 3/s", "other fleets may take fewer"
    assert replace(advice, alike=True).told(simulated=True) == "bursts: 8 more like these, --rate 3/s"
    assert replace(advice, alike=True).told() == "bursts: ~8 more like these, --rate 3/s"
    assert replace(advice, gpus=-1, saves=True).told() == "bursts: ~1 GPU fewer, --rate 3/s"
    other = f"{counted(found.gpus)} (${found.cost_per_hour:,.2f}/h)"
    assert replace(advice, gpus=-1).told() == f"bursts: another fleet of ~{other}, --rate 3/s", "fewer that cost more"
    assert replace(advice, saves=True).told(simulated=True) == f"bursts: another fleet of {other}, --rate 3/s"
    assert replace(advice, found=None).told() == "bursts: no fleet holds, --rate 3/s"
    dearer = replace(found, cost_per_hour=found.cost_per_hour + 1.0)
    assert replace(advice, found=dearer).matters(found)
    assert not replace(advice, found=dearer, saves=True).matters(found)
    assert not advice.matters(found), "what costs the same changes nothing"
    assert replace(advice, found=None).matters(found)
