import pytest

from fleettui.optimize.published.by_paper import ByPaper
from fleettui.optimize.published.recommended import Recommended
from fleettui.planning.tasks.published import methods


@pytest.fixture(scope="session")
def by_paper() -> ByPaper:
    """The papers' method over the distributions that are shipped."""
    return methods().paper


@pytest.fixture(scope="session")
def ours() -> Recommended:
    """Our method over the same."""
    return methods().ours
