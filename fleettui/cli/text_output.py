"""Where a text goes: to stdout, or to a new file that is written whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli import console
from fleettui.planning.user_files import PRINTED

if TYPE_CHECKING:
    from pathlib import Path

Output = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="a new file; - prints")]
Picture = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE.svg", help="a new file with the picture")]
Force = Annotated[bool, typer.Option("--force", help="write over a file that is there")]


def deliver(text: str, output: str | None, *, force: bool) -> None:
    """Print `text`, or write it to the file `output`; raises InputError where that is taken."""
    if output is None or output == PRINTED:
        console.out(text)
    else:
        write(target_of(output, force=force), text.rstrip("\n") + "\n")


def picture_target(output: str | None, *, force: bool) -> Path | None:
    """Return the path of the picture to write, None where none is; raises InputError for one that is no new SVG."""
    from fleettui.planning.user_files import format_of

    if output is None:
        return None
    format_of(output, None, {".svg": "svg"})
    return target_of(output, force=force)


def target_of(output: str, *, where: str = "--output", force: bool) -> Path:
    """Return the path of a file to write, which the option `where` named; raises InputError where one is there that is
    not to be written over.
    """
    from fleettui.planning.user_files import check_free
    from fleettui.user_paths import path_of

    target = path_of(output, where)
    check_free(target, where, force=force, remedy="choose another, or add --force")
    return target


def write(target: Path, content: str | bytes, *, where: str = "--output") -> None:
    """Write a file whole, which the option `where` named, and say so on stderr."""
    from fleettui.planning.user_files import write_whole

    write_whole(target, content, where)
    console.remark(f"written: {target}")
