"""Rows are inserted by their columns' names, however they stand in a row, and a wrong one is refused."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from store import Store
from store.insertion import Insertion
from store.tables import EXCLUDED
from tests.store import samples


def test_values_go_by_name_and_their_kinds_are_held(store: Store) -> None:
    plan = samples.add(store).plan.id
    row = {"count": 3, "reason": "'; --", "topology": "h100 tp8", "position": 9, "plan": plan}
    with store._writing() as connection:
        Insertion(EXCLUDED)(connection, iter([row, row | {"position": 10}]))
    assert [one.count for one in store.plan(plan).excluded[-2:]] == [3, 3]
    assert store.plan(plan).excluded[-1].reason == "'; --"
    for wrong, error in ((row | {"position": 11, "count": "many"}, IntegrityError), ({"plan": plan}, KeyError)):
        with pytest.raises(error), store._writing() as connection:
            Insertion(EXCLUDED)(connection, [wrong])
