import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from fleettui.planning.protocol import Cancel, Hello, Message, Result, Task, TaskError, decode, encode
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import COMMAND


def _start(command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


async def test_its_environment_is_single_threaded_nice_and_its_own_session(pool: WorkerPool) -> None:
    found = await pool.run_plain("environment", {})
    assert found == {"threads": "1", "nice": min(os.nice(0) + 10, 19), "leads_its_session": True}


def test_it_says_hello_answers_and_exits_when_the_pipe_closes(example: tuple[str, ...]) -> None:
    with _start(example) as worker:
        out, _ = worker.communicate(b"", timeout=10)
        hello = decode(out)
        assert worker.returncode == 0
    assert hello == Hello(version=1, pid=worker.pid)


def test_it_exits_at_once_when_the_pipe_closes_in_the_middle_of_a_task(example: tuple[str, ...]) -> None:
    with _start(example) as worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(encode(Task(number=1, name="obey", payload={})))
        worker.stdin.flush()
        worker.stdout.readline()
        worker.stdout.readline()  # the task runs
        worker.stdin.close()
        assert worker.wait(timeout=1) == 0


def test_it_exits_when_its_parent_is_killed(example: tuple[str, ...], gone: Callable[[int], bool]) -> None:
    parent_of_a_busy_worker = f"""
import asyncio, signal
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import COMMAND

signal.alarm(60)

def tell(progress):
    print(progress.message, flush=True)

async def main():
    async with WorkerPool(command={example!r}) as pool:
        print((await pool.run_plain("echo", {{}}))["pid"], flush=True)
        await pool.run_plain("obey", {{}}, report=tell)

asyncio.run(main())
"""
    with subprocess.Popen((sys.executable, "-c", parent_of_a_busy_worker), stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        try:
            pid = int(parent.stdout.readline())
            assert parent.stdout.readline() == "started\n"
        finally:
            parent.kill()
    assert gone(pid)


def test_nonsense_from_the_parent_ends_it(example: tuple[str, ...]) -> None:
    with _start(example) as worker:
        worker.communicate(b"nonsense\n", timeout=10)
    assert worker.returncode == 0


def _last_of(example: tuple[str, ...], count: int, *messages: Message) -> Message:
    """Return the last of the first `count` answers of a worker that is sent all these at once."""
    with _start(example) as worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(b"".join(map(encode, messages)))
        worker.stdin.flush()
        answers = [decode(worker.stdout.readline()) for _ in range(count)]
        worker.stdin.close()
    return answers[-1]


def test_a_cancel_for_another_task_changes_nothing(example: tuple[str, ...]) -> None:
    task = Task(number=1, name="count", payload={"steps": 1})
    assert isinstance(_last_of(example, 3, Cancel(number=9), task), Result)


def test_a_task_cancelled_before_it_starts_stops_at_its_first_check(example: tuple[str, ...]) -> None:
    found = _last_of(example, 2, Cancel(number=1), Task(number=1, name="count", payload={"steps": 1}))
    assert isinstance(found, TaskError)
    assert found.kind == "Interrupted"


def test_the_real_worker_is_light_until_it_has_a_task() -> None:
    check = (
        "import sys, fleettui.planning.worker_main; "
        "print(sorted({'numpy', 'scipy', 'numba', 'sqlmodel', 'textual'} & set(sys.modules)))"
    )
    found = subprocess.run((sys.executable, "-c", check), capture_output=True, text=True, check=True, timeout=30)
    assert found.stdout.strip() == "[]"


def test_a_file_in_the_users_folder_is_not_imported_for_a_module(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)\n")
    found = subprocess.run(COMMAND, input=b"", capture_output=True, cwd=tmp_path, check=True, timeout=30)
    assert isinstance(decode(found.stdout), Hello)
