"""Two front ends, one program: every use case is a command, is found in the app, and says the same in both."""

import re
from collections.abc import Iterator

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from fleettui.cli import main
from fleettui.planning.use_cases import UseCase, use_cases
from fleettui.tui import keys, tabs
from fleettui.tui.app import FleetApp
from fleettui.tui.keys import Shortcut
from fleettui.tui.modals.page import Page
from fleettui.tui.palette_commands import ENTRIES, KEYED
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui import driving
from tests.tui.driving import driven, until
from tests.tui.frames import frame

WIDE = (200, 50)
"""A screen on which nothing need be cut."""
PAGE = (84, 50)
"""A screen whose pages are as wide as what the command line prints into a pipe."""
NO_VIEW = {"open", "serve", "doctor", "config show", "config path", "config completion"}
"""Use cases that belong to no view: they lead to one, or look at the program itself."""
PAGES = ("gpu list", "model list", "engine list", "profile list", "workload list", "config show")
LISTS = (("list", "plans"), ("jobs list", "jobs"))
HANDLE = re.compile(r"[0-9a-f]{4,}")


@pytest.mark.parametrize("case", use_cases(), ids=lambda case: case.name)
def test_a_use_case_is_a_command_with_help(case: UseCase, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*case.name.split(), "--help"]) == 0
    assert f"Usage: fleettui {case.name}" in capsys.readouterr().out
    above = case.name.split()[:-1]
    assert main([*above, "--help"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert f" {case.name.split()[-1]} {case.help}" in listed


@pytest.mark.parametrize("case", use_cases(), ids=lambda case: case.name)
def test_a_use_case_is_found_in_the_app_and_belongs_to_a_view(case: UseCase) -> None:
    assert (case.view is None) == (case.name in NO_VIEW)
    if case.name in ENTRIES:
        assert ENTRIES[case.name][0] == case.help
    if case.name not in KEYED:
        assert case.name in ENTRIES
        return
    key = key_of(KEYED[case.name])
    assert key.help
    assert case.view is None or key in (*keys.VIEW_KEYS, *keys.keys_of(tabs.named(case.view).name))


def key_of(verb: str) -> Shortcut:
    return next(key for key in (*keys.VIEW_KEYS, *keys.KEYS) if key.verb == verb)


@pytest.fixture
def app(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FleetApp]:
    """The app over a store with plans and jobs, which the command line reads too."""
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "fleettui.db"))
    monkeypatch.setenv("FLEETTUI_STATE", str(tmp_path / "state"))
    with Store.open(tmp_path / "fleettui.db") as store:
        samples.add(store)
        samples.prove(store)
        samples.add(store, samples.infeasible("too dear"))
    made = driving.new()
    yield made
    driving.close(made)


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines that a command prints."""
    capsys.readouterr()
    assert main(command.split()) == 0
    return capsys.readouterr().out.rstrip().split("\n")


async def page(pilot: Pilot[int], name: str) -> list[str]:
    """Return the lines of the page of a use case."""
    app = pilot.app
    assert isinstance(app, FleetApp)
    app.do(lambda: ENTRIES[name][1](app))
    await until(pilot, lambda: isinstance(app.screen, Page) and app.screen.query("#page-text"))
    text = str(app.screen.query_one("#page-text", Static).content)
    await pilot.press("escape")
    return text.split("\n")


async def test_pages_are_what_the_command_line_prints(app: FleetApp, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {name: printed(name, capsys) for name in PAGES}
    async with driven(app, PAGE) as pilot:
        for name in PAGES:
            assert len(rows[name]) > 1
            assert await page(pilot, name) == rows[name]


@pytest.mark.parametrize(("command", "view"), few(LISTS, 1))
async def test_lists_hold_the_rows_that_the_command_line_prints(
    app: FleetApp, capsys: pytest.CaptureFixture[str], command: str, view: str
) -> None:
    rows = [row for line in printed(command, capsys) if HANDLE.fullmatch((row := cells(line))[0])]
    assert rows
    async with driven(app, WIDE) as pilot:
        app.action_do(f"view_{view}")
        await until(pilot, lambda: all(line_of(app, row[0]) for row in rows))
        await until(pilot, lambda: all(cell in frame(app) for row in rows for cell in row))


def line_of(app: FleetApp, handle: str) -> str:
    """Return the line of the list whose handle that is, which only signs stand before."""
    return next((line for line in driving.lines(app)[2:] if handle in line.split()[:3]), "")


def cells(line: str) -> tuple[str, ...]:
    """Return the cells of a printed row."""
    return tuple(re.split(r" {2,}", line.strip()))
