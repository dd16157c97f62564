import dataclasses

import pytest

from fleettui.domain.job import Job, JobState
from fleettui.reports.jobs_text import jobs_table, jobs_text, progress, state

JOB = Job(
    id="0199",
    handle="3f2a",
    kind="plan",
    title="plan azure-2023-conv",
    state="running",
    plan="0198",
    created="2026-05-04T12:34:56.000Z",
    heartbeat="2026-05-04T12:40:00.000Z",
    done=14,
    total=30,
    message="replication 15 of 6 H100 tp8",
)


def job(state: JobState, handle: str = "3f2a") -> Job:
    return dataclasses.replace(
        JOB, state=state, handle=handle, finished="" if state == "running" else "2026-05-04T13:00"
    )


def test_one_row_per_job() -> None:
    row = ("3f2a", "plan azure-2023-conv", "running", "14/30", "05-04 12:34", "replication 15 of 6 H100 tp8")
    assert jobs_table([JOB]).rows == (row,)


def test_since_when_it_is_so() -> None:
    stopped = dataclasses.replace(JOB, state="stopped")
    assert [one[4] for one in jobs_table([job("done"), stopped]).rows] == ["05-04 13:00", "05-04 12:40"]


def test_states_and_progress_in_words() -> None:
    assert state(dataclasses.replace(JOB, cancelling=True)) == "stopping"
    assert state(dataclasses.replace(JOB, state="done", cancelling=True)) == "done"
    assert [progress(dataclasses.replace(JOB, done=done, total=0)) for done in (0, 1400)] == ["-", "1,400"]


@pytest.mark.parametrize(
    ("jobs", "steps"),
    [
        ([job("running", "aaaa"), job("stopped", "bbbb")], ["cancel aaaa", "resume bbbb"]),
        ([job("done"), job("failed", "cccc"), job("cancelled", "dddd")], ["resume cccc"]),
        ([job("done")], ["show 41a7"]),
    ],
)
def test_the_next_command_stands_under_it(jobs: list[Job], steps: list[str]) -> None:
    _, _, under = jobs_text(jobs, "41a7").partition("\n\n")
    assert [" ".join(line.split()[-2:]) for line in under.splitlines()] == steps


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_list_fits(width: int) -> None:
    long = dataclasses.replace(JOB, title="verify a fleet of many words " * 4, message="word " * 40)
    assert max(map(len, jobs_text([JOB, long], "41a7", width).splitlines())) <= width
