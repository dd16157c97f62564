import inspect
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from fleettui.domain.plan import Answer
from fleettui.planning.hand_over import RUNNERS
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import Watched
from tests.store import samples

EXAMPLE = (sys.executable, "-P", str(Path(__file__).parent / "example_worker.py"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a test of what is made for its module, such as `workers`, run in the module's own loop, in which that is."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("asyncio") and _in_modules_loop(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


def _in_modules_loop(item: pytest.Function) -> bool:
    fixtures = (made for several in item._fixtureinfo.name2fixturedefs.values() for made in several)
    return any(one.scope == "module" and inspect.isasyncgenfunction(inspect.unwrap(one.func)) for one in fixtures)


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    async with WorkerPool(command=EXAMPLE) as running:
        yield running


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open() as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workers() -> AsyncIterator[Watched]:
    """One worker for all tests of a module, in the module's own loop."""
    async with Watched() as running:
        yield running


@pytest.fixture
def ended_runners() -> Iterator[None]:
    """Leave no runner behind, not even where a test fails while one is at work."""
    yield
    for runner in RUNNERS:
        if runner.poll() is None:
            runner.kill()
            runner.wait(10)
    RUNNERS.clear()


@pytest.fixture
def example() -> tuple[str, ...]:
    return EXAMPLE


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Whether a process id is free or a zombie's, within two seconds."""

    def check(pid: int) -> bool:
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            if not _runs(pid):
                return True
            time.sleep(0.01)
        return False

    return check


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what lets another program add a plan whenever one is read: `last` is another one from then on."""
    read = Store.plan

    def read_and_add(self: Store, ref: str, *, most: int | None = None) -> Answer:
        found = read(self, ref, most=most)
        samples.add(self)
        return found

    return lambda: monkeypatch.setattr(Store, "plan", read_and_add)
