import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Keep one plan called chat and return its handle."""
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "plans.db"))
    with Store.open(tmp_path / "plans.db", clock=samples.clock(), entropy=lambda: 1) as store:
        return samples.add(store, samples.answer(1, name="chat")).plan.handle


def test_a_plan_is_named_and_found_by_its_name(run: Run, handle: str) -> None:
    assert run("name", "last", "summer") == (0, f'plan {handle} is called "summer"\n', "")
    named = json.loads(run("name", "summer", "autumn", "--json")[1])
    assert (named["command"], named["plan"]["handle"], named["plan"]["name"]) == ("name", handle, "autumn")
    assert run("name", handle, "")[1] == f"plan {handle} has no name\n"


@pytest.mark.parametrize("text", ["last", "two\nlines", "x" * 81])
def test_what_is_no_name_is_refused(run: Run, refused: Callable[..., str], text: str) -> None:
    assert "name" in refused(run("name", "chat", text))
