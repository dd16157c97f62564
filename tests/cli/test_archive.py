import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.usefixtures("handle")


def test_a_plan_is_put_away_and_back(run: Run, handle: str) -> None:
    assert run("archive", "last") == (0, f"plan {handle} is archived; to undo: fleettui archive {handle} --undo\n", "")
    assert json.loads(run("list", "--json")[1])["plans"] == []
    assert json.loads(run("list", "--archived", "--json")[1])["plans"][0]["archived"] is True
    assert run("archive", handle, "--undo") == (0, f"plan {handle} is in the list\n", "")
    assert json.loads(run("archive", "last", "--json")[1])["plan"]["archived"] is True


def test_where_none_is_left_last_is_refused(run: Run, refused: Callable[..., str]) -> None:
    run("archive", "last")
    assert "no plan matches" in refused(run("archive", "last"))
