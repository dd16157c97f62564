"""The commands that ask for studies, made of what the kinds of study declare."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fleettui.cli.detached import Detached, DetachStudy, study_goes_on_elsewhere
from fleettui.cli.options import AsJson, Correct, OnCluster, TraceFormat, Workers, texts, with_question_options
from fleettui.cli.question_help import QuestionCommand
from fleettui.cli.typer_app import new_app
from fleettui.errors import Interrupted
from fleettui.planning.studies import arguments_of, asked
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import Command

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.worker_pool import WorkerPool
    from fleettui.planning.worker_process import Report
    from store import Store

WORKLOAD_HELP = "as for simulate; that of the plan where a kept plan is named"


def app_of(command: Command) -> typer.Typer:
    """Return the command for Typer, with its help."""

    def run(
        *, as_json: bool, detach: bool, workers: int | None = None, cluster: str | None = None, **typed: Any
    ) -> int:
        from fleettui.cli.correction import corrections
        from fleettui.cli.study_output import print_study

        correct = typed.pop("correct", None)
        given = _given(command, typed)
        if correct is not None:
            question = given["question"]
            given = {**given, "question": {**question, **corrections(correct, question, workers, cluster)}}
        try:
            if detach:
                raise Detached
            study = _made(command, given, workers, cluster)
        except Detached:
            return study_goes_on_elsewhere(command, given, cluster, as_json=as_json)
        return print_study(study, as_json=as_json, command=command.name)

    run.__doc__ = command.sentence
    parameters = list(_parameters(command))
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    vars(run)["__signature__"] = Signature(parameters)
    app = new_app(command.name)
    if command.question:
        app.command(command.name, epilog=command.epilog, cls=QuestionCommand)(_with_question(run))
    else:
        app.command(command.name, epilog=command.epilog)(run)
    return app


def _with_question(run: Callable[..., int]) -> Callable[..., int]:
    from fleettui.reports.question.keys import GIVEN_FLEET_KEYS

    return with_question_options(GIVEN_FLEET_KEYS)(run)


def _made(command: Command, given: Given, workers: int | None, cluster: str | None) -> Study:
    """Return the study that is asked for, worked out and kept."""
    from fleettui.cli.worker_progress import answer_from_store
    from fleettui.planning.studies.study_context import make

    kind, values = asked(command, given)
    pieces = list[bool]()

    def work(store: Store, report: Report, pool: WorkerPool) -> Awaitable[Study]:
        return make(kind.kind, store, report=report, pool=pool, left=lambda: pieces.append(True), **values)

    try:
        return answer_from_store(work, workers, cluster)
    except KeyboardInterrupt:
        if pieces:
            raise Interrupted("interrupted; what was finished is kept, and the same command goes on") from None
        raise


def _given(command: Command, typed: dict[str, Any]) -> Given:
    """Return the texts that were given, by the names of the command's arguments."""
    given = {one.name: _said(one, typed.pop(_name(one))) for one in arguments_of(command)}
    if command.question:
        given["format"] = typed.pop("trace_format")
        given["question"] = texts(typed)
    return given


def _said(one: Argument, value: Any) -> Any:
    """Return what was given of an argument, as studies read it: a list that was given in parts is one text."""
    if not isinstance(value, list):
        return value
    return tuple(value) if one.form == "several" else ",".join(value)


def _parameters(command: Command) -> Iterator[Parameter]:
    """Yield what Typer is to read: words, the command's own options, those of every command."""
    own = arguments_of(command)
    yield from (_parameter(one) for one in own if one.form == "word")
    if command.question:
        yield _of("workload", Annotated[str | None, typer.Argument(help=WORKLOAD_HELP)], word=True)
    yield from (_parameter(one) for one in own if one.form != "word")
    if command.question:
        yield _of("trace_format", TraceFormat)
        yield _of("correct", Correct)
    if command.workers:
        yield _of("workers", Workers)
        yield _of("cluster", OnCluster)
    yield _of("detach", DetachStudy, False)
    yield _of("as_json", AsJson, False)


def _parameter(one: Argument) -> Parameter:
    default = Parameter.empty if one.needed else one.default
    if one.form == "word":
        return _of(
            _name(one), Annotated[str | None, typer.Argument(metavar=one.example, help=one.help)], default, word=True
        )
    kind: Any = bool if one.form == "flag" else str | None
    if one.form == "several" or one.is_list:
        kind = list[str] | None
    option = typer.Option(f"--{one.name}", metavar=one.example, help=one.help)
    return _of(_name(one), Annotated[kind, option], False if one.form == "flag" else default)


def _of(name: str, annotation: Any, default: Any = None, *, word: bool = False) -> Parameter:
    kind = Parameter.POSITIONAL_OR_KEYWORD if word else Parameter.KEYWORD_ONLY
    return Parameter(name, kind, default=default, annotation=annotation)


def _name(one: Argument) -> str:
    """Return the name of an argument among parameters, none of which may be called `from`."""
    return f"given_{one.name.replace('-', '_')}"
