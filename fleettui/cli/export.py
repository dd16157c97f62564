"""`fleettui export`: a kept plan or study for other programs and other people."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli.text_output import Force, Output
from fleettui.cli.typer_app import new_app
from fleettui.errors import InputError

EXAMPLES = """\
\b
Examples:
  fleettui export last --format csv > candidates.csv
  fleettui export 41a7 -o question.yaml
  fleettui export 41a7 -o cost-and-latency.svg
  fleettui export 9c02 --format csv > study.csv
  fleettui export 41a7 3b50 --bundle plans.fleet
"""

app = new_app("export")


@app.command("export", epilog=EXAMPLES)
def export(
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID...", help="a handle of a plan or study, a name, last; default: last"),
    ] = None,
    output: Output = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="md, csv, json, yaml, svg; default: as the file is called"),
    ] = None,
    bundle: Annotated[
        str | None,
        typer.Option("--bundle", metavar="FILE", help="a new file with the plans whole, for fleettui import"),
    ] = None,
    force: Force = False,
) -> int:
    """Hand a kept plan over: its page, its candidates, its data, the question that asks it again, or its chart.

    With --bundle: one or more plans with all that they rest on, in one file for another machine.
    """
    from fleettui.cli.console import schema
    from fleettui.cli.open_store import open_store
    from fleettui.cli.text_output import deliver
    from fleettui.planning import export as use_case
    from fleettui.planning.user_files import format_of

    wanted_plans = refs or ["last"]
    if bundle is not None:
        return _bundle(wanted_plans, bundle, output is not None or format is not None, force=force)
    if len(wanted_plans) > 1:
        raise InputError("one plan at a time", value=" ".join(wanted_plans), remedy="add --bundle FILE for several")
    wanted = format_of(output, format, use_case.SUFFIXES)
    with open_store() as store:
        text = use_case.export(store, wanted_plans[0], wanted, schema())
    deliver(text, output, force=force)
    return 0


def _bundle(refs: list[str], bundle: str, other: bool, *, force: bool) -> int:
    from fleettui.cli.open_store import open_store
    from fleettui.cli.text_output import target_of, write

    if other:
        raise InputError("a bundle has no other format", where="--bundle", remedy="leave --format and --output out")
    target = target_of(bundle, where="--bundle", force=force)
    with open_store() as store:
        content = store.bundle(refs)
    write(target, content, where="--bundle")
    return 0
