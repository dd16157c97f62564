"""Today's fleet, in a line or by its file, under the traffic that is typed."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.tui.modals.today import sketch

TEXTS = {"model": "qwen3-32b", "dtype": "fp8"}


def test_a_line_says_pools_from_the_shortest_requests_on() -> None:
    found = sketch("H100 tp4 x6 to 4096 + tp8 x2", TEXTS | {"expert-parallel": "true"})
    said = [(pool.gpu, pool.tp, pool.replicas, pool.up_to, pool.dtype) for pool in found.pools]
    assert said == [("h100", 4, 6, 4096, "fp8"), ("h100", 8, 2, None, "fp8")]
    assert {(pool.model, pool.expert_parallel) for pool in found.pools} == {("qwen3-32b", True)}


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "today.yaml"
    file.write_text("pools: [{gpu: h100, tp: 8, replicas: 3}]", "utf-8")
    assert [pool.replicas for pool in sketch(str(file), TEXTS).pools] == [3]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "empty"),
        ("six h100", "no fleet"),
        ("tp4 x6", "no fleet"),
        ("h999 tp4 x6", "h999"),
        ("no.yaml", "no such file"),
    ],
)
def test_what_is_no_fleet_is_refused(typed: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        sketch(typed, TEXTS)
