import dataclasses

import pytest

from fleettui.domain.job import Job, JobState
from fleettui.domain.progress import STARTING
from fleettui.reports.jobs_text import (
    BAR,
    JobLine,
    bar,
    job_text,
    job_title,
    jobs_page,
    jobs_table,
    jobs_text,
    left,
    log_text,
    progress,
    state,
)
from fleettui.reports.table import render
from tests.cli.conftest import ROW

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


LINE = JobLine(job=JOB, plan="41a7", rate=0.5, here=True)


def test_a_line_that_is_looked_at_says_how_far_it_is_and_for_how_much_longer() -> None:
    row = ("3f2a", "plan azure-2023-conv", "41a7", "running", "####......", "14/30", "0.5/s", ">0:32", JOB.message)
    assert jobs_page([LINE]).rows == (row,)
    assert jobs_page([LINE], wide=False).rows == (row[:-1],)


def test_what_does_not_run_has_no_bar_and_no_rate() -> None:
    ended = dataclasses.replace(LINE, job=dataclasses.replace(job("cancelled"), plan=""), plan="")
    assert jobs_page([ended]).rows[0][2:8] == ("-", "cancelled", "", "14/30", "", "")


@pytest.mark.parametrize(("done", "total", "full"), [(0, 30, 0), (29, 30, 9), (30, 30, 10), (40, 30, 10)])
def test_a_bar_is_full_only_at_the_end(done: int, total: int, full: int) -> None:
    assert bar(JobLine(job=dataclasses.replace(JOB, done=done, total=total))) == "#" * full + "." * (BAR - full)


def test_without_a_goal_there_is_no_bar() -> None:
    assert bar(JobLine(job=dataclasses.replace(JOB, total=0))) == ""


@pytest.mark.parametrize(("rate", "words"), [(0.0938, "0.094/s"), (12.34, "12/s"), (1234.5, "1,234/s")])
def test_a_rate_has_two_figures(rate: float, words: str) -> None:
    assert jobs_page([dataclasses.replace(LINE, rate=rate)]).rows[0][6] == words


def test_time_left_needs_a_rate_and_a_goal() -> None:
    assert left(dataclasses.replace(LINE, rate=None)) == ""
    assert left(dataclasses.replace(LINE, job=dataclasses.replace(JOB, total=0))) == ""
    assert left(dataclasses.replace(LINE, rate=0.001)) == ">4:26:40"


def test_what_the_store_does_not_know_yet_searches_or_starts() -> None:
    fresh = dataclasses.replace(JOB, handle="", message=STARTING)
    assert [state(dataclasses.replace(fresh, kind=kind)) for kind in ("plan", "verify")] == ["searching", "starting"]
    assert state(dataclasses.replace(fresh, kind="study", message="chat: searching fleets")) == "running"
    assert job_title(fresh) == "plan azure-2023-conv"
    assert jobs_page([JobLine(job=fresh)]).rows[0][0] == "-"


PLAN = ROW._replace(
    id="0198",
    handle="41a7",
    cost_per_hour=142.0,
    ttft=0.37,
    tpot=0.045,
    e2e=None,
    verdict="unproven",
    method="simulation",
)


def test_one_job_in_words() -> None:
    assert job_text(LINE, PLAN) == (
        "state   running here   begun 05-04 12:34 UTC   seed 1   to +-5%\n"
        "work    search, then proof of the cheapest fleet that holds\n"
        "runs    14/30 of the fleet that is simulated   0.5/s   >0:32 left\n"
        "now     replication 15 of 6 H100 tp8\n"
        "best    41a7   48 H100 tp8 x6   $142/h   NOT PROVEN   simulated\n"
        "next    x stops it: what is finished is kept, R goes on with it"
    )


def test_the_best_of_a_job_that_is_not_sure_is_no_bare_pass() -> None:
    """Found: PASS in the jobs, of a plan that its page has as one at nominal speed."""
    unsure = PLAN._replace(verdict="pass", holds=0.61)
    assert "$142/h   PASS at nominal speed   simulated\n" in job_text(LINE, unsure)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            JobLine(job=dataclasses.replace(JOB, owner="bastion:2:417:9")),
            "in another program (process 417 on bastion:2)",
        ),
        (JobLine(job=JOB), "running in another program   begun"),
        (JobLine(job=job("stopped")), "next    R goes on where it was left, enter opens the plan"),
        (JobLine(job=job("done")), "next    enter opens the plan"),
        (JobLine(job=dataclasses.replace(JOB, state="done")), "runs    14/30 of the last fleet that was simulated"),
        (JobLine(job=dataclasses.replace(job("failed"), message="no disk")), "ended   no disk"),
    ],
)
def test_who_is_at_it_and_what_can_be_done(line: JobLine, words: str) -> None:
    assert words in job_text(line, None)


def test_a_plan_without_a_fleet_is_told_as_such() -> None:
    nothing = PLAN._replace(fleet="", cost_per_hour=None, verdict="infeasible", method="formula")
    assert "best    41a7   no fleet holds   INFEASIBLE   formula" in job_text(LINE, nothing)


def test_a_log_with_its_times() -> None:
    assert log_text([(3.2, "searching"), (3725.0, "done")]) == "   0:03  searching\n1:02:05  done"


@pytest.mark.parametrize("width", [40, 58, 80])
def test_one_job_fits(width: int) -> None:
    assert max(map(len, job_text(LINE, PLAN, width).splitlines())) <= width


def test_the_list_without_messages_fits_beside_a_gutter_and_a_scrollbar() -> None:
    assert max(map(len, render(jobs_page([LINE], wide=False), 77).splitlines())) <= 77
