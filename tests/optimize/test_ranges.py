"""Ranges, and how many sequences a replica runs at once in each."""

import numpy as np
import pytest

from fleettui.optimize.ranges import Demanded, Ranges, concurrency, service
from tests.optimize.samples import atoms, profile, question


def test_ranges_hold_everything_and_both_sides_of_each_split() -> None:
    ranges = Ranges.of((512, 4096, 99_999), 8192)
    assert list(zip(ranges.above.tolist(), ranges.up_to.tolist(), strict=True)) == [
        (0, 8192),
        (0, 512),
        (0, 4096),
        (512, 8192),
        (4096, 8192),
    ]
    assert ranges.splits.tolist() == [512, 4096]


def test_rows_of_more_pools_and_of_compression_come_after_the_simple_ones() -> None:
    ranges = Ranges.of((512, 1024, 4096), 8192, cuts=(0, 2), factors=(1.0, 1.5))
    assert ranges.simple == 7
    for factor, gamma in enumerate(ranges.factors):
        below, beyond, between = ranges.below(factor), ranges.beyond(factor), ranges.between(factor)
        assert ranges.up_to[below].tolist() == ranges.above[beyond].tolist() == [512, 1024, 4096]
        assert (ranges.above[below] == 0).all()
        assert (ranges.up_to[beyond] == 8192).all()
        assert (int(ranges.above[between[0, 1]]), int(ranges.up_to[between[0, 1]])) == (512, 4096)
        assert between[1, 0] == between[0, 0] == -1
        assert (ranges.gamma[[*below, *beyond, between[0, 1]]] == gamma).all()
    assert len(ranges.above) == 1 + 2 * 7
    assert Ranges.of((512, 1024), 8192, cuts=(0, 1)).of_fleet(0) == (1, 5, 4)


@pytest.mark.parametrize(("context", "slots"), [(2048, 512), (4096, 256), (8192, 128), (65_536, 16)])
def test_reserved_places_are_sized_for_the_whole_context(context: int, slots: int) -> None:
    """model.md §8: 65,536 blocks of 16 tokens, as on the papers' A100."""
    asked = question(admission="reserved", max_num_seqs=100_000, token_budget=100_000)
    ranges = Ranges.of((), context)
    demanded = Demanded.of(1.0, ((1.0, 100.0, 10.0),), ranges, chunk=2048, prefix_hit=0.0)
    assert concurrency(profile(blocks=65_536), demanded, ranges, asked).tolist() == [slots]


def test_paged_places_share_the_blocks_by_what_sequences_hold() -> None:
    asked, ranges = question(max_num_seqs=10_000, token_budget=20_000), Ranges.of((), 16_384)
    demanded = Demanded.of(1.0, ((1.0, 1000.0, 1.0),), ranges, chunk=2048, prefix_hit=0.0)
    held = 1000.0 + 8.0
    assert concurrency(profile(blocks=5000), demanded, ranges, asked)[0] == np.floor(0.98 * 16 * 5000 / held)
    assert concurrency(profile(blocks=5000), demanded, ranges, question())[0] == min(256, np.floor(78400 / held))


def test_a_request_beyond_the_cache_leaves_no_place() -> None:
    ranges = Ranges.of((500,), 16_384)
    lengths = ((1.0, 100.0, 10.0), (1.0, 10_000.0, 10.0))
    demanded = Demanded.of(1.0, lengths, ranges, chunk=2048, prefix_hit=0.0)
    assert concurrency(profile(blocks=300), demanded, ranges, question()).tolist()[::2] == [0.0, 0.0]
    assert concurrency(profile(blocks=300), demanded, ranges, question())[1] > 0


def test_an_empty_range_has_no_place() -> None:
    ranges = Ranges.of((50,), 16_384)
    demanded = Demanded.of(1.0, ((1.0, 100.0, 10.0),), ranges, chunk=2048, prefix_hit=0.0)
    assert concurrency(profile(), demanded, ranges, question())[1] == 0.0


def test_longer_prompts_cost_more_attention_per_token() -> None:
    ranges = Ranges.of((700,), 16_384)
    demanded = Demanded.of(1.0, atoms(1), ranges, chunk=2048, prefix_hit=0.0)
    rows = np.array([1, 2])
    offered = service(profile(), demanded, rows, np.array([64.0, 64.0]), question())
    assert offered.per_prompt[0] < offered.per_prompt[1]
    assert offered.base[0] == offered.base[1]
