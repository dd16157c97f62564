"""The registry of views: each is declared once, and whatever lists views reads it."""

import pytest

from fleettui.errors import UnknownNameError
from fleettui.tui import tabs
from fleettui.tui.tabs import DIGITS, VIEWS, Entry, registered


@pytest.mark.parametrize("entry", VIEWS, ids=lambda entry: entry.name)
def test_an_entry_says_what_fits_its_places(entry: Entry) -> None:
    assert tabs.named(entry.name) is entry
    assert len(entry.short) <= len(entry.title)
    assert entry.question.endswith("?")
    assert len(entry.question) <= 76
    verbs = entry.verbs.split()
    assert len(set(verbs)) == len(verbs)


def test_numbers_follow_the_order_and_the_tenth_key_is_0() -> None:
    entries = registered(*(Entry(title=f"V{n}", answers="", question="", verbs="") for n in range(12)))
    assert [entry.number for entry in entries] == [*range(1, 13)]
    assert [entry.key for entry in entries] == [*DIGITS, "", ""]
    assert (entries[3].label, entries[3].short) == ("4 V3", "V3")


def test_two_views_of_one_name_are_a_bug() -> None:
    with pytest.raises(AssertionError, match="share a name"):
        registered(VIEWS[0], VIEWS[0])


def test_an_unknown_view_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match=", ".join(sorted(entry.name for entry in VIEWS))):
        tabs.named("flet")
