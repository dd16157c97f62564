import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def handle() -> str:
    with Store.open() as store:
        return samples.add(store).plan.handle


def test_it_is_printed_as_text(run: Run, handle: str) -> None:
    code, out, err = run("report", handle)
    assert (code, err) == (0, "")
    assert out.startswith(f"Capacity plan {handle}: chat in may\nPASS ")
    assert max(map(len, out.splitlines())) <= 80
    assert run("report")[1] == out


def test_the_files_name_says_the_format(run: Run, handle: str, tmp_path: Path) -> None:
    for name, start in (("plan.html", "<!doctype html>"), ("plan.md", "# Capacity plan"), ("plan.txt", "Capacity")):
        path = tmp_path / name
        assert run("report", handle, "-o", str(path)) == (0, "", f"written: {path}\n")
        assert path.read_text("utf-8").startswith(start)
    assert run("report", handle, "-o", "-", "--format", "md")[1].startswith("# Capacity plan")


def test_no_file_is_written_over_unasked(run: Run, refused: Callable[..., str], handle: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    path.write_text("mine", "utf-8")
    assert "--force" in refused(run("report", handle, "-o", str(path)))
    assert path.read_text("utf-8") == "mine"
    assert run("report", handle, "-o", str(path), "--force")[0] == 0
    assert "html, md, text" in refused(run("report", handle, "-o", str(tmp_path / "plan.doc")))


def test_it_is_data_too(run: Run, handle: str) -> None:
    found = json.loads(run("report", handle, "--json")[1])
    assert (found["command"], found["report"]["verdict"]) == ("report", "pass")
    assert found["report"]["sections"][0]["title"] == "Question"


def test_an_earlier_plan_stands_beside_it(run: Run, refused: Callable[..., str], handle: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(run("show", handle, "--json")[1])
    with Store.open() as store:
        newer = samples.add(store, samples.at(80.0, "now")).plan.handle
    out = run("report", newer, "--against", str(plan))[1]
    assert "THEN AND NOW" in out
    assert "what each adds: fleettui diff" not in out.lower()
    assert run("report", newer, "--against", handle)[0] == 0
    assert "cannot be read" in refused(run("report", newer, "--against", "nosuch.json"))
