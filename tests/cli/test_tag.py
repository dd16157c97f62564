import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.usefixtures("handle")


def test_a_tag_is_set_found_and_taken_away(run: Run, handle: str) -> None:
    assert run("tag", "chat", "prod") == (0, f"plan {handle} is tagged prod\n", "")
    assert json.loads(run("tag", "chat", "freeze", "--json")[1])["plan"]["tags"] == ["freeze", "prod"]
    assert len(json.loads(run("list", "tag:prod", "--json")[1])["plans"]) == 1
    run("tag", "chat", "prod", "--remove")
    assert run("tag", "chat", "freeze", "--remove")[1] == f"plan {handle} has no tags\n"


def test_what_is_no_tag_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "one word" in refused(run("tag", "chat", "two words"))
    assert "it has no tags" in refused(run("tag", "chat", "prod", "--remove"))
