from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import main
from fleettui.domain.opening import Opening
from fleettui.errors import InputError
from fleettui.planning.settings import Setting, settings

Run = Callable[..., tuple[int, str, str]]


class Launcher:
    """Shows nothing, and remembers what it should have shown."""

    def __init__(self, result: int | str | Exception = 0) -> None:
        self.result = result
        self.shown: list[Opening] = []
        self.settings: tuple[Setting, ...] = ()

    def __call__(self, where: Opening, chosen: tuple[Setting, ...], /) -> int | str:
        self.shown.append(where)
        self.settings = chosen
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.fixture
def question(tmp_path: Path) -> str:
    """Return the path of a file that is called like a question."""
    path = tmp_path / "question.yaml"
    path.write_text("", "utf-8")
    return str(path)


def test_the_app_opens_there_with_the_settings(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_WORKERS", "3")
    launch = Launcher()
    assert [main(["open", what], launch) for what in ("41a7", "azure-2023-code", question)] == [0, 0, 0]
    assert launch.shown == [
        Opening(kind="plan", text="41a7"),
        Opening(kind="workload", text="azure-2023-code"),
        Opening(kind="question", text=question),
    ]
    assert launch.settings == settings()


@pytest.mark.parametrize("code", [0, 1, 130])
def test_its_exit_code_is_the_apps(code: int) -> None:
    assert main(["open", "last"], Launcher(code)) == code
    assert main([], Launcher(code)) == code


def test_alone_it_opens_at_the_last_plan(capsys: pytest.CaptureFixture[str]) -> None:
    launch = Launcher()
    assert main([], launch) == 0
    assert launch.shown == [Opening(kind="last")]
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("kept")
def test_alone_without_a_terminal_the_last_plan_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], Launcher("the output is not a terminal")) == 0
    captured = capsys.readouterr()
    assert "PASS by formula   48 H100" in captured.out
    assert captured.err == ""


def test_without_a_terminal_it_says_what_prints_instead(run: Run, refused: Callable[..., str], question: str) -> None:
    message = refused(run("open", "41a7"))
    assert "fleettui open: this needs a terminal: there is no terminal" in message
    assert "do: fleettui show 41a7 prints it" in message
    assert "do: fleettui workload show azure-2023-conv prints it" in refused(run("open", "azure-2023-conv"))
    assert f"do: fleettui plan -f {question} answers it" in refused(run("open", question))


def test_what_is_not_there_is_refused(
    run: Run, refused: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "there is no such file" in refused(run("open", "trace.csv"))
    assert "missing argument 'ID|FILE'" in refused(run("open"))
    launch = Launcher(InputError("there is no plan ffff", value="ffff"))
    capsys.readouterr()
    code = main(["open", "ffff"], launch)
    assert "there is no plan ffff" in refused((code, *capsys.readouterr()))


def test_a_broken_setting_is_refused_before_the_app_opens(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("model = \n", "utf-8")
    monkeypatch.setenv("FLEETTUI_CONFIG", str(file))
    launch = Launcher()
    assert "this is no TOML" in refused((main([], launch), *capsys.readouterr()))
    assert launch.shown == []
