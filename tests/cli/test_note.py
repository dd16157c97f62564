import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.usefixtures("handle")


def test_a_note_is_kept_and_taken_away(run: Run, handle: str) -> None:
    assert run("note", "chat", "as agreed") == (0, f"plan {handle} has its note\n", "")
    assert json.loads(run("list", "--json")[1])["plans"][0]["note"] == "as agreed"
    assert json.loads(run("note", "chat", "", "--json")[1])["plan"]["note"] == ""
    assert run("note", "chat", "")[1] == f"plan {handle} has no note\n"


def test_a_plan_that_is_not_there_takes_no_note(run: Run, refused: Callable[..., str]) -> None:
    assert "no plan matches" in refused(run("note", "nobody", "x"))
    assert "too long" in refused(run("note", "chat", "x" * 2001))
