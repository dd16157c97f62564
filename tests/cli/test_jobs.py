import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("planned")
def test_alone_it_lists_the_jobs(run: Run) -> None:
    code, out, err = run("jobs")
    assert (code, err) == (0, "")
    assert "3f2a  plan azure-2023-conv  stopped     14/30  05-04 12:34" in out
    assert out.splitlines()[-1] == "go on: fleettui jobs resume 3f2a"
    assert max(map(len, out.splitlines())) <= 80
    assert run("jobs", "list") == (code, out, err)


@pytest.mark.usefixtures("planned")
@pytest.mark.parametrize("arguments", [("jobs", "--json"), ("jobs", "list", "--json")])
def test_jobs_as_data(arguments: tuple[str, ...], run: Run) -> None:
    plain = json.loads(run(*arguments)[1])
    assert (plain["schema"], plain["command"], plain["jobs"][0]["handle"]) == (1, "jobs list", "3f2a")
    assert json.loads(run("jobs", "list", "--offset", "1", "--json")[1])["jobs"] == []


@pytest.mark.usefixtures("planned")
def test_no_job_is_narration(run: Run) -> None:
    assert run("jobs", "list", "--offset", "1") == (0, "", "no job yet; fleettui plan --help shows how to start one\n")


@pytest.mark.usefixtures("planned")
def test_a_job_is_cancelled(run: Run) -> None:
    assert run("jobs", "cancel", "9f9f") == (0, "job 9f9f cancelled; to go on: fleettui jobs resume 9f9f\n", "")
    assert json.loads(run("jobs", "cancel", "9f9f", "--json")[1])["job"]["state"] == "cancelled"


def test_a_job_is_resumed(run: Run, planned: list[dict[str, Any]]) -> None:
    code, out, err = run("jobs", "resume", "3f2a", "--workers", "2")
    assert (code, err) == (0, "")
    assert "proof   10 runs" in out
    assert planned[0]["given"][1] == "3f2a"
    assert json.loads(run("jobs", "resume", "3f2a", "--json")[1])["command"] == "jobs resume"


@pytest.mark.usefixtures("planned")
def test_what_cannot_be_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "--json: this stands before the command" in refused(run("jobs", "--json", "list"))
    assert "missing argument 'ID'" in refused(run("jobs", "resume"))
    assert "--limit" in refused(run("jobs", "list", "--limit", "0"))
    assert "no such command 'stop'" in refused(run("jobs", "stop"))


@pytest.mark.parametrize("name", ["list", "cancel", "resume"])
def test_each_helps(name: str, run: Run) -> None:
    code, out, _ = run("jobs", name, "--help")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", ["cancel", "resume"])
def test_an_unknown_job_is_refused(name: str, run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("jobs", name, "nosuch"))


def test_a_fresh_store_has_no_job(run: Run) -> None:
    assert run("jobs")[:2] == (0, "")
