"""A fleet's pools join, and count their GPUs."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.errors import InputError

POOL = Pool(
    name="short",
    gpu="h100",
    model="llama-3.1-70b",
    dtype="bf16",
    tp=4,
    replicas=3,
    context=4096,
    concurrency=200,
    max_num_seqs=256,
    token_budget=2048,
    above=0,
    up_to=4096,
    profile=PoolProfile(base_step_time=0.01, time_per_context_token=1e-8, time_per_prompt_token=3e-5, kv_blocks=9000),
)


def test_gpus_are_replicas_times_parallelism() -> None:
    long = replace(POOL, name="long", above=4096, up_to=8192, replicas=1, tp=8)
    assert Fleet(pools=(POOL, long)).gpus == 3 * 4 + 8


def test_a_gap_between_pools_is_refused() -> None:
    with pytest.raises(InputError, match="do not join"):
        Fleet(pools=(POOL, replace(POOL, name="long", above=5000, up_to=8192)))
    with pytest.raises(InputError, match="at least one pool"):
        Fleet(pools=())


@pytest.mark.parametrize("field", ["replicas", "tp", "concurrency", "context"])
def test_counts_are_positive(field: str) -> None:
    broken: dict[str, Any] = {field: 0}
    with pytest.raises(InputError, match=field):
        replace(POOL, **broken)


def test_a_range_without_length_is_refused() -> None:
    with pytest.raises(InputError, match="serves no length"):
        replace(POOL, above=4096)


@pytest.mark.parametrize("size", [0, 3, 24, 128])
def test_a_block_has_a_power_of_two_of_tokens(size: int) -> None:
    with pytest.raises(InputError, match=r"blocks cannot have so many tokens .*\n.*a power of two from 1 to 64"):
        replace(POOL.profile, block_size=size)
    assert [replace(POOL.profile, block_size=one).block_size for one in (1, 16, 32, 64)] == [1, 16, 32, 64]
