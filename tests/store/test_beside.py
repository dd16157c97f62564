"""A published store beside one's own."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleettui.domain.digest import said
from fleettui.domain.plan import Answer
from fleettui.errors import InputError, StoreError
from store import Store
from tests.store import samples


@pytest.fixture
def published(tmp_path: Path) -> tuple[Path, Answer]:
    """Return a colleague's published store with a plan that is proven, and one of a study."""
    with Store.open(tmp_path / "theirs.db", clock=samples.clock()) as theirs:
        plan = samples.prove(theirs)
        theirs.set_name(plan.plan.id, "theirs")
        theirs.add_study(samples.study(plan.plan.id))
        theirs.publish(tmp_path / "published.db")
    return tmp_path / "published.db", plan


@pytest.fixture
def both(published: tuple[Path, Answer], file: Path) -> Iterator[Store]:
    with Store.open(file, also=published[0]) as store:
        yield store


def test_its_plans_are_listed_read_and_named_beside_ones_own(both: Store, published: tuple[Path, Answer]) -> None:
    mine, theirs = samples.add(both, samples.answer(name="mine")), published[1]
    marked = f"@{theirs.plan.handle}"
    assert {row.handle for row in both.plans()} == {mine.plan.handle, marked}
    assert [row.handle for row in both.plans("theirs", sort="cost")] == [marked]
    assert both.count() == 2
    for ref in (marked, marked[:3], "theirs", theirs.plan.id):
        found = both.plan(ref)
        assert (found.plan.handle, found.plan.name) == (marked, "theirs")
        assert [one.candidate for one in found.candidates] == [one.candidate for one in theirs.candidates]
    assert [one.candidate for one in both.candidates(marked, order="cost_per_hour", limit=2, offset=1)] == [
        one.candidate for one in theirs.candidates[1:3]
    ]
    assert both.replications(theirs.candidates[0].candidate, 7, histograms=True)
    assert both.question(marked) == both.question(theirs.plan.id)
    assert both.kept(both.studies(plan=marked)[0].handle)[0] == "study"
    assert both.plan("last").plan.id == mine.plan.id


def test_what_is_made_of_its_plan_takes_that_in_first(both: Store, published: tuple[Path, Answer]) -> None:
    theirs = published[1]
    before = published[0].read_bytes()
    with Store.open(both.path) as alone:
        assert alone.count() == 0
    fork = samples.add(both, samples.answer(name="mine"), parent=f"@{theirs.plan.handle}")
    assert both.row(fork.plan.id).parent == theirs.plan.id
    with Store.open(both.path) as alone:
        assert {row.id for row in alone.plans()} == {fork.plan.id, theirs.plan.id}
        assert said(alone.plan(theirs.plan.id).candidates) == said(theirs.candidates)
    assert {row.handle for row in both.plans()} == {fork.plan.handle, both.row(theirs.plan.id).handle}
    assert both.set_name("theirs", "ours now").name == "ours now"
    assert published[0].read_bytes() == before


def test_what_cannot_be_read_beside_is_refused(tmp_path: Path, file: Path) -> None:
    for name, text, why in (("none.db", None, "no store|cannot"), ("text.db", "no database at all", "not a|no store")):
        if text is not None:
            (tmp_path / name).write_text(text)
        with pytest.raises(StoreError, match=why):
            Store.open(file, also=tmp_path / name)


def test_a_store_beside_stays_as_it_is(both: Store, published: tuple[Path, Answer]) -> None:
    assert stat.S_IMODE(published[0].stat().st_mode) == 0o444
    with pytest.raises(InputError, match="no plan matches"):
        both.plan("@ffffffff")
