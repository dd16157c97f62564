"""A study as a job: kept as it was asked for, and worked out by whoever takes it up."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fleettui.domain.job import Job
from fleettui.domain.progress import Progress
from fleettui.domain.study import Study
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.running_job import at_work
from fleettui.planning.studies import arguments_of, asked, commands
from fleettui.planning.studies.argument import Given
from fleettui.planning.studies.study_type import Command
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from fleettui.reports.question import conversion

if TYPE_CHECKING:
    from store import Store

PLAN, QUESTION = "plan", "question"
"""The argument that names a kept plan, and what a command takes of a question beside its arguments."""
_LAST = re.compile(r"last(~\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for: the `command`, what was `given` to it, and the `folder` that its files are named from."""

    command: str
    given: Given
    folder: str

    def text(self) -> str:
        """Return it as the JSON that a job keeps."""
        plain = dict(self.given)
        if QUESTION in plain:
            plain[QUESTION] = {name: asdict(one) for name, one in plain[QUESTION].items()}
        return json.dumps({"command": self.command, "given": plain, "folder": self.folder})

    @classmethod
    def of(cls, text: str) -> Asked:
        """Return what a job keeps as JSON."""
        plain = json.loads(text)
        texts: dict[str, Any] = plain["given"]
        given = {name: tuple(one) if isinstance(one, list) else one for name, one in texts.items()}
        if QUESTION in texts:
            given[QUESTION] = {name: conversion.Given(**one) for name, one in texts[QUESTION].items()}
        return cls(command=plain["command"], given=given, folder=plain["folder"])

    @property
    def line(self) -> str:
        """How it is typed."""
        words = [self.command]
        for one in arguments_of(self._command):
            value = self.given.get(one.name)
            texts = value if isinstance(value, tuple) else () if value in (None, False) else (value,)
            for text in texts:
                words += [] if one.form == "word" else [f"--{one.name}"]
                words += [] if text is True else [shlex.quote(str(text))]
        return " ".join([*words, *_question_words(self.given.get(QUESTION, {}))])

    @property
    def _command(self) -> Command:
        known = commands()
        if self.command not in known:
            raise UnknownNameError("study", self.command, known)
        return known[self.command]

    def study(self) -> tuple[str, dict[str, Any]]:
        """Return the kind of study that is asked for, and its values; raises InputError where a text does not read."""
        kind, values = asked(self._command, self.given)
        return kind.kind, values


def _question_words(texts: Mapping[str, conversion.Given]) -> list[str]:
    return [word for one in texts.values() for word in ([one.where] if one.where.startswith("--") else []) + [one.text]]


def leave_study(store: Store, command: Command, given: Given, folder: Path) -> Job:
    """Keep a study that is asked for as a job that nobody is at work on, and return it.

    The plans that it is of are named by their handles from now on, `last` being another one later. Raises InputError
    where it cannot be asked.
    """
    found = Asked(command=command.name, given=_pinned(store, command, given), folder=str(folder))
    found.study()
    new = Job(id="", handle="", kind="study", title=found.line, state="running", plan="", asked=found.text())
    return store.end_job(store.create_job(new).id, "stopped")


def _pinned(store: Store, command: Command, given: Given) -> Given:
    pinned = {name: value for name, value in given.items() if value not in (None, False, ())}
    for one in arguments_of(command):
        text = given.get(one.name) or one.default
        if one.form == "word" and text and (one.name == PLAN or _LAST.fullmatch(text)):
            noun, identifier = store.kept(text)
            pinned[one.name] = (store.study if noun == "study" else store.row)(identifier).handle
    return pinned


def folder_of(job: Job) -> Path:
    """Return the folder that the files of a job of kind study are named from; raises InputError where it is gone."""
    folder = Path(Asked.of(job.asked).folder)
    if not folder.is_dir():
        raise InputError(
            "the folder that the study was asked for in is not there",
            value=str(folder),
            remedy="ask for it again where its files are now",
        )
    return folder


async def resume_study(
    store: Store, ref: str, *, report: Report | None = None, pool: WorkerPool | None = None
) -> Study:
    """Take up a job of kind study and return the study, which is kept; the job is done with it.

    The pieces that were done are not worked out again, where the study is one of pieces. The files that it names are
    found from the working folder, which is to be `folder_of` the job. Raises InputError when the job is done, or at
    work elsewhere.
    """
    from fleettui.planning.studies.study_context import make
    from store.job_owner import present

    job = store.claim_job(ref, present())
    async with at_work(store, job) as pulse:

        def tell(progress: Progress) -> None:
            pulse.note(progress.done, progress.total, progress.message)
            if report is not None:
                report(progress)

        kind, values = Asked.of(job.asked).study()
        found = await make(kind, store, report=tell, pool=pool, job=job.id, **values)
        store.end_job(job.id, "done", study=found.id)  # where it was kept before; else it is done already
    return found
