from collections.abc import Iterator
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning.labels import archive_plan, name_plan, note_plan, tag_plan, untag_plan
from store import Store
from tests.store import samples


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "plans.db", clock=samples.clock(), entropy=lambda: 1) as opened:
        samples.add(opened, samples.answer(1, name="old"))
        yield opened


def test_each_label_is_set_taken_away_and_told(store: Store) -> None:
    assert name_plan(store, "old", "new").name == "new"
    assert note_plan(store, "new", "as agreed").note == "as agreed"
    assert tag_plan(store, "new", "prod").tags == ("prod",)
    assert untag_plan(store, "new", "prod").tags == ()
    assert (note_plan(store, "last", "").note, name_plan(store, "last", "").name) == ("", "")


def test_what_is_put_away_is_still_the_plan_that_is_told(store: Store) -> None:
    samples.add(store, samples.answer(1, name="newest"))
    row = archive_plan(store, "last")
    assert (row.name, row.archived, store.row("last").name) == ("newest", True, "old")
    assert archive_plan(store, "newest", archived=False) == store.row("last")


def test_a_plan_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(InputError):
        tag_plan(store, "nobody", "prod")
    with pytest.raises(InputError, match="it has no tags"):
        untag_plan(store, "old", "prod")
