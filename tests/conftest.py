"""For all tests: which are run, and in what state they find the program."""

import gc
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from functools import partial
from importlib.util import find_spec
from typing import Any

import pytest

from store import engine
from tests import compiled_ahead, empty_stores, few_looks, hanging, kept_text, lent_workers, repeated, shared_statements

collect_ignore = [] if find_spec("mutmut") else ["evidence/mutants.py", "evidence/mutation.py"]
"""What the extra `mutation` is needed for."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the time box of the evidence, and how long a test may take."""
    parser.addoption(
        "--within",
        type=float,
        metavar="SECONDS",
        help="run what can be begun within so many seconds of the start, file by file in random order; skip the rest",
    )
    parser.addoption(
        "--timeout",
        type=float,
        metavar="SECONDS",
        default=hanging.LIMIT,
        help="end the process of a test that takes longer, with the stacks of its threads (300; 0 never does)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let interrupt and hang-up mean what they usually do: whoever runs the tests may ignore them, as nohup does, and
    what a test starts would inherit that. Properties are tried with as many examples as are asked for.
    """
    config.stash[STARTED] = time.monotonic()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    config.pluginmanager.register(hanging.Watch(config.option.timeout))
    repeated.prepare(config.option.markexpr)
    lent_workers.install()
    shared_statements.install()
    empty_stores.install()
    gc.disable()  # until the tests are collected, which stay: looking through them again and again frees nothing


def pytest_xdist_auto_num_workers() -> int | None:
    """Run as many tests at once as there are cores: one more takes the others' time, and collects all of them, too."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each core begin with another part of a folder: what one made of a test file, the others find.

    Most of the time that reading the files takes is the making of their bytecode.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and "PYTEST_XDIST_WORKER" in os.environ:
        number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
        first = len(report.result) * number // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        report.result = [*report.result[first:], *report.result[:first]]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count properties as evidence where that is asked for, since they are tried with more examples then.

    So is what is thorough, except where frames are kept anew. All cores have the files in the same order, in whichever
    they read them.
    """
    items.sort(key=lambda item: item.path)
    for item in items:
        if item.get_closest_marker("thorough") is not None and kept_text.VARIABLE not in os.environ:
            item.add_marker(pytest.mark.evidence)
    if repeated.wants_evidence(config.option.markexpr):
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.evidence)
    if config.option.within is not None:  # the same order on every core; what a file compiles serves all of its tests
        files = sorted({item.path for item in items})
        random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID")).shuffle(files)
        places = {path: place for place, path in enumerate(files)}
        items.sort(key=lambda item: places[item.path])


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look through what the tests leave behind, not through the thousands of tests themselves, and less often."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()
    few_looks.LOOKS.install()
    send_less(session.config)


def send_less(config: pytest.Config) -> None:
    """Tell the process that all cores report to what became of each test, not also that it began and ended, and that
    its fixtures were made and ended without a fault. It is told all where that is asked for, by `--durations` say.
    """
    option = config.option
    if option.durations is not None or option.verbose > 0 or getattr(option, "xmlpath", None):
        return
    for core in config.pluginmanager.get_plugins():
        if type(core).__name__ == "WorkerInteractor":
            core.sendevent = partial(_send, core.sendevent)


def _send(send: Callable[..., None], name: str, **told: Any) -> None:
    if name in ("logstart", "logfinish"):
        return
    data = told.get("data")
    if name == "testreport" and data is not None and data["outcome"] == "passed":
        if data["when"] != "call":
            return
        data["keywords"] = {}
    send(name, **told)


STARTED = pytest.StashKey[float]()
COMPILER = pytest.StashKey[subprocess.Popen[bytes] | None]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Lend workers to all tests but those of their processes; skip what cannot be begun in time.

    Stores are synced as the program's own only where a test is about that: there are thousands of them. The same holds
    for how they are made.
    """
    engine.SYNCED = item.get_closest_marker("durable") is not None
    empty_stores.COPIES.copying = empty_stores.copied_for(item.path)
    lent_workers.LENDER.lending = item.get_closest_marker("own_workers") is None
    few_looks.LOOKS.taken = item.get_closest_marker("looks") is not None
    within = item.config.option.within
    if within is not None and time.monotonic() - item.config.stash[STARTED] > within:
        pytest.skip("no time was left")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Let what serves several tests be made as by the program, whatever the first of them is marked."""
    if fixturedef.scope == "function":
        return (yield)
    own, few_looks.LOOKS.taken = few_looks.LOOKS.taken, True
    try:
        return (yield)
    finally:
        few_looks.LOOKS.taken = own


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the engine be compiled while the tests are collected."""
    session.config.stash[COMPILER] = compiled_ahead.begin(session.config)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave no worker behind."""
    lent_workers.LENDER.close()
    compiled_ahead.end(session.config.stash.get(COMPILER, None))
