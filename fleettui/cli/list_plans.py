"""`fleettui list`: the plans, or the studies, that are kept."""

from __future__ import annotations

from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app
from fleettui.errors import InputError

EXAMPLES = """\
\b
Examples:
  fleettui list
  fleettui list azure --limit 5 --json
  fleettui list "cost<150 rate>=100 verdict:pass since:14d"
  fleettui list --sort cost
  fleettui list --studies
  fleettui list 41a7 --studies
"""

MOST_PLANS = 10**9

app = new_app("list")


@app.command("list", epilog=EXAMPLES)
def list_plans(
    query: Annotated[
        str, typer.Argument(help="words to find in handle, name, workload, model, GPU or tags; or cost<150")
    ] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, metavar="20", help="most plans to list")] = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, max=MOST_PLANS, metavar="0", help="plans to pass over")] = 0,
    sort: Annotated[
        str, typer.Option("--sort", metavar="cost", help="created, cost, name, ttft or verdict (default created)")
    ] = "created",
    reverse: Annotated[bool, typer.Option("--reverse", help="the other way round")] = False,
    archived: Annotated[bool, typer.Option("--archived", help="archived plans too")] = False,
    studies: Annotated[bool, typer.Option("--studies", help="studies instead, of the plan that QUERY names")] = False,
    as_json: AsJson = False,
) -> None:
    """List the kept plans, newest first, or with --studies what was asked beyond them."""
    if studies:
        _refuse_with_studies(sort != "created" and "--sort", reverse and "--reverse", archived and "--archived")
        _list_studies(query, limit=limit, offset=offset, as_json=as_json)
        return
    from fleettui.cli.open_store import open_store
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.plans_table import plans_table
    from fleettui.reports.table import render

    with open_store() as store:
        rows = store.plans(query, limit=limit, offset=offset, sort=sort, reverse=reverse, archived=archived)
    if as_json:
        console.out_json(envelope("list", plans=rows))
    elif rows:
        console.out(render(plans_table(rows), console.width()))
    else:
        console.remark(f"no plan matches {query!r}" if query else "no plan yet; fleettui plan --help shows how")


def _refuse_with_studies(*options: str | bool) -> None:
    """Raise InputError where one of `options` is given, which are False or the option's name."""
    if given := [option for option in options if option]:
        raise InputError("studies are listed newest first, and none is archived", where=str(given[0]))


def _list_studies(plan: str, *, limit: int, offset: int, as_json: bool) -> None:
    """Print the studies, those of `plan` where it is given."""
    from fleettui.cli.open_store import open_store
    from fleettui.planning.kept_studies import list_studies
    from fleettui.reports.plan_json import envelope
    from fleettui.reports.studies_table import studies_json, studies_table
    from fleettui.reports.table import render

    with open_store() as store:
        found = list_studies(store, plan or None, limit, offset)
    if as_json:
        console.out_json(envelope("list", studies=studies_json(found)))
    elif found:
        console.out(render(studies_table(found), console.width()))
    else:
        console.remark(f"no study of {plan}" if plan else "no study yet; fleettui whatif --help shows how")
