"""The family of a kept plan, from the store: parents from the first on, itself, its children, what changed."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from fleettui.domain.new_plan import NewPlan
from fleettui.errors import InputError
from fleettui.planning import ancestry as module
from fleettui.planning.ancestry import family
from store import Store
from tests.store import samples


def test_parents_and_children_with_what_changed(store: Store) -> None:
    first = samples.add(store, samples.at(71.1, "first"))
    given = samples.inputs("second", "chat")
    given["scenario"] = replace(given["scenario"], question=replace(given["scenario"].question, seed=8))
    second = store.add_plan(NewPlan(answer=samples.at(78.0, "second"), **given), parent=first.plan.id)
    children = [samples.add(store, samples.at(80.0 + n, f"child {n}"), parent=second.plan.id) for n in range(2)]
    samples.add(store, samples.at(99.0, "a stranger"))
    found = family(store, "second")
    assert [one.row.handle for one in found.relatives] == [
        *(one.plan.handle for one in (first, second, *children)),
    ]
    assert [one.depth for one in found.relatives] == [0, 1, 2, 2]
    assert found.relatives[1].changes == ("seed: 7 -> 8",)
    assert found.relatives[0].before is None
    assert found.plan == second.plan.id
    assert not found.earlier
    assert not found.more
    assert family(store, "a stranger").alone


def test_a_long_family_is_cut_at_both_ends(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PARENTS", 2)
    monkeypatch.setattr(module, "CHILDREN", 1)
    parent = ""
    chain = []
    for number in range(4):
        chain.append(samples.add(store, samples.at(71.0, f"step {number}"), parent=parent).plan)
        parent = chain[-1].id
    children = [samples.add(store, samples.at(71.0, f"child {n}"), parent=parent).plan for n in range(2)]
    found = family(store, parent)
    assert [one.row.id for one in found.relatives] == [*(plan.id for plan in chain[1:]), children[0].id]
    assert (found.earlier, found.more) == (True, True)


def test_what_a_large_family_shares_is_read_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list's cursor that rests on a plan with many what-ifs waits for this."""
    first = samples.add(store, samples.at(71.1, "first"))
    for number in range(module.CHILDREN):
        samples.add(store, samples.at(72.0 + number, f"child {number}"), parent=first.plan.id)
    read: Counter[str] = Counter()
    for name in ("scenario", "profile"):
        monkeypatch.setattr(store, name, partial(counted, read, getattr(store, name)))
    assert len(family(store, first.plan.id).relatives) == 1 + module.CHILDREN
    assert set(read.values()) == {1}


def counted(read: Counter[str], look: Callable[[str], object], key: str) -> object:
    read[key] += 1
    return look(key)


def test_there_is_no_family_of_no_plan(store: Store) -> None:
    with pytest.raises(InputError):
        family(store, "nobody")
