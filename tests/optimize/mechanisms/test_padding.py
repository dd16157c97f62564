"""Padding to graph bins beside what is printed of it."""

from fleettui.optimize.mechanisms.padding import BATCHES, EVERY_EIGHT, POWERS, rows, spread


def test_every_printed_inflation_is_a_rise_within_what_powers_of_two_give() -> None:
    found = [row for row in rows(1, lambda *_: None) if row.printed is not None]
    assert len(found) == 14
    assert all(row.shown == "higher" and (row.printed or 0.0) > 0.0 for row in found)
    table_2 = [row for row in found if row.name.startswith("T2")]
    assert [row.note.split()[0] for row in table_2].count("within") >= 7


def test_bins_by_eight_pad_less_than_powers_of_two_where_batches_are_large() -> None:
    every, powers = spread(EVERY_EIGHT), spread(POWERS)
    assert (every.value or 0.0) < (powers.value or 0.0)
    assert BATCHES[0] == 2.0


def test_what_is_not_ours_is_said() -> None:
    last = rows(1, lambda *_: None)[-1]
    assert last.ours is None
    assert "unpublished" in last.note
