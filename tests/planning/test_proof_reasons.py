"""The sentences behind a search's end, one for each way in which it may end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.plan import Estimate, PoolEvidence, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.pool_facts import Known
from fleettui.planning.proof_reasons import reasons
from fleettui.planning.settled import MOST_TRIED, Settled, Untried
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes, Walk
from tests.planning.trials import NAMES, curves, evidence, scaled, seen, shape

QUESTION = Question(slo=Slo(ttft=0.5), max_utilization=0.85)
SEEN = "TTFT 0.4 s [0.58, 0.64], limit 0.5 s"
ABOVE = "TTFT of pool long: 0.612 s [0.580, 0.640] above 0.5 s"


def walked(start: Sizes, *trials: tuple[Sizes, str], work: tuple[float, ...] = (1.0, 1.0)) -> Walk:
    """Return the walk from the formula's sizes after trials with a verdict per pool: p(ass), f(ail) or u(nproven)."""
    asked = shape(*start, work=work[: len(start)])
    walk = Walk.of(asked, curves(asked), Known(), max_utilization=QUESTION.max_utilization)
    for sizes, letters in trials:
        walk.learn(trial(walk, sizes, letters))
    return walk


def trial(walk: Walk, sizes: Sizes, letters: str) -> Trial:
    words: dict[str, Verdict] = {"p": "pass", "f": "fail", "u": "unproven"}
    pools = tuple(words[letter] for letter in letters)
    whole = words[next((letter for letter in "fu" if letter in letters), "p")]
    reasons_of: dict[Verdict, str] = {
        "pass": "all within",
        "fail": ABOVE,
        "unproven": ABOVE.replace("above", "on both sides of"),
    }
    found = scaled(walk.shape, sizes)
    spans = {"p": (0.3, 0.4), "f": (0.58, 0.64), "u": (0.45, 0.55)}
    rows = [seen(name, spans[letter], words[letter]) for name, letter in zip(NAMES, letters, strict=False)]
    return Trial(
        candidate=replace(found, evidence=evidence(whole, *rows, reason=reasons_of[whole])),
        pools=pools,
        utilization=tuple(0.9 for _ in pools),
        shares=((None,),) * len(pools),
    )


def seen_instead(walk: Walk, sizes: Sizes, seen: PoolEvidence, **changes: Any) -> None:
    """Let a trial of one pool have another evidence."""
    assert seen.verdict is not None, "the fleet is judged as its one pool is"
    old = walk.trials[sizes]
    found = replace(evidence(seen.verdict, seen), **changes)
    walk.trials[sizes] = replace(old, candidate=replace(old.candidate, evidence=found))
    walk.known.of(walk.kinds[0]).judged[sizes[0]] = (walk.trials[sizes], 0)


def told(walk: Walk) -> tuple[str, ...]:
    assert walk.settled is not None
    return reasons(Settled(walks=(walk,), tried=len(walk.trials)), QUESTION)


def test_one_replica_has_none_fewer() -> None:
    assert told(walked((1,), ((1,), "p"), work=(0.3,))) == ("pool short: one replica is the least there is",)


def test_at_the_utilization_limit_one_fewer_would_be_too_busy() -> None:
    walk = walked((4,), ((4,), "p"), work=(3.0,))
    assert told(walk) == ("pool short: one replica fewer would be 1.00 busy (limit 0.85)",)


def test_a_latency_that_breaks_its_limit_before_that_is_told() -> None:
    walk = walked((4,), ((4,), "p"), work=(3.0,))
    (figures,) = walk.shape.pools
    walk = replace(walk, shape=replace(walk.shape, pools=(replace(figures, limited_by="TTFT: waiting"),)))
    (said,) = told(walk)
    assert said == "pool short: one replica fewer would be 1.00 busy (limit 0.85); TTFT breaks its limit before that"


def test_one_fewer_failed() -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "f"))
    assert told(walk) == (f"pool short: one replica fewer fails in simulation: {SEEN}",)


def test_one_fewer_failed_at_a_short_look() -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "f"))
    seen_instead(walk, (3,), replace(seen("short", None, "fail"), ttft=Estimate(value=1.5)), replications=1)
    assert told(walk) == ("pool short: one replica fewer fails in simulation: TTFT 1.5 s in a short look, limit 0.5 s",)


def test_one_fewer_is_not_proven() -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "u"))
    (sentence,) = told(walk)
    assert sentence == "pool short: one replica fewer is not proven in simulation: TTFT 0.4 s [0.45, 0.55], limit 0.5 s"


def test_one_fewer_is_not_proven_by_an_unstable_tail() -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "u"))
    seen_instead(walk, (3,), seen("short", None, "unproven"), replications=4)
    (sentence,) = told(walk)
    assert sentence.endswith("is not proven in simulation: TTFT 0.4 s without an interval: unstable tail, limit 0.5 s")


@pytest.mark.parametrize("limits", [Slo(ttft=0.5), Slo(ttft=0.5, tpot=0.05)])
def test_one_fewer_is_not_proven_where_some_runs_served_nobody(limits: Slo) -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "u"))
    nothing = Estimate(value=None)
    seen_instead(walk, (3,), replace(seen("short", None, "unproven"), ttft=nothing), replications=10)
    (sentence,) = reasons(Settled(walks=(walk,), tried=2), replace(QUESTION, slo=limits))
    assert sentence.endswith("is not proven in simulation: TTFT is undefined in some runs: too few requests")


def test_a_latency_that_no_request_has_is_no_reason() -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "u"))
    moot = replace(seen("short", (0.45, 0.55), "unproven"), tpot=Estimate(value=None))
    seen_instead(walk, (3,), moot, replications=10)
    (sentence,) = reasons(Settled(walks=(walk,), tried=2), replace(QUESTION, slo=Slo(ttft=0.5, tpot=0.05)))
    assert sentence.endswith("is not proven in simulation: TTFT 0.4 s [0.45, 0.55], limit 0.5 s")


@pytest.mark.parametrize(("verdict", "letter"), [("fail", "f"), ("unproven", "u")])
def test_of_several_latencies_the_one_that_decided_is_told(verdict: Verdict, letter: str) -> None:
    """TTFT is nearer to its limit, but within it, or on both sides of it where TPOT is above its own."""
    walk = walked((4,), ((4,), "p"), ((3,), letter))
    ttft = {"fail": Estimate(value=0.6, low=0.4, high=0.8), "unproven": Estimate(value=0.49, low=0.48, high=0.499)}
    tpot = {"fail": Estimate(value=0.052, low=0.051, high=0.053), "unproven": Estimate(value=0.04, low=0.02, high=0.06)}
    found = replace(seen("short", None, verdict), ttft=ttft[verdict], tpot=tpot[verdict])
    seen_instead(walk, (3,), found, replications=10)
    (sentence,) = reasons(Settled(walks=(walk,), tried=2), replace(QUESTION, slo=Slo(ttft=0.5, tpot=0.05)))
    assert "in simulation: TPOT 0.0" in sentence


@pytest.mark.parametrize(("simulated", "told_of"), [(0.88, "0.88"), (0.84, "0.90")])
def test_one_fewer_would_be_too_busy_although_it_is_fast_enough(simulated: float, told_of: str) -> None:
    """As in a closed loop, whose fleets may be tried beyond the limit: the formula rules such a fleet out."""
    walk = walked((4,), ((4,), "p"), ((3,), "f"))
    seen_instead(walk, (3,), replace(seen("short", (0.3, 0.4), "pass"), utilization=simulated), replications=10)
    assert told(walk) == (f"pool short: one replica fewer would be {told_of} busy (limit 0.85)",)


def test_an_answer_that_is_not_shown_to_be_the_smallest_says_so() -> None:
    walk = walked((9,), ((9,), "p"), ((8,), "p"), ((6,), "f"))
    (first, *_) = reasons(Settled(walks=(walk,), tried=3), QUESTION)
    assert first == "pool short: not shown to be the smallest, as no more than 20 fleets are simulated"


@pytest.mark.parametrize(("cost", "why"), [(24.0, "costs as much: whole nodes are paid for"), (18.0, "is slower")])
def test_of_equals_a_larger_fleet_says_that_one_fewer_holds_too(cost: float, why: str) -> None:
    """By what the answer should have least of they are equal; the one that is farther from its limits is chosen."""
    walk = walked((3,), work=(1.5,))
    for size, dollars in ((4, 24.0), (3, cost)):
        one = trial(walk, (size,), "p")
        walk.learn(replace(one, candidate=replace(one.candidate, cost_per_hour=dollars), shares=((0.1 * (9 - size),),)))
    found = Settled(walks=(walk,), tried=2, worth=lambda _: 0.0)
    assert reasons(found, QUESTION) == (f"pool short: one replica fewer holds, too, and {why}",)


@pytest.mark.parametrize(("passes", "fails"), [(6, 5), (3, 2)])
def test_the_simulation_asks_for_another_size_than_the_formula(passes: int, fails: int) -> None:
    walk = walked((4,), ((passes,), "p"), ((fails,), "f"))
    assert told(walk)[1:] == (f"pool short: the formula asks for 4 replicas, the simulation for {passes}",)


def test_every_pool_has_its_reason_before_any_correction() -> None:
    walk = walked((4, 2), ((4, 2), "pf"), ((3, 3), "fp"), ((4, 3), "pp"))
    assert told(walk) == (
        f"pool short: one replica fewer fails in simulation: {SEEN}",
        f"pool long: one replica fewer fails in simulation: {SEEN}",
        "pool long: the formula asks for 2 replicas, the simulation for 3",
    )


def nothing(walk: Walk, tried: int) -> str:
    (sentence,) = reasons(Settled(walks=(walk,), tried=tried), QUESTION)
    return sentence


def test_without_an_answer_the_nearest_says_why() -> None:
    walk = walked((4,), ((4,), "f"), ((5,), "f"))
    assert nothing(walk, 2) == f"the nearest of 2 simulated fleets: {ABOVE}"


def test_nearest_is_what_may_hold_within_the_constraints() -> None:
    """Found: INFEASIBLE, where a fleet within all limits was not shown to fail."""
    walk = walked((3, 3), ((3, 3), "ff"), ((4, 4), "pu"), ((5, 5), "fp"))
    found = Settled(walks=(walk,), tried=3)
    assert found.nearest is found.unrefuted is walk.trials[4, 4]
    assert len(found.simulated) == 3
    over = replace(walk.trials[4, 4], candidate=replace(walk.trials[4, 4].candidate, shortfalls=("GPUs: 6 above 4",)))
    walk.trials[4, 4] = over
    assert found.unrefuted is None, "it breaks a constraint"
    assert found.nearest is walk.trials[5, 5]


def test_and_that_no_more_are_tried() -> None:
    walk = walked((4,), ((4,), "f"))
    assert nothing(walk, MOST_TRIED) == (
        f"the nearest of {MOST_TRIED} simulated fleets: {ABOVE}; no more than {MOST_TRIED} are tried"
    )


def test_and_the_pools_that_the_formula_finds_too_busy() -> None:
    walk = walked((4,), ((4,), "f"))
    seen_instead(walk, (4,), seen("short", (0.3, 0.4), "pass"), reason="all within")
    assert nothing(walk, 1) == (
        "the nearest of 1 simulated fleets: all within; pool short: 0.90 busy by formula, above 0.85"
    )


def test_and_the_limit_that_it_keeps_where_it_breaks_one_alone() -> None:
    """Found: a fleet that holds and draws 45.4 kW of 41.3 failed, and nothing said that 45.5 kW would do."""
    walk = walked((4,), ((4,), "p"))
    best = replace(walk.trials[4,].candidate, power=45_422.0, shortfalls=("power: 45.422 kW above 41.3 kW",))
    walk.trials[4,] = replace(walk.trials[4,], candidate=best)
    asked = replace(QUESTION, max_power=41_300.0)
    _, would_do = reasons(Settled(walks=(walk,), tried=1), asked)
    assert would_do.startswith("a limit of 45.5 kW on the GPUs would do, as simulated (")
    assert len(reasons(Settled(walks=(walk,), tried=1), replace(asked, budget=0.01))) == 1, "two limits at once"


def test_and_the_constraints_that_it_breaks() -> None:
    walk = walked((4,), ((3,), "f"), ((4,), "p"))
    walk.trials[4,] = replace(
        walk.trials[4,], candidate=replace(walk.trials[4,].candidate, shortfalls=("budget: $4.00/h above $3.00/h", "x"))
    )
    assert nothing(walk, 2) == "the nearest of 2 simulated fleets: all within; budget: $4.00/h above $3.00/h; x"


@pytest.mark.parametrize(("more", "expected"), [(0.224, "22% more"), (-0.05, "5% less"), (None, "that no size holds")])
def test_what_could_not_be_excluded_is_told_last(more: float | None, expected: str) -> None:
    walk = walked((4,), ((4,), "p"), ((3,), "f"))
    left = Untried(shape=shape(2, 3, gpu="a100"), sizes=(2, 4), saving=0.067, more=more)
    (*_, last) = reasons(Settled(walks=(walk,), tried=MOST_TRIED, untried=left), QUESTION)
    assert last == (
        f"A100 tp2 x2 + tp2 x4 might do for up to 7% less, expected is {expected}: "
        "not tried, as no more than 18 are simulated"
    )
