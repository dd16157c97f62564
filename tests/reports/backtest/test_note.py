"""Later plans with hardware that was tested are told what was found, and whether it is in them."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.backtest import CONSTANTS, STEP_TIMES, Constant
from fleettui.reports.backtest.note import badge, is_of_load
from fleettui.reports.backtest.study import backtest_study
from fleettui.reports.table import WIDTH
from tests.own_fits import FIT
from tests.reports.backtest.samples import POOR, fit, found


@pytest.mark.parametrize("constant", CONSTANTS)
def test_later_plans_are_told_whether_they_have_the_correction_in(constant: Constant) -> None:
    whole = found(fits=(fit(constant, 1.2, 1.0, 0.36, 0.036, 60.0, 9.0),))
    study = replace(backtest_study(whole), handle="4f6d", created="2026-11-22T10:00:00Z")
    pool = whole.fleet.fleet.pools[0]
    assert is_of_load(study) == (constant == "arrival rate")
    if is_of_load(study):
        return
    names = ("kv_blocks",) if constant == "KV blocks" else STEP_TIMES[constant]
    told = badge(study, [pool.name], pool)
    assert told.startswith(f"backtest 4f6d, {pool.gpu} tp{pool.tp}: ")
    assert told.endswith(f": {constant} x1.2: --correct 4f6d")
    assert len("! " + told) <= WIDTH
    changes: dict[str, Any] = {name: getattr(pool.profile, name) * 1.2 for name in names}
    if "kv_blocks" in changes:
        changes["kv_blocks"] = round(changes["kv_blocks"])
    corrected = replace(pool, profile=replace(pool.profile, **changes))
    assert badge(study, [pool.name], corrected).endswith(", in this plan")


def test_pools_of_one_hardware_have_each_its_own_correction_and_are_told_once() -> None:
    """The same GPUs have other constants for other lengths: a plan has the correction in if it has one of them."""
    whole = found()
    first, second = whole.fleet.fleet.pools
    alike = replace(second, gpu=first.gpu, dtype=first.dtype, tp=first.tp)
    longer = replace(alike, profile=replace(first.profile, base_step_time=first.profile.base_step_time * 1.1))
    fleet = replace(whole.fleet, fleet=replace(whole.fleet.fleet, pools=(first, longer)))
    study = backtest_study(found(fleet=fleet))
    names = [first.name, longer.name]
    assert badge(study, names, first).count("base step time x1.2") == 1
    for pool in (first, longer):
        slower = replace(pool, profile=replace(pool.profile, base_step_time=pool.profile.base_step_time * 1.2))
        assert badge(study, names, slower).endswith(", in this plan")


def test_a_plan_by_a_fit_of_its_own_is_told_that_the_correction_takes_its_place() -> None:
    whole = found()
    pool = whole.fleet.fleet.pools[0]
    study = replace(backtest_study(whole), handle="4f6d")
    assert badge(study, [pool.name], pool, FIT).endswith(f": --correct 4f6d instead of --profile {FIT.name}")
    assert badge(study, [pool.name], pool, replace(FIT, name="backtest-4f6d")).endswith(", in this plan")


def test_what_was_found_is_told_whole_where_nothing_is_corrected() -> None:
    whole = found(fits=(POOR,))
    pool = whole.fleet.fleet.pools[0]
    told = badge(replace(backtest_study(whole), handle="4f6d"), [pool.name], pool)
    assert told.endswith(
        ": seen against predicted: P99 TTFT +20%, P50 TPOT +20%, what is running +20%: fleettui show 4f6d"
    )
