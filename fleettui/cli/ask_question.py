"""A question from its texts to its printed answer: what `plan` and `simulate` do once their options are read."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Any

from fleettui.cli import console
from fleettui.cli.answer_output import print_answer
from fleettui.cli.detached import Begun, Detached
from fleettui.cli.open_store import open_store
from fleettui.cli.worker_progress import answer_of
from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.left_to_search import left_to_search, searches_budgets
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.errors import Gathered, InputError
from fleettui.planning import settings
from fleettui.planning.settings import Setting
from fleettui.planning.user_files import read_text
from fleettui.reports import fleet_text
from fleettui.reports.proof_text import FORMULA_ONLY
from fleettui.reports.question import conversion, question_file
from fleettui.reports.question.conversion import Given, Values
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import KEYS

if TYPE_CHECKING:
    from fleettui.planning.worker_pool import WorkerPool


def read(file: str) -> Given:
    """Return the text of a question file, which may be a pipe that can be read but once; raises InputError."""
    return Given(read_text(file, "question"), file)


def values(
    typed: Mapping[str, Given],
    file: Given | None = None,
    keys: Iterable[Key] = KEYS,
    reader: Callable[[str, str, Gathered], Mapping[str, Given]] = question_file.read,
) -> tuple[tuple[Setting, ...], Values]:
    """Return the settings, and the question's values: options, then the file, then those settings that are `keys`.

    `reader` finds the question in the file's text.
    """
    chosen = settings.settings()
    conversion.check_together(typed)
    errors = Gathered()
    filed = {} if file is None else reader(file.text, file.where, errors)
    known = {key.name for key in keys}
    own = {name: given for name, given in settings.question_texts(chosen).items() if name in known}
    found = conversion.parse(conversion.merge([typed, filed, own]), errors)
    errors.check()
    return chosen, found


def ask(
    question: Question,
    chosen: tuple[Setting, ...],
    *,
    fleet: FleetSketch | None = None,
    differences: tuple[str, ...] = (),
    trace_format: str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    detach: bool = False,
    typed: Container[str] = (),
    as_json: bool,
) -> int:
    """Plan, or simulate `fleet` where one is given; keep and print, and return the verdict's exit code.

    An option that was `typed` and has no effect on the answer is remarked on. What a file says is not: the program
    writes every key into one.

    `differences` are warnings that are kept with a fleet's answer. `trace_format` forces the reader of a trace. With
    `detach` what there is to simulate is for a process of its own, and the exit code is 0 once it is begun.
    """
    if detach and question.power_cap == SEARCHED:
        raise InputError(
            "the cap is searched for after the plan without one, which is all that would be handed over",
            where="--detach",
            remedy="leave it out, or give the cap in watts: --power-cap 500W",
        )
    left = {
        **left_to_search(question),
        **({"--token-budget": SEARCHED} if fleet is None and searches_budgets(question) else {}),
    }
    for option, value in left.items() if detach else ():
        raise InputError(
            "it is searched for after the plan with the first value, which is all that would be handed over",
            where="--detach",
            value=f"{option} {value}",
            remedy=f"leave it out, or name one {option}",
        )
    command, begun = "plan" if fleet is None else "simulate", Begun(detach=detach, cluster=cluster)
    with ExitStack() as stack:
        opened = cache(lambda: stack.enter_context(open_store(chosen)))
        common: dict[str, Any] = {
            "store": opened,
            "report": console.progress(),
            "trace_format": trace_format,
            "begun": begun,
        }

        async def work(pool: WorkerPool) -> Answer:
            if fleet is None:
                from fleettui.planning.make_plan import make_plan

                return await make_plan(question, pool=pool, **common)
            from fleettui.planning.simulate import simulate

            return await simulate(fleet, question, pool=pool, differences=differences, **common)

        try:
            answer = answer_of(work, chosen, workers, cluster)
        except Detached:
            return begun.go_on_elsewhere(opened(), command=command, as_json=as_json)
        if as_json and question.verify and answer.answer is not None and answer.answer.simulation is None:
            console.remark(FORMULA_ONLY)
        if "router" in typed and (told := fleet_text.no_choice(answer.answer)):
            console.remark(told)
        return print_answer(answer, question, opened(), as_json=as_json, command=command)
