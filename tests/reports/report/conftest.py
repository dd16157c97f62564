"""A kept plan of the store's samples, as the store gives it back."""

from pathlib import Path

import pytest

from fleettui.planning.report import kept_plan
from fleettui.reports.report.model import Kept
from store import Store
from tests.store import samples

NAME = "<b>chat</b> & talk"
"""A name that is markup where it is not escaped."""


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A plan by formula."""
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as store:
        return kept_plan(store, samples.add(store, samples.answer(name=NAME)).plan.id)


@pytest.fixture
def proved(tmp_path: Path) -> Kept:
    """A plan that was simulated: the cheaper of its two fleets failed."""
    with Store.open(tmp_path / "proved.db", clock=samples.clock()) as store:
        return kept_plan(store, samples.prove(store).plan.id)


@pytest.fixture
def infeasible(tmp_path: Path) -> Kept:
    """A plan that came to no fleet."""
    with Store.open(tmp_path / "none.db", clock=samples.clock()) as store:
        return kept_plan(store, samples.add(store, samples.infeasible("too dear")).plan.id)
