"""One replica fewer breaks what the sentence says, by an evaluation of its own."""

import re
from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.limit import TTFT
from fleettui.domain.plan import Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.stock import Stock
from fleettui.optimize import sizing
from fleettui.optimize.reasons.limits import limits
from fleettui.optimize.reasons.neighbours import AS_GIVEN, gains, neighbours, sentences, table
from fleettui.optimize.terms import Terms
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import RangeTable
from fleettui.queueing.service import Service
from tests.optimize.reasons.grounds import answer_of, ground, knowing, simulated
from tests.optimize.samples import Atoms, atoms, profile, question
from tests.repeated import few

FAST = profile("fast")
ASKED = (
    question(ttft=0.8, pools=(1,)),
    question(ttft=0.2, pools=(1,)),
    question(slo=Slo(tpot=0.022), pools=(1,)),
    question(slo=Slo(e2e=22.0), pools=(1,)),
    question(ttft=0.8, pools=(2,)),
    question(ttft=0.3, pools=(2,), admission="reserved"),
)


def load_by_hand(pool, lengths: Atoms, rate: float, replicas: int) -> PoolLoad:
    """Return a pool's load from its printed profile and the atoms of its range alone."""
    own = [atom for atom in lengths if pool.above < atom[1] + atom[2] <= pool.up_to]
    share = sum(atom[0] for atom in own) / sum(atom[0] for atom in lengths)
    requests = RangeTable.of(RequestTable.of(own, chunk=pool.token_budget), [0], [pool.up_to])
    service = Service.of(pool.profile, pool.concurrency, pool.token_budget, (1,))
    return PoolLoad(requests, np.zeros(1, np.int64), service, np.array([rate * share]), np.array([float(replicas)]))


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("seed", few([5, 8], 1, more=1))
def test_one_fewer_breaks_the_limits_it_names_and_one_more_none(asked: Question, seed: int) -> None:
    rate, lengths, terms = 60.0, atoms(seed), Terms.of(asked)
    base = ground(asked, rate, lengths, [FAST])
    found = neighbours(base, answer_of(base))
    assert {one.step for one in found} == {-1, 1}
    for one in found:
        pool = next(pool for pool in one.candidate.fleet.pools if pool.name == one.pool)
        load = load_by_hand(pool, lengths, rate, pool.replicas)
        assert bool(sizing.keeps(load, terms)[0]) == (not one.breaks) == (one.step > 0)
        wrong = {
            limit.metric for limit in terms.limits if terms.percentile(load, limit)[0] > limit.seconds * (1 + 1e-9)
        }
        named = {limit.name.split()[0].lower() for limit in one.breaks} - {"utilization"}
        assert named == wrong
        over = float(load.occupancy.utilization[0]) > terms.max_utilization
        assert ("utilization" in [limit.name for limit in one.breaks]) == over
        assert one.after.ttft == pytest.approx(float(terms.percentile(load, TTFT.latency)[0]), rel=1e-6)
        assert one.cost == pytest.approx(one.step * FAST.tp * FAST.price_per_hour)


def test_the_sentence_names_the_limit_its_room_and_what_breaks() -> None:
    base = ground(ASKED[1], 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    found = neighbours(base, answer)
    (said,) = sentences(answer, found, limits(base, base.standing(answer)))
    match = re.search(r"limited by TTFT \(now ([\d.]+) s of 0.2 s.*breaks TTFT of pool all: ([\d.]+) s", said)
    assert match is not None
    assert float(match[1]) == pytest.approx(answer.pools[0].ttft, rel=0.01)
    fewer = base.fix(answer.fleet, [answer.fleet.pools[0].replicas - 1]).candidate
    assert float(match[2]) == pytest.approx(fewer.pools[0].ttft, rel=0.01)


def test_where_one_fewer_breaks_load_and_latency_the_one_that_the_pool_is_limited_by_comes_first() -> None:
    for ttft, first in ((0.3, "TTFT (now 0.25 s"), (0.4, "utilization, most of it prefill compute")):
        base = ground(question(ttft=ttft, pools=(1,)), 60.0, atoms(5), [FAST])
        answer = answer_of(base)
        (said,) = sentences(answer, neighbours(base, answer), limits(base, base.standing(answer)))
        assert said.startswith(f"pool all: limited by {first}")
        assert answer.pools[0].limited_by.partition(":")[0] in said
        assert "utilization of pool all: 0.941, limit 0.85" in said
        assert f"TTFT of pool all: 0.755 s, limit {ttft:g} s" in said


def test_where_one_fewer_breaks_two_latencies_as_simulated_the_one_with_least_room_comes_first() -> None:
    """Found: "limited by TPOT (now 0.0362 s of 0.045 s)", where TTFT had half of its room and broke by more."""
    base = ground(question(slo=Slo(ttft=0.25, tpot=0.022), pools=(1,)), 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    (own,) = answer.pools
    fewer = base.fix(answer.fleet, [answer.fleet.pools[0].replicas - 1]).candidate
    for near, first in ((0.248, "TTFT"), (0.05, "TPOT (decode)")):
        known = knowing(base, simulated(answer, "pass", near), simulated(fewer, "fail", 0.3))
        (said,) = sentences(answer, neighbours(known, answer), limits(known, known.standing(answer)))
        assert own.tpot < 0.022
        assert said.startswith(f"pool all: limited by {first} (now "), said


def test_a_pool_that_is_over_a_limit_as_simulated_is_limited_by_that() -> None:
    """Found: "limited by TTFT, 0.787 s left", and more replicas took it from 8.09 s, where 1.21 s were simulated."""
    base = ground(question(slo=Slo(ttft=0.25, tpot=0.022), pools=(1,)), 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    known = knowing(base, simulated(answer, "fail", 0.05, tpot=0.05))
    found = neighbours(known, answer)
    (said,) = sentences(answer, found, limits(known, known.standing(answer)))
    assert said == "pool all: limited by TPOT (decode) (now 0.05 s of 0.022 s, 0.028 s over)"
    (gained,) = gains(found, known.question.slo)
    more = next(one for one in found if one.step > 0)
    off = 1.0 - more.after.tpot / more.before.tpot
    assert gained.startswith(f"pool all: one replica more takes {off:.1%} off TPOT by formula, for $")


def test_a_pool_at_its_load_says_what_its_work_is() -> None:
    base = ground(question(ttft=5.0, pools=(1,)), 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    (said,) = sentences(answer, neighbours(base, answer), limits(base, base.standing(answer)))
    assert f"limited by utilization, most of it {answer.pools[0].limited_by}" in said


def test_one_replica_has_none_fewer() -> None:
    base = ground(question(ttft=2.0, pools=(1,)), 0.1, atoms(5), [FAST])
    answer = answer_of(base)
    found = neighbours(base, answer)
    assert [one.step for one in found] == [1]
    (said,) = sentences(answer, found, limits(base, base.standing(answer)))
    assert "one replica is the least there is" in said


def test_where_the_formula_does_not_forbid_one_fewer_it_says_so() -> None:
    base = ground(ASKED[0], 60.0, atoms(5), [FAST])
    larger = base.fix(answer_of(base).fleet, [answer_of(base).fleet.pools[0].replicas + 3]).candidate
    found = neighbours(base, larger)
    (said,) = sentences(larger, found, limits(base, base.standing(larger)))
    assert said.endswith("the simulation asked for this size")
    assert table(found, base.question.slo).records()[0]["breaks"] == "~nothing"
    rows = table(found, base.question.slo, 0.9).records()
    assert [row["breaks"] for row in rows] == ["the 90% asked for", "~nothing"]
    (given,) = sentences(larger, found, limits(base, base.standing(larger)), AS_GIVEN)
    assert given.endswith("one replica fewer keeps every limit too; the fleet is as it was given")


@pytest.mark.parametrize(
    ("spare", "simulated", "told"),
    [(3, True, ", {} of these {} are enough, as simulated"), (3, False, ", {} of these {} are enough, by formula")]
    + [(one, True, "") for one in (1, 0, -1)],
)
def test_of_a_given_fleet_it_is_told_how_many_are_enough_beyond_one_fewer(
    spare: int, simulated: bool, told: str
) -> None:
    """Found: beside 3 spare of 11 replicas that one replica fewer keeps every limit, too."""
    base = ground(ASKED[0], 60.0, atoms(5), [FAST])
    enough = answer_of(base).fleet.pools[0].replicas
    larger = base.fix(answer_of(base).fleet, [enough + 3]).candidate
    stock = Stock(
        replicas=(enough + 3 - spare,), gpus=(8,), cost=9.0, simulated=simulated, rate=None, rate_simulated=False
    )
    found = neighbours(base, larger)
    (given,) = sentences(larger, found, limits(base, base.standing(larger)), AS_GIVEN, stock)
    assert given.endswith(f"the fleet is as it was given{told.format(enough, enough + 3)}")


def test_what_the_simulation_saw_of_one_fewer_is_told() -> None:
    base = ground(ASKED[0], 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    larger = base.fix(answer.fleet, [answer.fleet.pools[0].replicas + 1]).candidate
    known = knowing(base, simulated(answer, "fail", reason="TTFT of pool all: undefined in some runs"))
    (said,) = sentences(larger, neighbours(known, larger), limits(known, known.standing(larger)))
    assert said.endswith("it fails in simulation: TTFT of pool all: undefined in some runs")


def test_where_one_fewer_was_simulated_that_decides_whatever_the_formula_says() -> None:
    """Found: one fewer was said to break TTFT at 0.61 s by formula, where 0.531 s [0.528, 0.535] was simulated."""
    base = ground(ASKED[1], 58.0, atoms(5), [FAST])
    answer = answer_of(base)
    fewer = base.fix(answer.fleet, [answer.fleet.pools[0].replicas - 1]).candidate
    assert fewer.pools[0].ttft > 0.23
    stands, most = simulated(answer, "pass", 0.15), 0.2
    told: tuple[tuple[Verdict, float, str], ...] = (
        ("fail", 0.21, "one replica fewer breaks TTFT of pool all: 0.21 s [0.208, 0.212], limit 0.2 s, as simulated"),
        ("unproven", 0.2, "is not proven to keep TTFT of pool all: 0.2 s [0.198, 0.202], limit 0.2 s, as simulated"),
        ("pass", 0.19, "pool all: as simulated one replica fewer keeps every limit too"),
    )
    for verdict, ttft, words in told:
        known = knowing(base, stands, simulated(fewer, verdict, ttft))
        found = neighbours(known, answer)
        (said,) = sentences(answer, found, limits(known, known.standing(answer)))
        assert said.endswith(words)
        row = table(found, ASKED[1].slo).records()[0]
        assert (row["ttft"], row["ttft_up"]) == (ttft, pytest.approx(ttft - 0.15))
        assert row["breaks"] == {"fail": "TTFT", "unproven": "perhaps TTFT: not proven", "pass": "nothing"}[verdict]
        assert (not found[0].breaks) == (ttft < most)
    more = base.fix(answer.fleet, [answer.fleet.pools[0].replicas + 1]).candidate
    known = knowing(base, stands, simulated(more, "pass", 0.1))
    (gained,) = gains(neighbours(known, answer), ASKED[1].slo)
    assert "takes TTFT from 0.15 s to 0.1 s as simulated, for " in gained


def test_one_more_that_the_stock_lacks_breaks_it_whatever_was_simulated() -> None:
    """Found: "one replica more takes TPOT from 0.0371 s to 0.027 s, for $5.90/h", of a stock that has none left."""
    base = ground(ASKED[0], 60.0, atoms(5), [FAST])
    best = answer_of(base)
    base = replace(base, question=replace(ASKED[0], max_gpus=(("fast", best.gpus),)))
    more = next(one for one in neighbours(base, best) if one.step > 0).candidate
    found = neighbours(knowing(base, simulated(best, "pass"), simulated(more, "pass")), best)
    (said,) = gains(found, base.question.slo)
    assert said.endswith(f"/h, but breaks inventory of fast: {more.gpus} GPUs, limit {best.gpus} GPUs")
    assert table(found, base.question.slo).records()[1]["breaks"] == "inventory of fast"


def test_the_table_holds_changes_and_nothing_infinite() -> None:
    base = ground(question(ttft=5.0, pools=(1,)), 6.0, atoms(5), [FAST])
    answer = answer_of(base)
    found = neighbours(base, answer)
    made = table(found, Slo(ttft=5.0))
    names = [column.name for column in made.columns]
    assert names == ["pool", "replicas", "more_per_hour", "ttft", "ttft_up", "tpot", "tpot_up", "breaks"]
    for row, one in zip(made.rows, found, strict=True):
        assert all(cell != float("inf") for cell in row)
        if row[3] is not None:
            assert row[4] == pytest.approx(one.after.ttft - one.before.ttft)


def test_what_one_more_gains_is_the_load_by_hand() -> None:
    rate, lengths = 60.0, atoms(5)
    base = ground(ASKED[0], rate, lengths, [FAST])
    answer = answer_of(base)
    (pool,) = answer.fleet.pools
    terms = Terms.of(ASKED[0])
    by_hand = [
        float(terms.percentile(load_by_hand(pool, lengths, rate, pool.replicas + more), TTFT.latency)[0])
        for more in (0, 1)
    ]
    (said,) = gains(neighbours(base, answer), ASKED[0].slo)
    figures = re.search(r"from ([\d.]+) s to ([\d.]+) s by formula, for \$([\d.]+)/h", said)
    assert figures is not None
    assert [float(one) for one in figures.groups()[:2]] == pytest.approx(by_hand, rel=0.01)
    assert float(figures[3]) == pytest.approx(FAST.price_per_hour * pool.tp, abs=0.006)
