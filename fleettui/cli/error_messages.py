"""From an exception to what a person reads and the exit code: one to three lines, never a traceback."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Sequence

import typer

from fleettui.cli.console import close_stdout, narrate
from fleettui.errors import NO_ROOM, FleettuiError

ALIKE = 0.7
HEAD, WIDTH = "fleettui: ", 80
CONTINUED = " " * 4
"""How a line begins that goes on with the one above it."""
BUG, USAGE, STORE = 1, 2, 4
OF_ENGINES = {
    "--tensor-parallel-size": "--tp",
    "--pipeline-parallel-size": "--pp",
    "--max-num-batched-tokens": "--token-budget",
    "--chunked-prefill-size": "--token-budget",
    "--max-running-requests": "--max-num-seqs",
    "--max-model-len": "--context",
    "--quantization": "--dtype",
    "--kv-cache-dtype": "--kv-dtype",
    "--enable-expert-parallel": "--expert-parallel",
    "--enable-dp-attention": "--attention-dp",
}
"""What is called otherwise by the engines: their option, and ours that means the same."""
FIXED = {
    "--gpu-memory-utilization": "0.9 of a GPU's memory is taken, vLLM's own default; it cannot be set",
    "--mem-fraction-static": "0.9 of a GPU's memory is taken, whatever the engine; it cannot be set",
}
"""What the engines let one set, and a question does not."""
UNQUOTED = re.compile(r"unexpected extra .*\bx\d")
"""How words of a fleet read that came one by one: the replicas are one word too many."""
UsageError: type[Exception] = typer.BadParameter.__mro__[2]
"""The base of what Typer raises for wrong options, commands and arguments."""


def refuse(error: FleettuiError) -> int:
    """Tell a designed error and return its exit code."""
    _tell(str(error))
    return error.exit_code


def report(error: Exception, arguments: Sequence[str]) -> int:
    """Tell what nobody foresaw and return the exit code: all is a bug but a full disk and a lost terminal."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return _refuse_unwritten(error)
    return report_bug(error, arguments)


def _refuse_unwritten(error: OSError) -> int:
    """Tell that something cannot be written, write nothing more to stdout, and return 4."""
    close_stdout()
    _tell(
        f"{error.filename or 'the output'} cannot be written: {error.strerror}\n"
        "  do: make room, or write elsewhere; what was answered is kept: fleettui list"
    )
    return STORE


def refuse_usage(error: Exception, command: str) -> int:
    """Tell what is wrong with the command line itself, with the nearest option, and return 2.

    `command` is what to ask for help where the error does not know its place.
    """
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", command)
    lines = [_sentence(error)]
    remedy = f"{command} --help shows what is accepted"
    if fixed := FIXED.get(_typed(error)):
        lines.append(f"  {fixed}")
        remedy = f"leave out {_typed(error)}"
    elif place := _place_in_fleet(error, context):
        remedy = f"write {place}; {command} --help shows one"
    elif _of_fleet(context) and UNQUOTED.search(_sentence(error)):
        remedy = f'a fleet in words stands in quotes: {command} "h100 tp8 x6"'
    elif _is_searched(error, context):
        lines.append("  a search takes it; a fleet that is given is as it is written, and paid by the GPU")
    elif near := _nearest(error, context):
        lines.append(f"  did you mean {near}?")
    _tell("\n".join([*lines, f"  do: {remedy}"]))
    return USAGE


def _place_in_fleet(error: Exception, context: typer.Context | None) -> str:
    """Return where the file of a command's fleet says what an unknown option says, empty where it does not."""
    if not hasattr(error, "possibilities") or not _of_fleet(context):
        return ""
    from fleettui.reports import fleet_file

    return fleet_file.place_of(_typed(error).removeprefix("--"))


def _is_searched(error: Exception, context: typer.Context | None) -> bool:
    """Return whether an unknown option says something of a search, and a command takes a fleet."""
    if not hasattr(error, "possibilities") or not _of_fleet(context):
        return False
    from fleettui.reports.question.keys import BY_NAME

    return _typed(error).removeprefix("--") in BY_NAME


def _of_fleet(context: typer.Context | None) -> bool:
    """Return whether a command takes a fleet."""
    return context is not None and any(parameter.name == "fleet" for parameter in context.command.params)


def _typed(error: Exception) -> str:
    """Return the option that the error is about, empty where it is about none."""
    return str(getattr(error, "option_name", ""))


def _tell(text: str) -> None:
    """Narrate `text` after the program's name, each line within WIDTH: what does not fit goes on below, further in.

    A word that is longer, as a path may be, stays whole.
    """
    first, *others = text.splitlines() or [""]
    narrate("\n".join([*_wrap(first, HEAD), *(part for line in others for part in _wrap(line, ""))]))


def _wrap(line: str, head: str) -> list[str]:
    return textwrap.wrap(
        line,
        WIDTH,
        initial_indent=head,
        subsequent_indent=CONTINUED,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _nearest(error: Exception, context: typer.Context | None) -> str | None:
    """Return the known option that is closest to the unknown one that was typed."""
    if context is None or not hasattr(error, "possibilities"):
        return None
    known = [name for parameter in context.command.params for name in getattr(parameter, "opts", ())]
    if (ours := OF_ENGINES.get(_typed(error))) in known:
        return ours
    return next(iter(difflib.get_close_matches(_typed(error), known, n=1, cutoff=ALIKE)), None)


def _sentence(error: Exception) -> str:
    """Return the usage error's own sentence on one line, without the library's guesses."""
    describe = getattr(error, "format_message", None)
    guessed = hasattr(error, "possibilities")
    text = " ".join(str(getattr(error, "message", error) if guessed or describe is None else describe()).split())
    return text[:1].lower() + text[1:].rstrip(".")


def report_bug(error: Exception, arguments: Sequence[str]) -> int:
    """Write the evidence of a bug to a file, tell where it is, and return 1."""
    from fleettui.planning.bug_report import write_report

    place = write_report(error, f"fleettui {' '.join(arguments)}")
    told = f"  the report, with your command in it: {place}" if place else "  no report could be written"
    _tell(f"this is a bug: {type(error).__name__}: {' '.join(str(error).split())[:200]}\n{told}")
    return BUG
