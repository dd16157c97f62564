"""Range tables against direct counting."""

import numpy as np
import pytest

from fleettui.domain.speculation import NO_DRAFTS, speculation
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import RISING, TAIL, RangeTable, output_tokens

ATOMS = ((3.0, 100.0, 5.0), (1.0, 2500.0, 1.0), (2.0, 40.0, 300.0), (5.0, 1030.0, 64.0))


def test_ranges_are_open_below_and_closed_above() -> None:
    table = RangeTable.of(RequestTable.of(ATOMS, chunk=512), [0, 0, 105, 5000], [5000, 105, 5000, 6000])
    assert table.moments.share[:3].tolist() == [1.0, 3.0 / 11.0, 8.0 / 11.0]
    assert table.occupied.tolist() == [True, True, True, False]
    assert table.longest.tolist() == [2501.0, 105.0, 2501.0, 0.0]


def test_features_are_what_a_delay_is_linear_in() -> None:
    """Prefill steps, uncached tokens, 1, prefill context, pairs, squares; later tokens, these × own mean context."""
    requests = RequestTable.of(((1.0, 100.0, 5.0), (1.0, 512.0, 1.0), (1.0, 1030.0, 64.0)), chunk=512, prefix_hit=0.0)
    found = RangeTable.of(requests, [0], [5000]).features.T
    later = 63 * 1030 + 63 * 64 / 2
    rows = [
        [1, 100, 1, 100, 5000, 100**2, 4, 4 * (100 + 4 * 100 + 4 * 5 / 2) / 5],
        [1, 512, 1, 512, 512**2 / 2, 512**2, 0, 0],
        [3, 1030, 1, 512 + 1024 + 1030, 1030**2 / 2, 2 * 512**2 + 6**2, 63, 63 * (512 + 1024 + 1030 + later) / 66],
    ]
    np.testing.assert_allclose(found, np.array(rows, float))
    cached = RequestTable.of(((1.0, 1030.0, 2.0),), chunk=512, prefix_hit=0.5)
    own = [2, 515, 1, 515 + 512 + 1030, 515 * (515 + 515 / 2), 512**2 + 3**2, 1, (515 + 512 + 1030 + 1031) / 3]
    np.testing.assert_allclose(RangeTable.of(cached, [0], [5000]).features.T, [own])


def test_rising_features_are_in_the_order_of_the_prompt() -> None:
    requests = RequestTable.of(ATOMS, chunk=512)
    table = RangeTable.of(requests, [0], [5000])
    by_prompt = table.features[:, np.argsort(requests.uncached)]
    assert table.rising.tolist() == by_prompt[:RISING].tolist()
    assert np.all(np.diff(by_prompt, axis=1) >= 0, axis=1).tolist() == [*[True] * RISING, False, False]
    assert len(table.rising) == 6
    own = RangeTable.of_parts(
        [np.array([(0.5, 30.0, 1.0), (0.1, 10.0, 2.0)]), np.array([(0.4, 20.0, 3.0)])],
        requests.moments([0, 1], [1, 2]),
        chunk=512,
        prefix_hit=0.0,
    )
    assert own.rising[1].tolist() == [10.0, 30.0, 20.0]
    assert own.total.tolist() == [31.0, 12.0, 23.0]
    assert (own.first.tolist(), own.last.tolist()) == ([0, 2], [2, 3])
    assert own.above_prompt.tolist() == [1.0, 0.9, 0.4, 0.0]
    assert own.longest.tolist() == [31.0, 23.0]


def test_share_above_each_prompt_is_counted_within_the_range() -> None:
    requests = RequestTable.of(ATOMS, chunk=512)
    table = RangeTable.of(requests, [0, 105], [5000, 5000])
    prompts = np.sort(requests.uncached)
    for row, (above, up_to) in enumerate(((0, 5000), (105, 5000))):
        inside = (requests.total > above) & (requests.total <= up_to)
        for j, prompt in enumerate(prompts):
            expected = requests.weight[inside & (requests.uncached >= prompt)].sum() / requests.weight[inside].sum()
            assert np.isclose(table.above_prompt[row, j], expected)
        assert table.above_prompt[row, -1] == 0.0


def test_ranges_with_atoms_of_their_own_count_alike() -> None:
    requests = RequestTable.of(ATOMS, chunk=512)
    shared = RangeTable.of(requests, [0, 105, 0], [5000, 5000, 1500])
    rows = np.stack([requests.weight, requests.prompt, requests.output], axis=1)
    parts = [rows[low:high] for low, high in zip(shared.first, shared.last, strict=True)]
    own = RangeTable.of_parts(parts, shared.moments, chunk=512, prefix_hit=0.0)
    for prompt in (1.0, 101.0, 1030.5, 9999.0):
        for row in range(3):
            one = np.array([row])
            (low,), (high,) = own.ends(one)
            place = low + np.searchsorted(own.rising[1, low:high], prompt)
            whole = np.searchsorted(shared.rising[1], prompt)
            seen, expected = own.share_from(one, np.array([place])), shared.share_from(one, np.array([whole]))
            np.testing.assert_allclose(seen, expected, atol=1e-12)


def test_a_part_of_the_requests_is_stood_for_by_its_middle_one() -> None:
    """Of 1,000 that have 1 to 1,000 later tokens, all alike often: the quantiles amid parts that begin at the fewest.
    Those with none do not count, nor does what is outside of the range.
    """
    atoms = [(1.0, 10.0, later + 1.0) for later in range(1, 1001)]
    table = RequestTable.of([*atoms, *[(7.0, 5.0, 1.0), (50.0, 4000.0, 9.0)]], chunk=512)
    found = RangeTable.of(table, [0, 0], [2000, 211]).inverse_steps
    ends = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0]
    middles = [(low + high) / 2.0 for low, high in zip([0.0, *ends], ends, strict=False)]
    for row, count in zip(found, (1000, 200), strict=True):
        assert 1.0 / row == pytest.approx([count * middle for middle in middles], abs=1.0)


def test_output_tokens_are_counted_by_the_steps_that_commit_them() -> None:
    """A request of n tokens after its first takes (n + beyond)/c steps, so that it has 1 - beyond + c·steps tokens."""
    for drafts in (NO_DRAFTS, speculation("mtp:3@70%")):
        table = RequestTable.of([(1.0, 100.0, output) for output in (2.0, 7.0, 300.0)], chunk=512, drafting=drafts)
        found = output_tokens(drafts) @ RangeTable.of(table, [0], [5000]).features
        assert found == pytest.approx([2.0, 7.0, 300.0])


def test_marks_are_where_each_share_of_the_longest_prompts_begins() -> None:
    """Of 11 requests those of 2,500 tokens are 1, those of 1,030 and more 6, of 100 and more 9; the last is 2,500."""
    requests = RequestTable.of(ATOMS, chunk=512)
    rows = np.stack([requests.weight, requests.prompt, requests.output], axis=1)
    shared = RangeTable.of(requests, [0, 0], [1500, 5000])
    own = RangeTable.of_parts([rows[:3], rows], shared.moments, chunk=512, prefix_hit=0.0)
    for table in (shared, own):
        for row, shares in enumerate(
            ({1030: 0.5, 100: 0.8, 40: 1.0}, {2500: 1 / 11, 1030: 6 / 11, 100: 9 / 11, 40: 1.0})
        ):
            prompts = table.rising[1, table.marks[row]].tolist()
            expected = [max(prompt for prompt, share in shares.items() if share >= wanted - 1e-12) for wanted in TAIL]
            assert prompts == [*expected, max(shares)]
