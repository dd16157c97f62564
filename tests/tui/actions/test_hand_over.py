"""Handing over through the keys: copied, written to a file that is new."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.reports.plan_text import plan_text
from fleettui.tui.actions import hand_over
from fleettui.tui.actions.hand_over import new
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from tests.tui.driving import driven, text_of, told, typed, until


def printed(app: FleetApp) -> str:
    assert app.desk.shown is not None
    return plan_text(app.desk.shown.answer, app.desk.shown.question)


async def test_a_copy_is_the_printed_plan_and_lies_in_a_file_too(app: FleetApp, tmp_path: Path) -> None:
    async with driven(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: told(app))
        assert told(app)[0].startswith("copied to ~/state/last-copy.txt")
        assert app.clipboard == printed(app)
        assert (tmp_path / "state" / "last-copy.txt").read_text() == printed(app)


async def test_what_is_written_is_the_same_and_nothing_is_written_over(app: FleetApp, tmp_path: Path) -> None:
    taken = tmp_path / "taken.txt"
    taken.write_text("mine")
    async with driven(app) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        await typed(pilot, str(taken))
        assert "x there is a file already" in text_of(app, "#prompt-help")
        await typed(pilot, "~/plan.txt")
        await until(pilot, lambda: told(app))
        assert told(app) == [f"written: {tmp_path / 'plan.txt'}"]
        assert (tmp_path / "plan.txt").read_text() == printed(app) + "\n"
    assert taken.read_text() == "mine"


async def test_a_file_that_cannot_be_written_is_told_as_what_it_is(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    async with driven(app) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        monkeypatch.setattr(Path, "replace", full_disk)
        await typed(pilot, "~/plan.txt")
        await until(pilot, lambda: told(app))
        assert "No space left on device" in told(app)[0]
        assert "bug" not in told(app)[0]


async def test_a_file_that_comes_after_the_look_is_not_written_over(
    app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "plan.txt"

    def looked(text: str) -> Path:
        free = new(text)
        if app.screen is app.base:
            taken.write_text("mine")
        return free

    monkeypatch.setattr(hand_over, "new", looked)
    async with driven(app) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        await typed(pilot, "~/plan.txt")
        await until(pilot, lambda: told(app))
        assert "File exists" in told(app)[0]
    assert taken.read_text() == "mine"


async def test_where_nothing_is_shown_there_is_nothing_to_hand_over(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with driven(app) as pilot:
        monkeypatch.setattr(type(app.view), "copied", lambda _: "")
        await pilot.press("y")
        await until(pilot, lambda: told(app))
        await pilot.press("w")
        await until(pilot, lambda: len(told(app)) == 2)
        assert told(app) == ["there is nothing here to copy", "there is nothing here to write"]


@pytest.mark.parametrize("text", ["", "  ", ".", "none/plan.txt", "a" * 300, "~nobody-of-that-name/x"])
def test_what_is_no_new_file_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        new(text)


def test_a_new_file_in_a_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert new(" plan.txt ") == Path("plan.txt")
    assert list(tmp_path.iterdir()) == []
