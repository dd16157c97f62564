import asyncio
import logging
import sys
import time
from pathlib import Path

import pytest

from fleettui.errors import WorkerError
from fleettui.planning import worker_process
from fleettui.planning.protocol import PROTOCOL_VERSION, Hello, encode
from fleettui.planning.worker_process import WorkerProcess


def _script(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", text)


async def test_another_version_is_refused() -> None:
    hello = encode(Hello(version=PROTOCOL_VERSION + 1, pid=1)).decode()
    with pytest.raises(WorkerError, match="does not speak version"):
        await WorkerProcess.start(_script(f"print({hello!r}, end='', flush=True); input()"))


async def test_a_program_that_is_no_worker_is_refused() -> None:
    with pytest.raises(WorkerError, match="no message of the worker protocol"):
        await WorkerProcess.start(_script("print('hello', flush=True); input()"))


async def test_a_program_that_ends_at_once_shows_its_last_words() -> None:
    with pytest.raises(WorkerError, match="ended with status 1") as caught:
        await WorkerProcess.start(_script("raise SystemExit('no such module')"))
    assert caught.value.details == "no such module\n"


async def test_a_program_that_is_not_there_is_refused() -> None:
    with pytest.raises(WorkerError, match="cannot be started"):
        await WorkerProcess.start(("/nowhere/python",))


async def test_a_torn_line_is_the_end_of_the_worker() -> None:
    with pytest.raises(WorkerError, match="ended with status 0"):
        await WorkerProcess.start(_script("""print('{"type":"hel', end='')"""))


async def test_an_answer_out_of_turn_makes_the_worker_useless() -> None:
    hello = encode(Hello(version=PROTOCOL_VERSION, pid=1)).decode()
    worker = await WorkerProcess.start(_script(f"print({hello * 2!r}, end='', flush=True); input(); input()"))
    with pytest.raises(WorkerError, match="nobody waits for"):
        await worker.run("echo", {})
    assert not worker.ready
    await worker.end()


async def test_a_line_beyond_the_limit_says_so(monkeypatch: pytest.MonkeyPatch, example: tuple[str, ...]) -> None:
    monkeypatch.setattr(worker_process, "LINE_LIMIT", 2**16)
    worker = await WorkerProcess.start(example)
    with pytest.raises(WorkerError) as caught:
        await worker.run("echo", {"text": "x" * 2**19})
    assert "longer than 65536 bytes" in caught.value.details


async def test_ending_twice_is_ending_once(example: tuple[str, ...]) -> None:
    worker = await WorkerProcess.start(example)
    await worker.end()
    await worker.end()
    with pytest.raises(WorkerError):
        await worker.run("echo", {})


async def test_records_of_the_worker_reach_the_log(example: tuple[str, ...], caplog: pytest.LogCaptureFixture) -> None:
    worker = await WorkerProcess.start(example)
    with caplog.at_level(logging.WARNING, logger="fleettui.worker"):
        await worker.run("tell_log", {})
    await worker.end()
    assert [(record.name, record.levelname, record.message) for record in caplog.records] == [
        ("fleettui.worker", "WARNING", "mind this")
    ]


async def test_a_file_of_the_user_is_not_taken_for_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken')")
    monkeypatch.chdir(tmp_path)
    worker = await WorkerProcess.start()
    await worker.end()


async def test_a_program_that_says_nothing_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "START_TIME", 0.2)
    async with asyncio.timeout(10):
        with pytest.raises(WorkerError, match="did not start within"):
            await WorkerProcess.start(_script("input()"))


async def test_what_holds_its_pipes_is_not_waited_for() -> None:
    hello = encode(Hello(version=PROTOCOL_VERSION, pid=1)).decode()
    worker = await WorkerProcess.start(
        _script(
            "import subprocess; subprocess.Popen(['sleep', '6'], start_new_session=True); "
            f"print({hello!r}, end='', flush=True); input()"
        )
    )
    start = time.monotonic()
    await worker.end()
    assert time.monotonic() - start < 3
    assert not worker.ready
