"""Options that several commands share: --json, --workers, and one option for every key of a question."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

import typer

from fleettui.planning.settings import MOST_WORKERS
from fleettui.reports.question.conversion import Given
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import BY_NAME, KEYS, WORKLOAD

Function = TypeVar("Function", bound=Callable[..., Any])
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON object, SI units")]
PlanRef = Annotated[str, typer.Argument(metavar="ID", help="a handle or its start, a name, last, last~1")]
"""How a command that acts on a kept plan is told which."""
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=MOST_WORKERS,
        metavar="N",
        help="how many processes work (default: cores less one, up to 4)",
    ),
]
OnCluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="tcp://host:8786", help="work on this Dask scheduler's workers; local:4 tries it here"
    ),
]
TraceFormat = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="the trace's format, if it is not recognised")
]

Correct = Annotated[
    str | None, typer.Option("--correct", metavar="STUDY", help="take in what a backtest of yours corrects")
]


def with_question_options(keys: Iterable[Key] = KEYS) -> Callable[[Function], Function]:
    """Return what gives a function, which takes **typed, one optional keyword per key, for Typer to read.

    The keys' one table thus makes the options with their help, and what arrives in `typed` is their texts.
    """

    def give(function: Function) -> Function:
        own = inspect.signature(function, eval_str=True)
        kept = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        added = [_parameter(key) for key in keys]
        annotations = {one.name: one.annotation for one in (*kept, *added)}
        function.__annotations__ = annotations | {"return": own.return_annotation}
        vars(function)["__signature__"] = own.replace(parameters=_ordered(kept, added))
        return function

    return give


def texts(typed: dict[str, Any]) -> dict[str, Given]:
    """Return the texts that were given on the command line, by key."""
    given = {name.replace("_", "-"): value for name, value in typed.items() if value is not None}
    return {name: Given(_text(value), _where(name, value)) for name, value in given.items()}


def _text(value: object) -> str:
    """Return the text of a key; what may be given several times is one list with commas."""
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _where(name: str, value: object) -> str:
    """Return how the command line calls a key: the workload is its argument, all others are options."""
    if name == WORKLOAD.name:
        return "WORKLOAD"
    key = BY_NAME[name]
    also = f" (--{key.also})" if key.also else ""
    return f"--no-{name}" if value is False else f"{key.option}{also}"


def _parameter(key: Key) -> inspect.Parameter:
    default = f" (default {key.default})" if key.default and not key.is_flag else ""
    kind: Any = bool | None if key.is_flag else list[str] | None if key.form.several else str | None
    option = f"{key.option}/--no-{key.name}" if key.is_flag and key.default == "true" else key.option
    metavar = None if key.is_flag else key.example
    known = [option, f"--{key.also}"] if key.also else [option]
    annotation = Annotated[kind, typer.Option(*known, help=key.full_help + default, metavar=metavar)]
    name = key.name.replace("-", "_")
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _ordered(kept: list[inspect.Parameter], added: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the arguments, then the question's options, then the command's own."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [*(one for one in kept if one.kind is not keyword), *added, *(one for one in kept if one.kind is keyword)]
