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


def test_what_is_exported_is_what_the_other_commands_print(run: Run, handle: str) -> None:
    assert run("export", handle, "--format", "json") == run("show", handle, "--json")
    assert run("export", handle, "--format", "md") == run("report", handle, "--format", "md")


def test_the_files_name_says_the_format(run: Run, handle: str, tmp_path: Path) -> None:
    for name, start in (("a.csv", "candidate,"), ("a.yml", "# A question"), ("a.svg", "<svg "), ("a.json", "{")):
        path = tmp_path / name
        assert run("export", handle, "-o", str(path)) == (0, "", f"written: {path}\n")
        assert path.read_text("utf-8").startswith(start)


def test_a_format_is_needed(run: Run, refused: Callable[..., str], handle: str) -> None:
    assert "md, csv, json, yaml, svg" in refused(run("export", handle))
    assert "md, csv, json, yaml, svg" in refused(run("export", handle, "--format", "pdf"))
