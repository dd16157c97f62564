from dataclasses import fields

import pytest

from fleettui.domain.backtest import CONSTANTS, STEP_TIMES, Band, Figure, Row
from fleettui.domain.fleet import PoolProfile


def test_every_step_time_is_a_field_of_a_profile_and_all_of_them_move_together() -> None:
    names = {field.name for field in fields(PoolProfile)}
    moved = {name for own in STEP_TIMES.values() for name in own}
    assert (
        moved
        == names - {"kv_blocks", "block_size", "front_end", "by_kernels", "api_token"}
        == set(STEP_TIMES["all step times"])
    )
    assert set(STEP_TIMES) < set(CONSTANTS)


@pytest.mark.parametrize(("predicted", "seen", "gap"), [(0.3, 0.36, 0.2), (0.4, 0.3, -0.25), (61.0, 61.0, 0.0)])
def test_the_gap_is_a_share_of_what_was_predicted(predicted: float, seen: float, gap: float) -> None:
    def band(value: float) -> Band:
        return Band(value=value, low=value, high=value)

    row = Row(figure=Figure(metric="running"), predicted=band(predicted), seen=band(seen), error=0.01)
    assert row.gap == pytest.approx(gap)
