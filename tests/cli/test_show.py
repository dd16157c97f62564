import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("kept")
def test_show_prints_what_plan_printed(run: Run) -> None:
    code, out, err = run("show", "9f3c")
    assert (code, err) == (0, "")
    assert "PASS   48 H100   $142/h" in out
    assert json.loads(run("show", "--json")[1])["command"] == "show"


def test_an_unknown_plan_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("show", "nosuch"))
