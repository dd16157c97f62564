"""The two streams: data on stdout, narration on stderr; progress only where somebody watches."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.visible import visible

if TYPE_CHECKING:
    from fleettui.domain.progress import Progress

NARROWEST, WIDEST = 40, 120
OFF_TERMINAL = 80
PASS, NOT_PASS = 0, 3
"""The codes with which a command ends that judges something; a refusal has 2."""


class ReaderGone(Exception):
    """Whoever read our stdout has closed it; there is nobody left to tell."""


def out(text: str) -> None:
    """Write `text` and a newline to stdout; raises ReaderGone when nobody reads it."""
    _replace_what_does_not_encode()
    try:
        sys.stdout.write(visible(text).rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        close_stdout()
        raise ReaderGone from None


def close_stdout() -> None:
    """Write to nowhere from now on: what the interpreter flushes at its end must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def out_json(value: Mapping[str, Any]) -> None:
    """Write `value` as one JSON object of the schema that is wished; NaN and infinity are bugs by now."""
    out(json_text(value))


def json_text(value: Mapping[str, Any]) -> str:
    """Return what a command prints as JSON, `value` in schema 1, as text of the schema that is wished."""
    import json

    if schema() > 1:
        from fleettui.reports.schema_two import schema_two

        value = schema_two(dict(value))
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


class _Schema:
    """The schema that the command line asks for, None where it does not."""

    wished: int | None = None


def be_in_schema(number: int | None) -> None:
    """Print JSON of this schema from now on; None: of that in the settings."""
    _Schema.wished = number


def schema() -> int:
    """Return which schema of JSON is wished: by option, else by the settings, where these read."""
    if _Schema.wished is not None:
        return _Schema.wished
    from fleettui.planning import settings

    try:
        chosen = settings.settings()
    except InputError:  # whoever needs them refuses them
        return settings.SCHEMAS[0]
    return settings.schema(chosen)


def tell(as_json: bool, value: Mapping[str, Any], text: str) -> None:
    """Write `value` as JSON, or else `text`, which says the same."""
    if as_json:
        out_json(value)
    else:
        out(text)


class _Voice:
    """Whether what is neither data nor a refusal is told."""

    quiet = False


def be_quiet(quiet: bool) -> None:
    """Tell from now on neither progress nor remarks, or tell them again."""
    _Voice.quiet = quiet


def remark(text: str) -> None:
    """Narrate what is neither data nor a refusal, unless nothing but these is wanted."""
    if not _Voice.quiet:
        narrate(text)


def narrate(text: str) -> None:
    """Write `text` and a newline to stderr, where there is one."""
    try:
        sys.stderr.write(visible(text).rstrip("\n") + "\n")
        sys.stderr.flush()
    except OSError:
        return


def width() -> int:
    """Return the characters of a line: the terminal's, between 40 and 120, and 80 off a terminal."""
    if not sys.stdout.isatty():
        return OFF_TERMINAL
    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size((OFF_TERMINAL, 24)).columns))


def progress() -> Callable[[Progress], None]:
    """Return what to call with each step: one line rewritten on a terminal, silence elsewhere and with --quiet."""
    return _rewrite if sys.stderr.isatty() and not _Voice.quiet else lambda _: None


def clear_progress() -> None:
    """Remove the progress line from a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _rewrite(step: Progress) -> None:
    if step.news:
        clear_progress()
        narrate(step.news)
        return
    share = f" {step.done}/{step.total}" if step.total else ""
    fleet = f", fleet {step.fleet}{f' of about {step.fleets}' if step.fleets else ''}" if step.fleet else ""
    line = visible(f"{step.message}{share}{fleet}")[: shutil.get_terminal_size((OFF_TERMINAL, 24)).columns - 1]
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


def _replace_what_does_not_encode() -> None:
    """Let a terminal without UTF-8 show a question mark rather than end the program."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None and getattr(sys.stdout, "errors", "") == "strict":
        reconfigure(errors="replace")
