"""What compression saves, factor by factor, and that sizing a fleet with it is never dearer than adding it later."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.fleet import FleetSketch
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.optimize.given_fleet import score
from fleettui.optimize.plan import find_plan
from fleettui.optimize.reasons.compression_saving import compression_saving, is_asked, sentences, table
from fleettui.optimize.resize import sketch_of
from fleettui.optimize.terms import Terms
from tests.optimize.reasons.grounds import answer_of, ground
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

FAST = profile("fast", blocks=3000)
MEASURED = MeasuredShare(study="e40e", share=0.75, low=0.7, high=0.8, split=1500, gamma=1.5, seconds=0.004)


@pytest.mark.thorough
def test_every_factor_is_a_fleet_of_the_same_split_sized_anew() -> None:
    base = ground(question(ttft=2.0, pools=(2,), gamma=(1.0, 1.3)), 60.0, atoms(5), [FAST])
    fleet = answer_of(base).fleet
    assert is_asked(base, fleet)
    found = [one for one in compression_saving(base, fleet) if one.admission == "reserved"]
    assert [one.gamma for one in found] == [1.0, 1.0, 1.1, 1.25, 1.3, 1.5, 1.75, 2.0]
    assert [one.pools for one in found] == [1, *[2] * 7]
    for one in found[1:]:
        assert one.candidate is not None
        assert one.work is not None
        assert one.candidate.fleet.gamma == one.gamma
        assert [pool.up_to for pool in one.candidate.fleet.pools[:-1]] == [pool.up_to for pool in fleet.pools[:-1]]
        pairs = zip(one.candidate.fleet.pools, one.candidate.pools, strict=True)
        assert one.work.total == pytest.approx(sum(f.utilization * p.replicas for p, f in pairs), rel=1e-9)
    moved = [one.moved for one in found[1:]]
    assert moved == sorted(moved)
    assert moved[0] == 0.0 < moved[-1]
    rows = table(found).records()
    assert rows[1]["work_saved"] == 0.0


@pytest.mark.thorough
def test_the_sentence_says_what_the_table_holds() -> None:
    base = ground(question(ttft=2.0, pools=(2,), gamma=(1.0, 2.0)), 60.0, atoms(5), [FAST])
    found = compression_saving(base, answer_of(base).fleet)
    paged, reserved = sentences(found, MEASURED)
    assert paged.startswith("under paged admission gamma ")
    assert reserved.startswith("under reserved admission gamma ")
    for told in (paged, reserved):
        assert "work than one pool (" in told
        assert "work than the same split without it (" in told
        assert "cores busy" in told


def test_a_question_without_compression_is_told_nothing_of_it() -> None:
    base = ground(question(ttft=2.0, pools=(2,)), 60.0, atoms(5), [FAST])
    assert not is_asked(base, answer_of(base).fleet)


def test_where_no_fleet_holds_that_is_said() -> None:
    base = ground(question(ttft=2.0, pools=(2,), gamma=(1.0, 1.5)), 60.0, atoms(5), [FAST])
    hopeless = replace(base, question=replace(base.question, slo=replace(base.question.slo, ttft=1e-6)))
    found = compression_saving(hopeless, answer_of(base).fleet)
    assert list(sentences(found, None)) == [
        f"under {name} admission no fleet that compresses keeps the limits" for name in ("paged", "reserved")
    ]
    assert all(row["gpus"] is None for row in table(found).records())


def holds(found: Candidate, asked: Question) -> bool:
    terms, limit = Terms.of(asked), asked.slo.ttft
    assert limit is not None
    return all(pool.utilization <= terms.max_utilization and pool.ttft <= limit for pool in found.pools)


@pytest.mark.parametrize("seed", few(range(60), 1, more=6))
def test_a_fleet_sized_with_compression_is_never_dearer_than_one_that_gets_it_later(seed: int) -> None:
    """FleetOpt's Theorem 2: what is sized without compression and holds with it is among what is searched with it."""
    chance = np.random.default_rng(seed)
    lengths, gamma, split = atoms(seed), float(chance.uniform(1.1, 2.0)), int(chance.choice([700, 1500, 3000]))
    asked = question(
        ttft=float(chance.choice([0.6, 1.5, 3.0])),
        pools=(2,),
        splits=(split,),
        compressible=float(chance.choice([0.5, 0.9])),
        admission=str(chance.choice(["paged", "reserved"])),
    )
    slices = [(float(chance.uniform(10.0, 60.0)), lengths)]

    def best(factor: float) -> Candidate | None:
        with_it = replace(asked, gamma=(factor, factor))
        return find_plan(with_it, slices=slices, profiles=[FAST], grid=(), context=16_384).answer

    plain, together = best(1.0), best(gamma)
    if plain is None:
        return
    pools = tuple(sketch_of(pool, pool.replicas, given=False) for pool in plain.fleet.pools)
    later = FleetSketch(gamma=gamma, compressible=asked.compressible, admission=asked.admission, pools=pools)
    retrofit = score(asked, later, [FAST, FAST], slices, plain.fleet.pools[-1].up_to).candidate
    if holds(retrofit, asked):
        assert together is not None
        assert together.cost_per_hour <= retrofit.cost_per_hour + 1e-9
