import inspect

import pytest

from fleettui.errors import UnknownNameError
from fleettui.planning.tasks import TASKS, find


@pytest.mark.parametrize("name", TASKS)
def test_every_name_leads_to_a_task(name: str) -> None:
    assert list(inspect.signature(find(name)).parameters) == ["payload", "context"]


def test_names_are_sorted() -> None:
    assert list(TASKS) == sorted(TASKS)


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match="workload-show"):
        find("pla")
