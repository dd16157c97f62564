import subprocess
import sys
from collections.abc import Callable

import pytest
import typer

from fleettui.cli import root
from fleettui.errors import Interrupted, StoreBusyError, WorkerError
from fleettui.planning.studies import commands
from fleettui.planning.use_cases import command_helps, use_cases
from tests.repeated import few

HEAVY = (
    "textual",
    "numpy",
    "scipy",
    "numba",
    "sqlmodel",
    "sqlalchemy",
    "pydantic",
    "rich",
    "yaml",
    "fleettui.domain.plan",
    "fleettui.domain.workload",
    "fleettui.routing",
)


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    code = f"import sys, fleettui.cli; print(*sorted(set({(*HEAVY, 'fleettui.domain')!r}) & set(sys.modules)))"
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == ""


def test_help_loads_nothing_heavy_and_is_short() -> None:
    code = (
        "import sys, fleettui.cli; code = fleettui.cli.main(['--help']); "
        f"print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stderr.strip() == ""
    lines = found.stdout.splitlines()
    assert len(lines) <= 18 + len(command_helps())
    assert max(map(len, lines)) <= 80
    for name in command_helps():
        assert any(line.startswith(f"  {name} ") for line in lines)


@pytest.mark.parametrize("name", command_helps())
def test_every_command_helps_with_an_example(name: str, run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run(name, "--help")
    assert (code, err) == (0, "")
    assert "fleettui " in out
    assert f"  fleettui {name}" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_version(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("fleettui ")


def test_the_commands_stand_in_the_order_of_use_and_studies_after_what_they_name() -> None:
    wanted = (
        "plan simulate verify open serve show check rerun compare diff report export handoff import publish backup "
        "prune list note tag name archive jobs workload gpu model engine profile doctor config"
    )
    order = list(command_helps())
    assert " ".join(name for name in order if name not in commands()) == wanted
    for name, command in commands().items():
        assert order.index(command.after.split()[0]) < order.index(name)


@pytest.mark.parametrize("name", command_helps())
def test_a_command_and_its_parts_are_the_use_cases(name: str) -> None:
    command = typer.main.get_command(root.app).get_command(None, name)  # type: ignore[attr-defined]
    parts = getattr(command, "commands", None)
    cases = {case.name: case.help for case in use_cases() if case.command == name}
    if parts is None:
        assert cases == {name: command_helps()[name]}
    else:
        assert {f"{name} {part}": command.short_help for part, command in parts.items()} == cases


@pytest.mark.parametrize("arguments", [("-h",), ("plan", "-h"), ("jobs", "resume", "-h")])
def test_help_has_a_short_option(arguments: tuple[str, ...], run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert out == run(*arguments[:-1], "--help")[1]


def test_an_unknown_command_gets_the_nearest(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str]
) -> None:
    assert "did you mean plan?" in refused(run("pln"))
    assert "did you mean --rate?" in refused(run("plan", "--rat", "4"))
    assert "requires an argument" in refused(run("plan", "--rate"))
    assert "unexpected extra argument" in refused(run("plan", "a", "b"))
    assert 'in quotes: fleettui simulate "h100 tp8 x6"' in refused(
        run("simulate", "h100", "tp8", "x6", "azure-2023-conv")
    )
    assert "shows what is accepted" in refused(run("simulate", "h100", "tp8", "azure-2023-conv"))
    assert "no such option: --delta" in refused(run("plan", "--delta", "2"))
    assert "missing" in refused(run("gpu"))
    assert "no such option" in refused(run("--nonsense"))


def test_without_a_command_and_without_a_plan_it_says_what_to_type(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run()
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 3
    assert "fleettui plan azure-2023-conv" in out


@pytest.mark.usefixtures("kept")
def test_without_a_command_the_last_plan_and_the_hint(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run()
    assert code == 0
    assert "PASS by formula   48 H100" in out
    assert out.splitlines()[-1].startswith("fleettui plan --help")


def _failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr("fleettui.cli.show.show_last", fail)


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (StoreBusyError("another program writes"), 4, "another program writes"),
        (Interrupted("stopped"), 130, "stopped"),
    ],
)
def test_each_designed_error_has_its_exit_code(
    error: Exception,
    code: int,
    word: str,
    run: Callable[..., tuple[int, str, str]],
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _failing(monkeypatch, error)
    assert word in refused(run(), code)


def test_an_interrupt_is_130(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _failing(monkeypatch, KeyboardInterrupt())
    assert refused(run(), 130) == "fleettui: interrupted\n"


@pytest.mark.parametrize("arguments", [("whatif", "last", "--steps"), ("why",), ("pareto",), ("published",)])
def test_an_interrupt_of_what_is_kept_whole_says_so(
    run: Callable[..., tuple[int, str, str]],
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fleettui.cli.console.progress", stop)
    assert refused(run(*arguments), 130) == "fleettui: interrupted; nothing of it is kept\n"


@pytest.mark.usefixtures("asked")
def test_an_interrupt_at_work_says_how_to_go_on(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def make_plan(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fleettui.planning.make_plan.make_plan", make_plan)
    assert "fleettui jobs lists what can be resumed" in refused(run("plan", "azure-2023-conv", "--slo-ttft", "1s"), 130)


@pytest.mark.parametrize("error", [AssertionError("MFU 1.2"), WorkerError("the worker ended", "its last words")])
def test_a_bug_is_1_and_names_its_report(
    error: Exception,
    run: Callable[..., tuple[int, str, str]],
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    logs = tmp_path_factory.mktemp("logs")
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: logs)
    _failing(monkeypatch, error)
    message = refused(run(), 1)
    (report,) = logs.iterdir()
    assert str(report) in message
    text = report.read_text("utf-8")
    assert "Traceback" in text
    assert str(error) in text
    assert getattr(error, "details", "") in text


@pytest.mark.parametrize("arguments", few([["gpu", "list"], ["plan", "--help"], ["config", "show", "--json"]], 1))
def test_a_closed_pipe_is_quiet(arguments: list[str]) -> None:
    code = (
        "import os, sys; reader, writer = os.pipe(); os.close(reader); os.dup2(writer, 1); "
        f"from fleettui.cli import main; sys.exit(main({arguments!r}))"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stderr) == (0, "")
