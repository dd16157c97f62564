import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.usefixtures("handle")


def test_a_plan_is_named_and_found_by_its_name(run: Run, handle: str) -> None:
    assert run("name", "last", "summer") == (0, f'plan {handle} is called "summer"\n', "")
    named = json.loads(run("name", "summer", "autumn", "--json")[1])
    assert (named["command"], named["plan"]["handle"], named["plan"]["name"]) == ("name", handle, "autumn")
    assert run("name", handle, "")[1] == f"plan {handle} has no name\n"


@pytest.mark.parametrize("text", ["last", "two\nlines", "x" * 81])
def test_what_is_no_name_is_refused(run: Run, refused: Callable[..., str], text: str) -> None:
    assert "name" in refused(run("name", "chat", text))
