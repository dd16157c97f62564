"""What trials showed of pools, and what is made of it for others."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.plan import Verdict
from fleettui.domain.replica import ReplicaKey
from fleettui.planning.pool_facts import ALIKE, DOUBTS, OF_ERROR, PRIOR, UNLIKE, Known, PoolFacts, PoolKind, Seen
from fleettui.planning.trial import Trial
from tests.planning.trials import scaled, shape


def kind(tp: int = 2, gpu: str = "h100", rate: float = 10.0, work: float = 0.1, up_to: int = 1000) -> PoolKind:
    replica: ReplicaKey = (gpu, "made-up", "bf16", "bf16", tp, False, 1, False, "", "")
    settings = EngineSettings(max_num_seqs=64, token_budget=2048)
    return PoolKind(
        replica=replica, above=0, up_to=up_to, gamma=1.0, settings=settings, fleet=None, rate=rate, work=work
    )


def trial(*pools: Verdict | None, size: int = 3) -> Trial:
    sizes = (size,) * len(pools)
    return Trial(candidate=scaled(shape(*sizes), sizes), pools=pools, utilization=(0.5,) * len(pools))


def test_a_pool_whose_prompts_run_alone_is_another() -> None:
    mixed, settings = kind(), EngineSettings(max_num_seqs=64, token_budget=2048, prompt_steps="alone")
    assert replace(mixed, settings=settings) != mixed == kind()


def test_a_pool_is_the_same_in_every_fleet_unless_its_fleet_matters() -> None:
    one, other = shape(3, 4), shape(5, 4)
    same = [PoolKind.of(each.fleet, each.fleet.pools[1], each.pools[1], alone=True) for each in (one, other)]
    assert same[0] == same[1]
    three = shape(3, 4, 2)
    apart = [PoolKind.of(each.fleet, each.fleet.pools[1], each.pools[1], alone=False) for each in (one, three)]
    assert apart[0] != apart[1]


def test_what_did_not_pass_once_does_not_pass_later() -> None:
    facts = PoolFacts()
    assert (facts.failed, facts.passed) == (0, None)
    facts.learn(3, trial("pass"), 0)
    facts.learn(5, trial("pass"), 0)
    assert (facts.failed, facts.passed) == (0, 3)
    facts.learn(3, trial("unproven"), 0)
    facts.learn(3, trial("pass"), 0)
    assert (facts.failed, facts.passed) == (3, 5)


def test_what_was_not_looked_at_for_long_says_nothing() -> None:
    facts = PoolFacts()
    facts.learn(3, trial("fail", "unproven"), 1)
    facts.learn(4, trial("fail", None), 1)
    assert facts.judged == {}
    facts.learn(3, trial("pass", "unproven"), 1)
    assert facts.failed == 3


def test_nothing_seen_a_pool_is_as_the_formula_has_it() -> None:
    assert Known().ratio(kind(), 0.5, 0) == (1.0, PRIOR)


def test_the_nearest_pool_counts() -> None:
    known = Known()
    known.learn([Seen(kind=kind(), utilization=0.5, ratios=(1.2, None))])
    known.learn([Seen(kind=kind(tp=8, gpu="a100"), utilization=0.5, ratios=(0.9, None))])
    assert known.ratio(kind(up_to=1200), 0.5, 0)[0] == 1.2
    assert known.ratio(kind(tp=8, rate=9.0), 0.5, 0)[0] == 0.9
    assert known.ratio(kind(), 0.5, 1) == (1.0, PRIOR), "nothing was seen under that limit"


def test_the_less_alike_pools_are_the_more_may_the_ratio_err() -> None:
    known = Known()
    known.learn([Seen(kind=kind(), utilization=0.5, ratios=(1.2,))])
    doubts = [known.ratio(one, 0.5, 0)[1] for one in (kind(), kind(rate=8.0), kind(rate=5.0), kind(tp=8, gpu="a100"))]
    assert doubts == sorted(doubts)
    assert doubts[0] == pytest.approx(ALIKE * PRIOR)
    assert doubts[-1] == pytest.approx(UNLIKE * PRIOR)
    assert known.ratio(kind(), 0.8, 0)[1] > doubts[0], "the load counts too"


def test_of_few_kinds_a_large_error_says_little_of_one_that_is_unlike() -> None:
    known, far = Known(), kind(tp=8, gpu="a100")
    known.learn([Seen(kind=kind(), utilization=0.5, ratios=(3.0, 1.1))])
    known.learn([Seen(kind=kind(), utilization=0.5, ratios=(3.0, 1.1))])
    assert known.ratio(far, 0.5, 0)[1] < PRIOR, "what was predicted came true"
    assert known.ratio(far, 0.5, 0, few=True) == (3.0, pytest.approx(OF_ERROR * math.log(3.0)))
    assert known.ratio(far, 0.5, 1, few=True) == (1.1, PRIOR)
    assert known.ratio(kind(), 0.5, 0, few=True)[1] == pytest.approx(ALIKE * OF_ERROR * math.log(3.0))


def test_errors_seen_widen_the_doubt_and_their_absence_narrows_it() -> None:
    known = Known()
    far = kind(tp=8, gpu="a100")
    known.learn([Seen(kind=kind(), utilization=0.5, ratios=(1.0,))])
    known.learn([Seen(kind=far, utilization=0.5, ratios=(1.5,))])
    assert known.spread(0, UNLIKE) == pytest.approx(math.sqrt((PRIOR**2 + math.log(1.5) ** 2) / 2))
    for place in range(6):
        other = replace(far, up_to=2000 + place)
        known.learn([Seen(kind=other, utilization=0.5, ratios=(1.5,))])
    assert known.spread(0, UNLIKE) < math.log(1.5) / 2


def test_an_error_may_fall_with_the_square_of_the_load_and_need_not_grow_with_it() -> None:
    known = Known()
    known.learn([Seen(kind=kind(), utilization=0.6, ratios=(1.5, 0.7))])
    for load, expected, least in ((0.5, 1.5**0.5**0.5, 1.5**0.25), (1.0, 1.5, 1.5), (1.5, 1.5**1.5**0.5, 1.5)):
        ratio, doubt = known.ratio(kind(), 0.6 * load, 0)
        assert ratio == pytest.approx(expected)
        spread = known.spread(0, max(ALIKE, 0.6 * abs(load - 1.0)))
        assert ratio * math.exp(-DOUBTS * (doubt - spread)) == pytest.approx(least)
    assert known.ratio(kind(), 0.3, 1) == (pytest.approx(0.7**0.5**0.5), known.spread(1, 0.3)), "that errs to be safe"


def test_how_unlike_two_pools_are_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known, one, other = Known(), kind(), kind(tp=8)
    distances: list[PoolKind] = []
    distance = PoolKind.distance

    def noted(own: PoolKind, seen: PoolKind) -> float:
        distances.append(seen)
        return distance(own, seen)

    monkeypatch.setattr(PoolKind, "distance", noted)
    known.learn([Seen(kind=one, utilization=0.5, ratios=(1.2, 1.1))])
    for size in range(1, 10):
        known.ratio(other, 4.0 / size, 0)
        known.ratio(other, 4.0 / size, 1)
    assert distances == [one]
    known.learn([Seen(kind=other, utilization=0.5, ratios=(1.3, 1.2))])
    distances.clear()
    assert known.ratio(other, 0.5, 0) == known.ratio(other, 0.5, 0)
    assert known.ratio(other, 0.5, 0)[0] == 1.3, "the nearest is now itself"
    assert distances == [other]
