"""The prefix cache of replicas: what is found, what it saves, what is dropped, and that the plain twin has the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pytest

from fleettui.simulation import conservation, kernel
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, State, prepare
from fleettui.simulation.prefixes import Prefixes
from tests.repeated import few
from tests.simulation.samples import engine, finished, requests
from tests.simulation.twins import blocks_of, fleet, played_alike


def shared(draws: Draws, *hashes: list[int], size: int = 16) -> Draws:
    """Return requests with the hashes of their blocks."""
    known = np.array([len(own) for own in hashes], np.int32)
    return replace(
        draws,
        prefixes=Prefixes.of(size=size, known=known, hashes=np.array(list(chain(*hashes)), np.int64)),
    )


def figures(state: State) -> tuple[int, int]:
    """Return the blocks that all pools found, and those that they asked for."""
    return int(state.pools["found"].sum()), int(state.pools["queried"].sum())


def test_two_equal_prompts_of_32_tokens_hit_one_block_of_four() -> None:
    """The second is found whole and computes its last block again."""
    draws = shared(requests((32, 4), (32, 4), arrivals=[0.0, 5.0]), [0, 1], [0, 1])
    state = finished([engine(blocks=20)], draws)
    assert figures(state) == (1, 4)
    assert state.requests["cached"].tolist() == [0, 16]
    assert state.pools["prompted"].tolist() == [32 + 16]
    assert state.pools["asked"].tolist() == [64]


@pytest.mark.parametrize("budget", [64, 5])
def test_a_prompt_found_whole_computes_one_block_however_it_is_cut(budget: int) -> None:
    draws = shared(requests((64, 2), (64, 2), arrivals=[0.0, 50.0]), [0, 1, 2, 3], [0, 1, 2, 3])
    state = finished([engine(blocks=40, budget=budget)], draws)
    assert state.pools["prompted"].tolist() == [64 + 16]


def test_a_block_can_be_hit_as_soon_as_it_is_computed() -> None:
    """The second prompt finds the first one's blocks in the step that computes them; both use them."""
    draws = shared(requests((8, 2), (48, 30), (48, 30)), [], [0, 1, 2], [0, 1, 9])
    state = finished([engine(blocks=40, places=3, budget=200)], draws)
    assert figures(state) == (2, 6)
    assert state.requests["admitted"][1] == state.requests["admitted"][2]


def test_shared_blocks_leave_room_for_more_sequences() -> None:
    """Ten sequences of 64 tokens of which 48 are the same: alone they would need forty blocks."""
    work = requests(*[(63, 2)] * 10)
    alike = shared(work, *[[0, 1, 2] for _ in range(10)])
    small = engine(blocks=14, places=10, budget=2000)
    assert len(set(finished([small], alike).requests["admitted"])) == 2  # the first finds the replica idle
    assert len(set(finished([small], work).requests["admitted"])) > 3


def test_what_was_used_longest_ago_is_dropped_first() -> None:
    """Room for two prompts: the fourth takes the place of the second, which is a miss when it comes back."""
    order = [[0, 1], [2, 3], [0, 1], [4, 5], [0, 1], [2, 3]]
    work = requests(*[(33, 2)] * 6, arrivals=[5.0 * place for place in range(6)])
    state = finished([engine(blocks=7)], shared(work, *order))
    assert state.requests["cached"].tolist() == [0, 0, 32, 0, 32, 0]


def test_the_end_of_a_prompt_is_dropped_before_its_beginning() -> None:
    work = requests((65, 2), (33, 2), (65, 2), arrivals=[0.0, 5.0, 10.0])
    state = finished([engine(blocks=6)], shared(work, [0, 1, 2, 3], [7, 8], [0, 1, 2, 3]))
    assert state.requests["cached"].tolist() == [0, 0, 48]


def test_what_is_put_out_can_be_hit_where_its_hashes_are_known() -> None:
    """A second round, whose prompt begins with the first one's prompt and answer."""
    work = requests((32, 32), (80, 2), arrivals=[0.0, 9.0])
    state = finished([engine(blocks=40)], shared(work, [0, 1, 2, 3], [0, 1, 2, 3, 4]))
    assert state.requests["cached"].tolist() == [0, 48]  # the last token put out is in no cache


def random_prefixes(draws: Draws, seed: int) -> Draws:
    """Return requests of a few families, each a common beginning of random length and then a way of its own."""
    rng = np.random.default_rng(seed)
    size = max(int(rng.choice((16, 32))), *blocks_of(seed))
    families = int(rng.integers(1, 6))
    hashes: list[list[int]] = []
    for index, (prompt, output) in enumerate(zip(draws.prompt, draws.output, strict=True)):
        most = int(prompt + (output if rng.random() < 0.5 else 0)) // size
        common = int(rng.integers(0, most + 1))
        family = int(rng.integers(families))
        hashes.append(
            [family * 100 + place for place in range(common)]
            + [1000 + index * 20 + place for place in range(most - common)]
        )
    return shared(replace(draws, cached=np.zeros_like(draws.cached)), *hashes, size=size)


def held_together(engines: list[Engine], state: State) -> None:
    """Hold a finished run to its sums: every block is free again, or in nobody's use and still known."""
    conservation.check(state, [one.blocks for one in engines])
    assert np.array_equal(
        state.replicas["free"], np.repeat([one.blocks for one in engines], [one.replicas for one in engines])
    )


@pytest.mark.thorough
@pytest.mark.parametrize("seed", few(range(8), 3))
def test_the_compiled_engine_is_its_twin(seed: int) -> None:
    check_alike(seed, stages=False)


@pytest.mark.evidence
@pytest.mark.parametrize("seed", range(8, 50))
def test_so_it_is_with_stages(seed: int) -> None:
    check_alike(seed, stages=True)


@pytest.mark.evidence
@pytest.mark.parametrize("seed", [seed for seed in range(50, 62) if seed % 3])
def test_so_it_is_where_queues_are_bounded_and_clients_leave_and_come_again(seed: int) -> None:
    check_alike(seed, stages=True, queue=4, patience=0.2, retries=2, backoff=0.1)


@pytest.mark.parametrize("seed", few([1, 2, 4, 5], 1))
def test_the_compiled_router_by_prefixes_is_its_twin(seed: int) -> None:
    check_alike(seed, stages=False, router="prefix-aware", refresh=0.05 * (seed % 2))


@pytest.mark.evidence
@pytest.mark.parametrize("seed", range(100, 150))
def test_so_it_is_of_fifty_fleets(seed: int) -> None:
    check_alike(seed, stages=seed % 2 == 1, router="prefix-aware", refresh=0.05 * (seed % 3))


@pytest.mark.evidence
@pytest.mark.parametrize("seed", range(150, 200))
def test_so_it_is_with_requests_that_wait_behind_the_others(seed: int) -> None:
    check_alike(seed, stages=seed % 2 == 1, batch=0.2 + 0.3 * (seed % 3))


def check_alike(seed: int, *, stages: bool, batch: float = 0.0, **bounds: float | str) -> None:
    """Hold a fleet to its twin; without `stages` every batch has its own, which compiles less.

    A share `batch` of the requests is of class batch.
    """
    engines, draws = fleet(seed)
    if batch:
        draws = replace(draws, batch=np.random.default_rng([seed, 1]).random(draws.requests) < batch)
    engines = [replace(one, **bounds) for one in engines]  # type: ignore[arg-type]
    if "queue" in bounds:
        draws = replace(draws, jitter=np.random.default_rng(seed).random((draws.requests, 2)))
    if not stages:
        engines = [replace(one, lanes=1) for one in engines]
    if seed % 4 == 0:
        engines = [replace(one, blocks=UNLIMITED if one.blocks == UNLIMITED else one.blocks + 300) for one in engines]
    for state in played_alike(engines, random_prefixes(draws, seed)):
        assert state.pools["found"].sum() > 0
        held_together(engines, state)


def test_a_run_cut_short_adds_up() -> None:
    engines, draws = fleet(4)
    engines = [replace(one, lanes=1) for one in engines]
    draws = random_prefixes(draws, 4)
    for last in (1, 40, 90):
        state = prepare(engines, draws)
        kernel.run(state, 0, last, True)
        conservation.check(state, [one.blocks for one in engines])


def with_caches() -> Any:
    """Return a run of two replicas that keep prefixes, with a memory beside each, stopped on its way."""
    rng = np.random.default_rng(6)
    known = rng.integers(1, 6, 120)
    hashes = [
        [8 * own + place for place in range(count)] for own, count in zip(rng.integers(0, 9, 120), known, strict=True)
    ]
    lengths = [
        (int(16 * count + more), int(output))
        for count, more, output in zip(known, *rng.integers(1, 30, (2, 120)), strict=True)
    ]
    draws = shared(requests(*lengths, arrivals=np.cumsum(rng.exponential(0.05, 120)).tolist()), *hashes)
    state = prepare([engine(blocks=16, replicas=2, places=4, far=6, move=1e-5)], draws)
    kernel.run(state, 0, 90, True)
    conservation.check(state, [16])
    assert state.cache is not None
    assert (state.cache.far.ends["room"] < 6).all()
    return state


def spans_of(cache: Any, row: int) -> Any:
    return cache.table[row][cache.table[row] > 0] - 1


def used_span(state: Any, row: int) -> int:
    """Return a span of a replica that somebody uses."""
    spans = state.cache.spans[row]
    return next(int(at) for at in spans_of(state.cache, row) if spans["used"][at] > 0)


def list_a_block_twice(state: Any, row: int) -> None:
    nodes, at = state.cache.nodes[row], int(state.cache.lists["head"][row])
    nodes["blocks"][at] += 1


def forget_the_last_that_is_free(state: Any, row: int) -> None:
    state.cache.lists["head"][row] = state.cache.nodes["after"][row, state.cache.lists["head"][row]]


def find_more_there(state: Any, row: int) -> None:
    state.cache.spans["there"][row, used_span(state, row)] += 1


def use_one_more(state: Any, row: int) -> None:
    own = state.slots["request"][row]
    state.cache.prefixes["held"][own[own >= 0][0]] += 1


def use_more_of_a_part(state: Any, row: int) -> None:
    own = state.slots["request"][row]
    state.cache.prefixes["part"][own[own >= 0][0]] += 1


def use_a_whole_run_once_more(state: Any, row: int) -> None:
    state.cache.spans["whole"][row, used_span(state, row)] += 1


def make_room_beside(state: Any, row: int) -> None:
    state.cache.far.ends["room"][row] += 1


def put_more_beside_than_fits(state: Any, row: int) -> None:
    ends = state.cache.far.ends
    ends["most"][row] -= 1 + ends["room"][row]
    ends["room"][row] = -1


def have_more_beside_than_is_listed(state: Any, row: int) -> None:
    far = state.cache.far
    far.spans["there"][row, spans_of(far, row)[0]] += 1


def have_other_blocks_beside(state: Any, row: int) -> None:
    far = state.cache.far
    at = spans_of(far, row)[0]
    far.spans["there"][row, at] += 1
    far.spans["used"][row, at] += 1


CACHES: dict[Callable[[Any, int], None], str] = {
    list_a_block_twice: "blocks are listed as free",
    forget_the_last_that_is_free: "blocks are listed as free",
    find_more_there: "blocks of prefixes are not used",
    use_one_more: "users of blocks that are used",
    use_more_of_a_part: "users of blocks that are used",
    use_a_whole_run_once_more: "users of blocks that are used",
    make_room_beside: "with room for",
    put_more_beside_than_fits: "more blocks are out than there is room for",
    have_more_beside_than_is_listed: "blocks are listed that are not out",
    have_other_blocks_beside: "blocks of a run are here",
}


@pytest.mark.parametrize("row", [0, 1])
@pytest.mark.parametrize("spoil", CACHES, ids=lambda spoil: spoil.__name__)
def test_caches_are_held_to_what_is_free_and_used_and_to_the_memory_beside(
    spoil: Callable[[Any, int], None], row: int
) -> None:
    state = with_caches()
    spoil(state, row)
    with pytest.raises(AssertionError, match=f"replica {row}: .*{CACHES[spoil]}"):
        conservation.check(state, [16])
