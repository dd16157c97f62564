"""Range tables against direct counting."""

import numpy as np

from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import RangeTable

ATOMS = ((3.0, 100.0, 5.0), (1.0, 2500.0, 1.0), (2.0, 40.0, 300.0), (5.0, 1030.0, 64.0))


def test_ranges_are_open_below_and_closed_above() -> None:
    table = RangeTable.of(RequestTable.of(ATOMS, chunk=512), [0, 0, 105, 5000], [5000, 105, 5000, 6000])
    assert table.moments.share[:3].tolist() == [1.0, 3.0 / 11.0, 8.0 / 11.0]
    assert table.occupied.tolist() == [True, True, True, False]
    assert table.longest.tolist() == [2501.0, 105.0, 2501.0, 0.0]


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
