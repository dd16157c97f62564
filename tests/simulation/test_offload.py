"""Preempted sequences that are moved out and back: the compiled engine is its twin, and nothing is computed twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.simulation import conservation, kernel
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine, State, prepare
from fleettui.simulation.offload import with_offload
from tests.repeated import few
from tests.simulation.samples import WAYS, H, P, W, engine, finished, pool, requests, story
from tests.simulation.test_replica import close
from tests.simulation.test_speculation import drafting
from tests.simulation.twins import fleet, played_alike


def beside(engines: list[Engine], seed: int) -> list[Engine]:
    """Return engines with a memory beside, little or much, some with none."""
    rng = np.random.default_rng(seed)
    return [
        replace(one, beside=int(rng.choice((0, 3, 40, 10_000))), move=10.0 ** rng.uniform(-6, -3)) for one in engines
    ]


def alike(engines: list[Engine], draws: Draws) -> int:
    """Hold the engine to its twin and to what must be true; return the blocks that were moved."""
    for state in played_alike(engines, draws):
        conservation.check(state, [one.blocks for one in engines])
        assert state.pools["completed"].sum() == draws.requests
        assert (state.replicas["away"] == 0).all()
        assert not state.requests["away"].any()
    return int(state.pools["put"].sum() + state.pools["brought"].sum())


@pytest.mark.parametrize("seed", few(range(100), 2, more=22))
def test_the_engine_is_its_twin(seed: int) -> None:
    engines, draws = fleet(seed)
    alike(beside(engines, seed), draws)


@pytest.mark.parametrize("seed", few(range(100, 160), 2, more=10))
def test_so_it_is_where_drafts_are_verified(seed: int) -> None:
    engines, draws = fleet(seed)
    alike(beside(drafting(engines, seed), seed), draws)


@pytest.mark.parametrize("seed", few(range(200, 240), 2, more=6))
def test_so_it_is_of_two_classes(seed: int) -> None:
    engines, draws = fleet(seed)
    batch = np.random.default_rng(seed).random(draws.requests) < 0.5
    alike(beside(engines, seed), replace(draws, batch=batch))


def test_the_fleets_move_and_leap() -> None:
    """The comparison above means something only if sequences are moved, and if some steps are skipped."""
    moved = 0
    for seed in range(12):
        engines, draws = fleet(seed)
        pools = finished(beside(engines, seed), draws).pools
        moved += int(pools["put"].sum() + pools["brought"].sum())
    assert moved > 1_000


@pytest.mark.parametrize("way", WAYS)
def test_what_comes_back_goes_on_where_it_was(way: str) -> None:
    """As in the test of preemption: four blocks for two sequences that grow to three each, so that the later leaves."""
    move = 0.003
    given = requests((16, 20), (16, 20), arrivals=[0.0, 1e-6])
    found = story(way, [engine(blocks=4, beside=2, move=move)], given)
    at = [0.0, W + H * 16 + P * 16]  # a's prompt
    at.append(at[-1] + W + H * (17 + 16) + P * 16)  # a decodes, b's prompt: its first token
    at += [0.0] * 22
    for step in range(3, 18):  # both decode; a has 17 + step - 2 tokens in the cache, b one fewer
        at[step] = at[step - 1] + W + H * (15 + step + 14 + step)
    for step in range(18, 21):  # a's 33rd token needs a third block: b leaves, with 31 tokens cached in two blocks
        at[step] = at[step - 1] + W + H * (15 + step) + 2 * move * (step == 18)
    for step in range(21, 25):  # a is done: b is back, and its 17th token is the next
        at[step] = at[step - 1] + W + H * (11 + step) + 2 * move * (step == 21)
    assert found.preempted == 1
    assert found.first == close(at[1], at[2])
    assert found.finish == close(at[20], at[24])
    assert found.prompted in (None, 16 + 16)


@pytest.mark.parametrize("way", WAYS)
def test_without_room_all_is_computed_again(way: str) -> None:
    given = requests((16, 20), (16, 20), arrivals=[0.0, 1e-6])
    plain, full = (story(way, [engine(blocks=4, beside=blocks, move=1.0)], given) for blocks in (0, 1))
    assert full == plain


def test_a_faster_link_never_serves_later() -> None:
    given = requests(*[(16, 20)] * 6, arrivals=[1e-6 * place for place in range(6)])
    last = [max(story("steps", [engine(blocks=6, beside=100, move=move)], given).finish) for move in (1e-6, 1e-4, 1e-2)]
    assert last == sorted(last)


def test_blocks_and_seconds_are_those_of_all_gpus_of_a_replica() -> None:
    gpu, model = catalog.gpu("h100"), catalog.model("llama-3.1-70b")
    profile = build_profile(gpu, model, dtype="bf16", tp=8)
    own = pool("all")
    found = with_offload(engine(), "100GB@25GB/s", own, profile)
    block = 16 * profile.kv_bytes_per_token  # 80 layers, 8 heads of 128 numbers, K and V, two bytes each
    assert block == 16 * 80 * 8 * 128 * 2 * 2
    assert found.beside == 800e9 // block
    assert found.move == pytest.approx(block / 200e9)
    assert with_offload(engine(), "", own, None) == engine()


@pytest.mark.parametrize(
    ("said", "changes", "what"),
    [
        ("0.000001GB@25GB/s", {}, "holds not one block of 16 tokens"),
        ("100GB@25GB/s", {"pp": 2}, "several batches"),
    ],
)
def test_what_cannot_be_is_refused(said: str, changes: dict[str, Any], what: str) -> None:
    profile = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="bf16", tp=8)
    with pytest.raises(InputError, match=what):
        with_offload(engine(), said, replace(pool("all"), **changes), profile)


@pytest.mark.parametrize(("kept", "tokens"), [(0, 16), (64, 64)])
def test_a_memory_without_room_for_one_block_is_told_how_much_that_takes(kept: int, tokens: int) -> None:
    """A block's bytes on each of eight GPUs: 80 layers, 8 heads of 128 numbers, K and V, two bytes each."""
    profile = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="bf16", tp=8)
    with pytest.raises(InputError, match=f"not one block of {tokens} tokens") as raised:
        with_offload(engine(), "0.000001GB@25GB/s", pool("all"), profile, kept)
    number, unit, words = str(raised.value.accepted).partition("GB")
    assert (unit, words) == ("GB", " or more for each GPU")
    assert float(number) * 1e9 == pytest.approx(tokens * 80 * 8 * 128 * 2 * 2 / 8, rel=1e-3)
    assert with_offload(engine(), f"{number}GB@25GB/s", pool("all"), profile, kept) != engine(), "which is taken"


def short_of_blocks() -> State:
    """Return a run of two replicas that move out what is preempted, stopped while some of it is out."""
    rng = np.random.default_rng(8)
    lengths = [(int(prompt), int(output)) for prompt, output in rng.integers(20, 60, (80, 2))]
    arrivals = np.cumsum(rng.exponential(0.02, 80)).tolist()
    state = prepare(
        [engine(blocks=14, replicas=2, places=6, beside=30, move=1e-5)], requests(*lengths, arrivals=arrivals)
    )
    kernel.run(state, 0, 40, True)
    conservation.check(state, [14])
    return state


def find_room_for_more_than_there_is(state: State) -> None:
    state.pools["beside"] = state.replicas["away"].max() - 1


def move_one_more_block_out(state: State) -> None:
    state.replicas["away"][1] += 1


def bring_one_back_uncounted(state: State) -> None:
    state.requests["away"][np.flatnonzero(state.requests["away"])[0]] = False


def make_one_longer_while_it_is_out(state: State) -> None:
    state.requests["generated"][np.flatnonzero(state.requests["away"])[0]] += 16


OUT: dict[Callable[[State], None], str] = {
    find_room_for_more_than_there_is: "more blocks are out than there is room for",
    move_one_more_block_out: "blocks are out, of",
    bring_one_back_uncounted: "blocks are out, of",
    make_one_longer_while_it_is_out: "blocks are out, of",
}


@pytest.mark.parametrize("spoil", OUT, ids=lambda spoil: spoil.__name__)
def test_what_is_moved_out_is_held_to_its_room_and_to_those_that_wait(spoil: Callable[[State], None]) -> None:
    state = short_of_blocks()
    assert (state.replicas["away"] > 1).any()
    spoil(state)
    with pytest.raises(AssertionError, match=OUT[spoil]):
        conservation.check(state, [14])
