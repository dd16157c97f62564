"""Every limit has its row, its room in its own unit, and the simulation decides where it has looked."""

from dataclasses import replace

import pytest

from fleettui.domain.slo import Slo
from fleettui.optimize.reasons.limits import LimitCheck, broken, finite, limits, tables, told, worst
from tests.optimize.reasons.grounds import answer_of, ground, knowing, simulated
from tests.optimize.samples import atoms, profile, question

FAST = profile("fast")
ASKED = question(
    slo=Slo(ttft=0.8, tpot=0.1, e2e=60.0), max_gpus=(("fast", 40),), budget=100.0, max_power=40_000.0, pools=(2,)
)


def test_each_limit_has_a_row_per_pool_and_each_constraint_one() -> None:
    base = ground(ASKED, 60.0, atoms(5), [FAST])
    found = limits(base, base.standing(answer_of(base)))
    for pool in ("short", "long"):
        names = [one.name for one in found if one.place == pool]
        assert {"TTFT", "wait within TTFT", "prefill within TTFT", "TPOT (decode)", "E2E", "utilization"} <= set(names)
        assert {"busy by places", "busy by token budget", "time in prefill", "longest request"} <= set(names)
    assert [one.name for one in found if one.place == "fleet"] == ["inventory of fast", "budget", "power"]
    assert sum(len(table.rows) for table in tables(found)) == len(found)


def test_values_are_those_of_the_plan_and_room_is_what_is_left() -> None:
    base = ground(ASKED, 60.0, atoms(5), [FAST])
    answer = answer_of(base)
    found = {(one.place, one.name): one for one in limits(base, base.standing(answer))}
    for figures in answer.pools:
        assert found[figures.name, "TTFT"].value == pytest.approx(figures.ttft, rel=1e-9)
        assert found[figures.name, "TPOT (decode)"].value == pytest.approx(figures.tpot, rel=1e-9)
        assert found[figures.name, "utilization"].room == pytest.approx(0.85 - figures.utilization, rel=1e-9)
        assert found[figures.name, "longest request"].most == pytest.approx(0.98 * 16 * FAST.kv_blocks)
    assert found["fleet", "inventory of fast"].room == 40 - answer.gpus
    assert found["fleet", "budget"].room == pytest.approx(100.0 - answer.cost_per_hour)
    assert not broken(list(found.values()))


def test_whole_nodes_are_what_counts_against_the_stock() -> None:
    asked = replace(ASKED, whole_nodes=True, max_gpus=(("fast", 15),), max_total_gpus=15, pools=(1,))
    base = ground(asked, 60.0, atoms(5), [FAST])
    fixed = base.fix(answer_of(base).fleet, [5])  # ten GPUs on two nodes of eight
    fleet = {one.name: one for one in limits(base, fixed) if one.place == "fleet"}
    assert fleet["inventory of fast"].value == fleet["GPUs in all"].value == 16
    assert not fleet["inventory of fast"].holds
    assert any("16 fast above 15" in one for one in fixed.candidate.shortfalls)


def test_headroom_is_taken_off_the_limit() -> None:
    base = ground(replace(ASKED, headroom=0.25), 60.0, atoms(5), [FAST])
    found = limits(base, base.standing(answer_of(base)))
    assert {one.most for one in found if one.name == "TTFT"} == {0.8 * 0.75}


def test_the_upper_end_of_what_was_seen_decides() -> None:
    base = ground(replace(ASKED, pools=(1,)), 60.0, atoms(5), [FAST])
    answer = simulated(answer_of(base), "unproven", 0.796)
    found = limits(knowing(base, answer), base.standing(answer))
    own = next(one for one in found if one.name == "TTFT")
    assert own.room == pytest.approx(0.8 - 1.01 * 0.796)
    assert broken(found) == (own,)
    assert told(own) == "TTFT of pool all: 0.796 s [0.788, 0.804], limit 0.8 s"
    assert own.excess == pytest.approx(1.01 * 0.796 / 0.8 - 1.0), "the value keeps the limit, the upper end does not"
    tpot = next(one for one in found if one.name == "TPOT (decode)")
    assert tpot.room == pytest.approx(tpot.most - answer.pools[0].tpot)
    assert "simulated" in [column.name for column in tables(found)[0].columns]


def test_a_pool_that_drowns_is_told_of_by_its_load() -> None:
    base = ground(replace(ASKED, pools=(1,)), 60.0, atoms(5), [FAST])
    wrong = broken(limits(base, base.fix(answer_of(base).fleet, [1])))
    assert wrong[0].name == worst(wrong).name == "utilization"
    assert wrong[0].value > 1.0
    late = next(one for one in wrong if one.name == "TTFT")
    assert finite(late.value) is None
    assert told(late) == "TTFT of pool all: without end, limit 0.8 s"


def test_a_limit_is_told_in_its_unit() -> None:
    stock = LimitCheck(place="fleet", name="inventory of h100", unit="count", value=1024.0, most=1.0)
    assert told(stock) == "inventory of h100: 1,024 GPUs, limit 1 GPU", "found: 1.02e+03 GPUs, limit 1 GPUs"
    assert told(LimitCheck(place="fleet", name="budget", unit="dollars per hour", value=41.5, most=30.0)) == (
        "budget: $41.5, limit $30"
    )
