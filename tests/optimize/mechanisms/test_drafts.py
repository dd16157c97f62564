"""The gain of multi-token prediction by batch: no line, and gone where few drafts are accepted."""

from fleettui.optimize.mechanisms.drafts import BATCHES, gained, rows


def test_many_drafts_that_are_rarely_accepted_cost_more_than_they_bring() -> None:
    few, many = gained(1, 30), gained(15, 30)
    assert few[0] > 1.0
    assert max(many) < few[0]


def test_the_gain_is_no_line_in_the_batch() -> None:
    gain = gained(7, 70)
    slopes = [(b - a) / (y - x) for a, b, x, y in zip(gain, gain[1:], BATCHES, BATCHES[1:], strict=False)]
    assert gain[0] > 1.5
    assert gain[-1] < gain[0]
    assert max(abs(one) for one in slopes) > 10.0 * abs(slopes[-1])


def test_every_case_has_its_row_and_what_cannot_be_had_is_said() -> None:
    found = rows(1, lambda *_: None)
    assert sum(row.ours is not None for row in found) == 6 * len(BATCHES)
    assert [row.ours for row in found[-2:]] == [None, None]
