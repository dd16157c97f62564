"""A question file with several workloads: from its texts to the printed joint plan."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from fleettui.cli import console
from fleettui.cli.open_store import open_store
from fleettui.cli.study_output import print_study
from fleettui.cli.worker_progress import answer_of
from fleettui.domain.joint import JointQuestion
from fleettui.domain.study import Study
from fleettui.errors import Gathered, InputError, Interrupted
from fleettui.planning import settings
from fleettui.planning.settings import Setting
from fleettui.reports.question import joint_file
from fleettui.reports.question.conversion import Given, check_together

if TYPE_CHECKING:
    from fleettui.planning.worker_pool import WorkerPool

NOT_KEPT = """\
interrupted; the joint plan is not kept, only plans of its workloads
  do: fleettui list --archived shows these; the same command begins anew"""
"""What is said of an interrupt before the answer: nothing goes on with the workloads' plans together."""


def is_joint(file: Given) -> bool:
    """Return whether a question file lists several workloads; raises InputError where it cannot be read."""
    return joint_file.has_entries(file.text, file.where)


def no_such_question(file: str) -> InputError:
    """Return the refusal to write several workloads as one question."""
    return several(f"--write-question and {file}", "leave one out")


def several(file: str, remedy: str) -> InputError:
    """Return the refusal of several workloads where one question is asked."""
    return InputError("a file with several workloads is no one question", where=file, remedy=remedy)


def read(typed: Mapping[str, Given], file: Given, chosen: tuple[Setting, ...]) -> JointQuestion:
    """Return the joint question of a file with the options `typed` over it; raises InputError."""
    check_together(typed)
    errors = Gathered()
    texts = joint_file.read(file.text, file.where, errors)
    return joint_file.to_joint(texts, typed=typed, own=settings.question_texts(chosen), errors=errors)


def ask(
    typed: Mapping[str, Given],
    file: Given,
    *,
    trace_format: str | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Plan all workloads of `file` together; keep and print, and return the verdict's exit code.

    Where it is interrupted once the answer is known, that is kept and printed.
    """
    chosen, known = settings.settings(), list[Callable[[], Study]]()
    question = read(typed, file, chosen)
    with ExitStack() as stack:

        async def work(pool: WorkerPool) -> Study:
            from fleettui.planning.studies.study_context import make

            return await make(
                "joint",
                lambda: stack.enter_context(open_store(chosen)),
                report=console.progress(),
                pool=pool,
                question=question,
                trace_format=trace_format,
                known=known.append,
            )

        try:
            with _ended_as_interrupted():
                study = answer_of(work, chosen, workers, cluster)
        except KeyboardInterrupt:
            if not known:
                raise Interrupted(NOT_KEPT) from None
            console.remark("the joint plan is kept without what would be surer or change it: that was cut short")
            print_study(known[0](), as_json=as_json, command="plan")
            raise Interrupted("interrupted") from None
    return print_study(study, as_json=as_json, command="plan")


@contextmanager
def _ended_as_interrupted() -> Iterator[None]:
    """Let SIGTERM, as `timeout` sends it, interrupt what is within, where this is the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
