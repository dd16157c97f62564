import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("kept")
def test_show_prints_what_plan_printed(run: Run) -> None:
    code, out, err = run("show", "9f3c")
    assert (code, err) == (0, "")
    assert "PASS by formula   48 H100   $142/h" in out
    assert json.loads(run("show", "--json")[1])["command"] == "show"


@pytest.mark.usefixtures("kept")
def test_a_plan_that_is_not_finished_says_so(run: Run) -> None:
    assert run("show", "9f3d")[2] == "this plan is not finished; fleettui jobs shows how to go on with it\n"


def test_an_unknown_plan_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("show", "nosuch"))
