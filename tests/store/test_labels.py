"""Names and tags are short, and never read as something else."""

from __future__ import annotations

import pytest

from fleettui.errors import InputError
from store import Store
from tests.store import samples


@pytest.mark.parametrize("name", ["last", "last~2", "two\nlines", "x" * 81, " padded "])
def test_a_bad_name_is_refused_and_changes_nothing(store: Store, name: str) -> None:
    samples.add(store)
    with pytest.raises(InputError):
        store.set_name("last", name)
    assert store.row("last").name == "chat in may"
    with pytest.raises(InputError):
        samples.add(store, samples.answer(1, name=name))
    assert store.count() == 1


@pytest.mark.parametrize("tag", ["", "two words", "x" * 41, "a\tb"])
def test_a_bad_tag_is_refused(store: Store, tag: str) -> None:
    samples.add(store)
    with pytest.raises(InputError, match="not a tag"):
        store.add_tag("last", tag)
    assert store.row("last").tags == ()


def test_a_tag_that_is_not_there_cannot_be_taken_away(store: Store) -> None:
    samples.add(store)
    with pytest.raises(InputError, match="it has no tags"):
        store.remove_tag("last", "prod")


def test_a_note_has_an_end(store: Store) -> None:
    samples.add(store)
    with pytest.raises(InputError, match="too long"):
        store.set_note("last", "x" * 2001)


def test_each_label_tells_the_plan_as_it_is_then_whatever_it_was_called(store: Store) -> None:
    samples.add(store, samples.answer(1, name="old"))
    assert store.set_name("old", "new").name == "new"
    assert store.set_note("new", "as agreed").note == "as agreed"
    assert (store.add_tag("new", "prod").tags, store.remove_tag("new", "prod").tags) == (("prod",), ())
    samples.add(store, samples.answer(1, name="newest"))
    row = store.archive("last")
    assert (row.name, row.archived, store.row("last").name) == ("newest", True, "new")
    assert store.archive("newest", archived=False) == store.row("last")


def test_a_note_is_text_that_moves_no_cursor(store: Store) -> None:
    plan = samples.add(store).plan.handle
    assert store.set_note(plan, "two\nlines\t✓").note == "two\nlines\t✓"
    for wrong in ("a\x1b[2J", "a\udc9b"):
        with pytest.raises(InputError, match="not a note"):
            store.set_note(plan, wrong)
