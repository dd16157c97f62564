"""How near public runs are is a promise: no engine's cell of a model may worsen by more than two points.

After a change that is meant, write the record anew: `python -m tests.evidence.accuracy --record`.
"""

from dataclasses import replace

import pytest

from fleettui.hardware import catalog
from tests.evidence.accuracy import PUBLIC, Accuracy, cells, played, recorded, worsened
from tests.repeated import few

CELL = Accuracy(
    runs=20, tpot=0.05, tpot_p90=0.2, ttft=0.2, ttft_p90=0.5, in_band=0.9, capacities=10, close=0.7, in_range=0.8
)


@pytest.mark.parametrize("engine", few(catalog.names("engines"), 1))
def test_no_cell_of_the_public_runs_worsens(engine: str) -> None:
    if not PUBLIC.exists():
        pytest.skip(f"{PUBLIC} is absent")
    assert not worsened(recorded(engine), cells(played(PUBLIC, engine)))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tpot": 0.0699, "ttft": 0.2199, "in_band": 0.8801, "close": 0.6801, "ttft_p90": 0.9}, []),
        ({"tpot": 0.01, "ttft": 0.01, "in_band": 1.0, "close": 1.0, "runs": 30, "capacities": 20}, []),
        ({"tpot": 0.0701}, ["vllm m: tpot 7.0%, was 5.0%"]),
        ({"tpot_p90": 0.3}, ["vllm m: tpot_p90 30.0%, was 20.0%"]),
        ({"ttft": 0.25}, ["vllm m: ttft 25.0%, was 20.0%"]),
        ({"in_band": 0.85, "close": 0.6}, ["vllm m: in_band 85.0%, was 90.0%", "vllm m: close 60.0%, was 70.0%"]),
        ({"runs": 19, "capacities": 9}, ["vllm m: runs 19, was 20", "vllm m: capacities 9, was 10"]),
    ],
)
def test_a_cell_that_worsens_is_named_with_both_figures(changes: dict[str, float], told: list[str]) -> None:
    assert worsened({"vllm m": CELL}, {"vllm m": replace(CELL, **changes)}) == told  # type: ignore[arg-type]


def test_cells_that_come_and_go_are_named() -> None:
    assert worsened({"vllm m": CELL}, {"vllm n": CELL}) == ["vllm n: not recorded", "vllm m: no run counts, 20 did"]
