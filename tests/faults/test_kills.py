"""A program that is killed at any moment leaves a sound store, all that it had finished, and nothing that runs."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fleettui.domain.digest import said
from fleettui.planning.make_plan import make_plan
from fleettui.planning.resume_job import resume_job
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import trace
from tests.repeated import few

KILLS = ((3, 1), *((seed, 2) for seed in range(10)))
"""Seeds, and how often a program is killed."""
PATIENCE = 120.0
"""Seconds until a program is expected to have finished a replication, on a busy machine with nothing compiled."""
STOPPING = 20.0
"""Seconds within which a program stops that is asked to, on such a machine."""
LIMITS = ("--rate", "20/s", "--slo-ttft", "200ms", "--gpu", "h100", "--tp", "8", "--pools", "1", "--precision", "20%")
"""A question of a hundred long replications: what it asks for is under way whenever the program is stopped."""
BRIEF = (*LIMITS[:-1], "0.5%", "--max-num-seqs", "256", "--token-budget", "2048")
"""One of 26 short replications, which are run to the end twice."""
Row = tuple[str, int, int, str]

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are seen through /proc")


def start(database: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start the program on a store of its own."""
    environment = os.environ | {"FLEETTUI_DB": str(database)}
    command = (sys.executable, "-m", "fleettui", *words, "--workers", "2")
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def rows(database: Path) -> set[Row]:
    """Return what is stored of every replication that is finished."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        try:
            return set(connection.execute("SELECT candidate, seed, position, digest FROM replication"))
        except sqlite3.OperationalError:  # not even the tables are there
            return set()


def wait_for(meets: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if meets():
            return True
        time.sleep(0.01)
    return False


def wait_until_stored(program: subprocess.Popen[bytes], database: Path, replications: int) -> None:
    """Wait until so many replications are stored, or the program has ended."""
    assert wait_for(lambda: program.poll() is not None or (database.exists() and len(rows(database)) >= replications))


def running(database: Path) -> list[str]:
    """Return the command lines of all processes that were started, however indirectly, to work on a store."""
    mark = f"FLEETTUI_DB={database}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text())
        except OSError:  # another user's, or gone by now
            continue
    return found


def assert_sound(database: Path, before: set[Row]) -> set[Row]:
    """Assert that nothing runs and nothing was lost, and return the replications that are there."""
    assert wait_for(lambda: not running(database), 2.0), running(database)
    if not database.exists():
        return set()
    with Store.open(database) as store:
        jobs = store.jobs()
        assert {job.state for job in jobs} <= {"stopped", "done"}
        assert [job.state for job in jobs[1:]] == ["done"] * len(jobs[1:])
        for job in jobs:
            assert store.plan(job.plan).candidates
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        torn = (
            "SELECT count(*) FROM replication AS r WHERE 3 <> (SELECT count(*) FROM histogram AS h"
            " WHERE h.candidate = r.candidate AND h.seed = r.seed AND h.position = r.position)"
        )
        assert connection.execute(torn).fetchone() == (0,)
    after = rows(database)
    assert before <= after
    return after


def unfinished(database: Path) -> bool:
    """Return whether there is a job to go on with."""
    if not database.exists():
        return False
    with Store.open(database) as store:
        return any(job.state == "stopped" for job in store.jobs(limit=1))


@pytest.mark.own_workers  # as the program that is killed
@pytest.mark.evidence
@pytest.mark.parametrize(("seed", "kills"), KILLS)
async def test_a_program_killed_at_random_moments_loses_nothing_and_ends_as_an_unbroken_one(
    tmp_path: Path, seed: int, kills: int
) -> None:
    chance = random.Random(seed)
    database, workload = tmp_path / "killed.db", trace(tmp_path)
    kept: set[Row] = set()
    for kill in range(kills):
        if unfinished(database):
            program = start(database, "jobs", "resume", "last")
        else:
            program = start(database, "plan", workload, *BRIEF, "--seed", str(kill))
        further = chance.choice((1, 3, 6) if kill == kills - 1 else (0, 1, 3, 6))
        if further:
            wait_until_stored(program, database, len(kept) + further)
        time.sleep(chance.uniform(0.0, 0.2 if further else 1.5))
        program.kill()
        program.communicate(timeout=PATIENCE)
        assert program.returncode in (-signal.SIGKILL, 0)
        kept = assert_sound(database, kept)
    assert kept
    async with WorkerPool() as workers:
        with Store.open(database) as store, Store.open(tmp_path / "whole.db") as other:
            job = store.job("last")
            answer = store.plan(job.plan) if job.state == "done" else await resume_job(store, "last", pool=workers)
            whole = await make_plan(store.question(job.plan), store=other, pool=workers)
            assert said(answer) == said(whole)
            assert {job.state for job in store.jobs()} == {"done"}
    assert kept <= rows(database)


@pytest.mark.evidence
def test_control_c_stops_it_with_what_is_finished_kept(tmp_path: Path) -> None:
    database = tmp_path / "stopped.db"
    program = start(database, "plan", trace(tmp_path), *LIMITS)
    wait_until_stored(program, database, 2)
    program.send_signal(signal.SIGINT)
    _, said_last = program.communicate(timeout=STOPPING)
    assert program.returncode == 130
    assert b"fleettui jobs lists what can be resumed" in said_last
    assert b"Traceback" not in said_last
    assert len(assert_sound(database, set())) >= 2
    with Store.open(database) as store:
        job = store.job("last")
        assert (job.state, job.message, job.owner) == ("stopped", "stopped; what was finished is kept", "")
        assert not store.is_finished(job.plan)


@pytest.mark.evidence
def test_control_c_before_there_is_a_job_leaves_none(tmp_path: Path) -> None:
    database = tmp_path / "early.db"
    program = start(database, "plan", trace(tmp_path), *LIMITS)
    assert wait_for(lambda: any("fleettui.planning.worker_main" in line for line in running(database)))
    program.send_signal(signal.SIGINT)
    _, said_last = program.communicate(timeout=STOPPING)
    assert (program.returncode, b"Traceback" in said_last) == (130, False)
    assert_sound(database, set())


@pytest.mark.evidence
@pytest.mark.parametrize("number", few((signal.SIGKILL, signal.SIGTERM), 1))
def test_a_program_that_is_killed_has_kept_what_was_finished(tmp_path: Path, number: signal.Signals) -> None:
    database = tmp_path / "ended.db"
    program = start(database, "plan", trace(tmp_path), *LIMITS)
    wait_until_stored(program, database, 1)
    program.send_signal(number)
    program.communicate(timeout=STOPPING)
    assert program.returncode != 0
    assert assert_sound(database, set())
    assert unfinished(database)
