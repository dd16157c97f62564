"""What Compress-and-Route moves, against the router's own rule applied to every request."""

from functools import partial

import numpy as np
import pytest

from fleettui.queueing.compression import Moved
from fleettui.queueing.moments import RequestTable, request_columns
from fleettui.routing import length_pools

rng = np.random.default_rng(7)
ATOMS = tuple(
    zip(
        rng.uniform(0.5, 2.0, 200).tolist(),
        np.ceil(rng.lognormal(6.0, 1.0, 200)).tolist(),
        np.ceil(rng.lognormal(5.0, 1.2, 200)).tolist(),
        strict=True,
    )
)
SPLITS, FACTORS = (100, 400, 900, 3000, 100_000), (1.0, 1.1, 1.5, 2.0)


def sums(rows: np.ndarray, table: RequestTable) -> np.ndarray:
    columns = request_columns(rows[:, 1], rows[:, 2], chunk=table.chunk, prefix_hit=table.prefix_hit)
    return np.asarray(columns @ rows[:, 0])


@pytest.mark.parametrize("compressible", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("prefix_hit", [0.0, 0.4])
def test_both_sides_of_a_split_are_what_the_router_sends_them(compressible: float, prefix_hit: float) -> None:
    table = RequestTable.of(ATOMS, chunk=512, prefix_hit=prefix_hit)
    moved = Moved.of(table, SPLITS, FACTORS, compressible)
    rows = np.stack([table.weight, table.prompt, table.output], axis=1)
    for place, split in enumerate(SPLITS):
        for factor, gamma in enumerate(FACTORS):
            route = partial(length_pools.part, rows, until=np.inf, gamma=gamma, compressible=compressible)
            short, long = route(above=0, up_to=split), route(above=split, up_to=200_000)
            cut = int(np.searchsorted(table.total, split, side="right"))
            end = len(table.total)
            below = table.sums(0, cut) + moved.joining[:, factor, place]
            beyond = table.sums(cut, end) - moved.leaving[:, factor, place]
            assert below == pytest.approx(sums(short, table), rel=1e-9, abs=1e-6)
            assert beyond == pytest.approx(sums(long, table), rel=1e-9, abs=1e-6)


def test_without_compression_nothing_moves() -> None:
    moved = Moved.of(RequestTable.of(ATOMS, chunk=512), SPLITS, (1.0,), 1.0)
    assert not moved.leaving.any()
    assert not moved.joining.any()


def test_no_factors_are_no_work() -> None:
    assert Moved.of(RequestTable.of(ATOMS, chunk=512), SPLITS, (), 1.0).leaving.shape == (15, 0, len(SPLITS))


@pytest.mark.parametrize(("output", "moves"), [(98.0, True), (99.0, True), (100.0, False)])
def test_a_request_is_rewritten_while_one_token_of_its_prompt_is_left(output: float, moves: bool) -> None:
    table = RequestTable.of([(1.0, 20.0, output)], chunk=512)
    moved = Moved.of(table, (100,), (1.5,), 1.0)
    assert float(moved.leaving[0, 0, 0]) == (1.0 if moves else 0.0)
    assert float(moved.joining[1, 0, 0]) == (100.0 - output)
