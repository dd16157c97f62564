"""Where a text goes: to stdout, or to a new file that is written whole."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.planning.files import PRINTED

Output = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="a new file; - prints")]
Force = Annotated[bool, typer.Option("--force", help="write over a file that is there")]


def deliver(text: str, output: str | None, *, force: bool) -> None:
    """Print `text`, or write it to the file `output` and say so on stderr; raises InputError where that is taken."""
    from fleettui.planning.files import check_free, path_of, write_whole

    if output is None or output == PRINTED:
        console.out(text)
        return
    target = path_of(output, "--output")
    check_free(target, "--output", force=force, remedy="choose another, or add --force")
    write_whole(target, text.rstrip("\n") + "\n", "--output")
    console.narrate(f"written: {target}")
