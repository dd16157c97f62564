"""The app against its figures, on a pseudo-terminal: `pytest tests/benchmarks/test_app.py --benchmark-only -n 0 -s`.

Times are held to those of a trivial Textual program where that makes them less a matter of the machine.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from fleettui.planning.worker_count import default_workers
from fleettui.tui.tabs import VIEWS
from store import Store
from tests.benchmarks.terminal import Program
from tests.benchmarks.test_large_store import big
from tests.planning.simulated import trace
from tests.tui.seeded import ASKED, fill

LARGE = (120, 36)
ROUNDS = 5
STARTUP, STARTUP_WORK = 0.2, 0.1
"""Seconds, and seconds of the processor, to the first frame beyond those of a trivial program."""
SWITCH, SWITCH_BYTES, KEY, ANSWER = 0.25, 60_000, 0.1, 1.5
"""Seconds and bytes of a change of views; seconds from a key to its frame (P99), and to the first answer."""
LARGE_STORE = 0.2
"""Seconds that a plan with 1,000,000 candidates takes longer to open."""
MEMORY, IDLE, IDLE_SHARE = 120.0, 5.0, 0.01
TRIVIAL = """
from textual.app import App
from textual.widgets import Static

class Trivial(App):
    def compose(self):
        yield Static("trivially drawn")

Trivial().run()
"""
FLEETTUI = (sys.executable, "-P", "-m", "fleettui")
ENDLESS = "workload: {}\nrate: 20/s\nslo-ttft: 200ms\ngpu: h100\ntp: 8\npools: 1\nprecision: 0.1%\n"
Start = Callable[..., Program]

__all__ = ["big"]
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are seen through /proc")


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("seeded") / "fleettui.db")


@pytest.fixture
def start(plans: Path, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts the app over a store of some plans, or another program in the same place."""
    running: list[Program] = []
    environment = os.environ | {
        "FLEETTUI_DB": str(shutil.copy(plans, tmp_path / "fleettui.db")),
        "FLEETTUI_STATE": str(tmp_path / "state"),
        "FLEETTUI_CONFIG": str(tmp_path / "config.toml"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    environment = {name: text for name, text in environment.items() if name not in ("TMUX", "COLUMNS", "LINES")}

    def begin(*words: str, command: tuple[str, ...] = FLEETTUI, **changes: str) -> Program:
        running.append(Program((*command, *words), environment | changes, LARGE))
        return running[-1]

    yield begin
    for program in running:
        program.close()


def tell(benchmark: BenchmarkFixture, **figures: float) -> None:
    """Keep figures with the benchmark, and print them."""
    rounded = {name: round(value, 4) for name, value in figures.items()}
    benchmark.extra_info.update(rounded)
    sys.stdout.write(f"\n{benchmark.name}: {rounded}\n")


def test_the_first_useful_frame(start: Start, benchmark: BenchmarkFixture) -> None:
    def seconds(words: bytes, command: tuple[str, ...] = FLEETTUI) -> tuple[float, float]:
        program = start(command=command)
        taken = program.until(words), program.processor_seconds()
        program.close()
        return taken

    both = [(seconds(b"trivially", (sys.executable, "-c", TRIVIAL)), seconds(b"NOT PROVEN")) for _ in range(ROUNDS)]
    benchmark.pedantic(seconds, (b"NOT PROVEN",), rounds=1)
    trivial, app, trivial_work, app_work = (
        statistics.median(each[of][what] for each in both) for what in (0, 1) for of in (0, 1)
    )
    tell(benchmark, trivial=trivial, app=app, trivial_work=trivial_work, app_work=app_work)
    assert app <= trivial + STARTUP
    assert app_work <= trivial_work + STARTUP_WORK


def opened(start: Start) -> Program:
    """Return the app at rest, a proved plan before it."""
    program = start("open", ASKED.name)
    program.until(b"proof")
    program.press(b"2")
    return program


def test_a_change_of_views(start: Start, benchmark: BenchmarkFixture) -> None:
    program = opened(start)
    numbers = range(1, len(VIEWS) + 1)
    first = [program.press(str(number).encode(), f"[{number} ".encode()) for number in numbers]
    again = [program.press(str(number).encode(), f"[{number} ".encode()) for number in numbers]
    benchmark.pedantic(program.press, (b"2", b"[2 "), rounds=1)
    tell(
        benchmark,
        first=max(one.seconds for one in first),
        again=max(one.seconds for one in again),
        bytes=max(len(one.bytes) for one in (*first, *again)),
    )
    assert max(one.seconds for one in again) <= SWITCH
    assert max(len(one.bytes) for one in (*first, *again)) <= SWITCH_BYTES


def test_from_a_key_to_its_frame_while_all_workers_are_busy(
    start: Start, benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    (tmp_path / "question.yaml").write_text(ENDLESS.format(trace(tmp_path)))
    program = opened(start)
    quiet = latencies(program)
    program.close()
    program = start("open", str(tmp_path / "question.yaml"))
    program.until(b"a new question")
    program.press(b"r")
    program.until(b"simulating")
    busy = benchmark.pedantic(latencies, (program,), rounds=1)
    tell(benchmark, workers=default_workers(), quiet=p99(quiet), busy=p99(busy), median=statistics.median(busy))
    assert p99(busy) <= KEY


def latencies(program: Program) -> list[float]:
    """Return the seconds from each of some keys to the line of the list that it moves the cursor to."""
    return [program.answer(key, b">") for _ in range(100) for key in (b"j", b"k")]


def p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[-1]


def test_the_first_answer(start: Start, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """From the key that plans to the first fleet, with its cost, before any simulation."""
    (tmp_path / "question.yaml").write_text("workload: azure-2023-conv\nrate: 50/s\nslo-ttft: 500ms\ngpu: h100\n")
    program = start("open", str(tmp_path / "question.yaml"))
    program.until(b"a new question")
    time.sleep(IDLE)  # the workers are warm by then, as they are for whoever reads the question
    seconds = benchmark.pedantic(program.answer, (b"r", b" YET"), rounds=1)
    tell(benchmark, seconds=seconds)
    assert seconds <= ANSWER


def test_a_million_candidates(start: Start, big: Store, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    def opened_at(name: str, **changes: str) -> tuple[Program, float]:
        program = start("open", name, **changes)
        taken = program.until(b"cheapest first")
        program.press(b"2")
        return program, taken

    _, small = opened_at(ASKED.name)
    large, seconds = opened_at("wide", FLEETTUI_DB=str(big.path))
    last = benchmark.pedantic(large.answer, (b"G", b">"), rounds=1)
    tell(benchmark, small=small, large=seconds, last_page=last)
    assert seconds <= small + LARGE_STORE
    assert last <= KEY


def test_memory_and_rest(start: Start, benchmark: BenchmarkFixture) -> None:
    program = opened(start)
    for number in range(1, len(VIEWS) + 1):
        program.press(str(number).encode(), f"[{number} ".encode())
    program.press(b"2")
    before = program.processor_seconds()
    benchmark.pedantic(time.sleep, (IDLE,), rounds=1)
    share = (program.processor_seconds() - before) / IDLE
    tell(benchmark, memory=program.memory(), idle=share)
    assert program.memory() <= MEMORY
    assert share <= IDLE_SHARE
