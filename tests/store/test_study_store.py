"""The store's part for studies shares its file, its threads and its refusals with the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleettui.errors import StoreReadOnlyError
from store import Store
from tests.store import samples


def test_a_store_that_is_only_read_shows_studies_and_refuses_new_ones(file: Path, store: Store) -> None:
    stored = store.add_study(samples.study())
    with Store.open(file, read_only=True) as reader:
        assert reader.studies() == [stored]
        assert reader.kept(stored.handle) == ("study", stored.id)
        with pytest.raises(StoreReadOnlyError):
            reader.add_study(samples.study())
    assert store.count_studies() == 1


def test_a_study_leaves_its_plan_as_it_was(store: Store) -> None:
    samples.add(store)
    row, answer = store.row("last"), store.plan("last")
    store.add_study(samples.study("last"))
    assert (store.row("last"), store.plan("last")) == (row, answer)
