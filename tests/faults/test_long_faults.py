"""Programs that are killed, hung up on, or lose a worker, again and again over one store: the long form alone.

Each seed is a store with a plan, on which programs plan, verify, study, import and resume; each is killed at a moment
drawn at random: itself, one of its workers, or the runner that it left. `python -m tests.faults -k many_kills`, `-k
hung_up` and `-k left_study` count them.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fleettui.domain.digest import said
from fleettui.domain.job import Job
from fleettui.domain.study import Study
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.faults.test_kills import BRIEF, PATIENCE, rows, running, start, wait_for, wait_until_stored
from tests.planning.simulated import trace
from tests.store import samples

SEEDS, KILLS = 50, 10
HANG_UPS, LEFT_STUDIES = 100, 20
COMPILED = 900.0
"""Seconds within which the first program of all has compiled the engine and made its plan."""
GONE = 5.0
"""Seconds after which no process of a killed program may be left."""
LATEST = {"plan": 6.0, "verify": 6.0, "study": 5.0, "import": 1.5, "resume": 6.0}
"""Seconds within which a program is killed: as long as it takes on a machine that others use."""
TARGETS = {
    "plan": ("program", "program", "worker", "runner"),
    "verify": ("program", "worker", "runner"),
    "resume": ("program", "worker", "runner"),
    "study": ("program", "worker", "runner"),
    "import": ("program",),
}
WORDS = {"worker": "fleettui.planning.worker_main", "runner": "--quiet\0jobs\0resume"}
"""What of a command line tells a process from others."""
ENDED = frozenset({"done", "stopped", "failed"})

pytestmark = [
    pytest.mark.evidence,
    pytest.mark.own_workers,
    pytest.mark.looks,  # as the programs take them
    pytest.mark.timeout(3600),  # ten programs each, on a machine that others use
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are seen through /proc"),
]


def processes(database: Path, word: str) -> list[int]:
    """Return the numbers of the processes at work on a store whose command line has a word."""
    mark, found = f"FLEETTUI_DB={database}".encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0") and word in (process / "cmdline").read_text():
                found.append(int(process.name))
        except OSError:  # another user's, or gone by now
            continue
    return found


def kill(number: int) -> bool:
    """Kill a process; return whether it was there."""
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def jobs(database: Path) -> tuple[Job, ...]:
    """Return the jobs of a store."""
    with Store.open(database) as store:
        return store.jobs()


def words_of(act: str, folder: Path, turn: int) -> tuple[str, ...]:
    """Return the words of a command that does something to the store."""
    if act == "import":
        bundle = folder / f"{turn}.fleet"
        with Store.open(folder / "other" / f"{turn}.db") as other:
            bundle.write_bytes(other.bundle([samples.prove(other).plan.id for _ in range(6)]))
        return ("import", str(bundle))
    return {
        "plan": ("plan", trace(folder), *BRIEF, "--seed", str(turn + 2)),
        "verify": ("verify", "asked", "--seed", str(turn + 100), "--precision", "2%"),
        "study": ("whatif", "asked", "--sweep", "rate=10/s:40/s:4"),
        "resume": ("jobs", "resume", "last"),
    }[act]


def begin(database: Path, words: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start a command on a store; an import takes no workers."""
    if words[0] != "import":
        return start(database, *words)
    command = (sys.executable, "-m", "fleettui", *words)
    environment = os.environ | {"FLEETTUI_DB": str(database)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def check_sound(database: Path, before: set[tuple[str, int, int, str]]) -> set[tuple[str, int, int, str]]:
    """Assert that nothing runs, nothing finished is lost and no job is stuck; return the runs that are there."""
    assert wait_for(lambda: not running(database), GONE), running(database)
    assert wait_for(lambda: {one.state for one in jobs(database)} <= ENDED, GONE), jobs(database)
    with Store.open(database) as store:
        for row in store.plans(limit=200):
            assert len(store.plan(row.handle).candidates) >= 1
        for job in store.jobs(limit=200):
            assert bool(job.study) == (job.kind == "study" and job.state == "done")
            assert not job.study or store.study(job.study).tables
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        imported = connection.execute("SELECT count(*) FROM plan WHERE name LIKE 'proved%'").fetchone()[0]
    assert imported % 6 == 0, "a bundle is taken in whole or not at all"
    after = rows(database)
    assert before <= after
    return after


@cache
def made(folder: Path) -> Path:
    """Return a store with a plan called "asked", from which every seed starts."""
    database = folder / "asked.db"
    program = start(database, "plan", trace(folder), *BRIEF, "--seed", "1", "--name", "asked")
    try:
        _, told = program.communicate(timeout=COMPILED)
    finally:
        program.kill()
    assert program.returncode in (0, 3), told
    return database


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("asked"))


def strike(program: subprocess.Popen[bytes], database: Path, target: str, chance: random.Random, latest: float) -> bool:
    """Kill the program, or what works for it, at some moment, before long or once it has kept runs; tell if it was."""
    if chance.random() < 0.5:
        wait_until_stored(program, database, len(rows(database)) + chance.choice((1, 2, 5, 10)))
        time.sleep(chance.uniform(0.0, 0.3))
    else:
        time.sleep(chance.uniform(0.0, latest))
    if target == "program":
        there = program.poll() is None
        program.kill()
        return there
    wait_for(lambda: program.poll() is not None or bool(processes(database, WORDS[target])), PATIENCE)
    return any(map(kill, processes(database, WORDS[target])[:1]))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_many_kills_of_programs_workers_and_runners_lose_nothing(
    asked: Path, tmp_path: Path, seed: int, record_property: Callable[[str, object], None]
) -> None:
    chance, database = random.Random(seed), tmp_path / "killed.db"
    with Store.open(asked) as store:
        store.back_up(database)
    kept, killed = rows(database), Counter[str]()
    for turn in range(KILLS):
        unfinished = any(one.state != "done" for one in jobs(database)[:1])
        act = chance.choice(("plan", "verify", "study", "import", *(["resume"] * 3 if unfinished else [])))
        target = chance.choice(TARGETS[act])
        words = words_of(act, tmp_path, turn)
        program = begin(database, (*words, "--detach") if target == "runner" else words)
        killed[f"{target} at {act}"] += strike(program, database, target, chance, LATEST[act])
        _, told = program.communicate(timeout=PATIENCE)
        assert b"Traceback" not in told, told
        assert program.returncode in (-signal.SIGKILL, 0, 1, 3), told
        assert wait_for(lambda: not running(database), PATIENCE if target == "worker" else GONE), running(database)
        kept = check_sound(database, kept)
    record_property("figure", f"seed {seed}: {sum(killed.values())} killed, {dict(sorted(killed.items()))}")


@cache
def unbroken(folder: Path) -> str:
    """Return what the question of the programs below comes to that nothing happens to."""
    import asyncio

    async def make() -> str:
        async with WorkerPool(2) as pool:
            with Store.open(made(folder)) as store, Store.open(folder / "whole.db") as other:
                return said(await make_plan(replace(store.question("asked"), name=""), store=other, pool=pool))

    return asyncio.run(make())


@pytest.mark.parametrize("seed", range(HANG_UPS))
def test_a_program_that_is_hung_up_on_goes_on_in_a_runner_to_the_same_bytes(
    asked: Path, tmp_path: Path, seed: int
) -> None:
    chance, database = random.Random(seed), tmp_path / "closed.db"
    program = start(database, "plan", trace(asked.parent), *BRIEF, "--seed", "1")
    wait_until_stored(program, database, chance.randint(1, 15))
    time.sleep(chance.uniform(0, 0.3))
    program.send_signal(signal.SIGHUP)
    program.communicate(timeout=PATIENCE)
    assert program.returncode in (0, 3, 128 + signal.SIGHUP)
    assert wait_for(lambda: jobs(database)[0].state == "done", PATIENCE), jobs(database)
    assert wait_for(lambda: not running(database), GONE), running(database)
    with Store.open(database) as store:
        assert said(store.plan("last")) == unbroken(asked.parent)


def study_of(database: Path, *words: str) -> Study:
    """Return what a command on a store keeps as a study, without what tells it from one of another time."""
    program = start(database, *words)
    _, told = program.communicate(timeout=COMPILED)
    assert program.returncode == 0, told
    with Store.open(database) as store:
        return replace(store.study("last"), id="", handle="", created="")


@cache
def unbroken_study(folder: Path) -> Study:
    """Return the study that nothing happens to."""
    return study_of(made(folder), *words_of("study", folder, 0))


@pytest.mark.parametrize("seed", range(LEFT_STUDIES))
def test_a_left_study_whose_runner_is_killed_ends_to_the_same_bytes_once(
    asked: Path, tmp_path: Path, seed: int, record_property: Callable[[str, object], None]
) -> None:
    chance, database = random.Random(seed), tmp_path / "left.db"
    whole = unbroken_study(asked.parent)
    with Store.open(asked) as store:
        store.back_up(database)
    with Store.open(database) as store:
        before = store.count_studies()
    program = start(database, *words_of("study", tmp_path, 0))
    time.sleep(chance.uniform(0.5, LATEST["study"]))
    program.send_signal(signal.SIGHUP)
    _, told = program.communicate(timeout=PATIENCE)
    assert program.returncode in (0, -signal.SIGHUP, 128 + signal.SIGHUP), told
    left, killed = [one for one in jobs(database) if one.kind == "study"], False
    if left:
        time.sleep(chance.uniform(0.0, LATEST["study"]))
        killed = any(map(kill, processes(database, WORDS["runner"])[:1]))
        assert wait_for(lambda: not running(database), PATIENCE), running(database)
        if jobs(database)[0].state != "done":
            study_of(database, "jobs", "resume", left[0].handle)
        check_sound(database, set())
    record_property("figure", f"seed {seed}: {len(left)} left, {int(killed)} runners killed")
    if not left and program.returncode:  # it was hung up on before it could do anything about it
        return
    with Store.open(database) as store:
        assert store.count_studies() == before + 1
        assert replace(store.study("last"), id="", handle="", created="") == whole
