"""`fleettui show`: print what a plan's or a study's own command printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli import console
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

if TYPE_CHECKING:
    from fleettui.reports.ancestry_text import Family
    from store import Store

EXAMPLES = """\
\b
Examples:
  fleettui show last
  fleettui show 41a7 --json
  fleettui show 41a7 --tree
"""
FIRST_STEPS = """\
There is no plan yet. Make one:
  fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms
fleettui --help shows the rest."""


app = new_app("show")


@app.command("show", epilog=EXAMPLES)
def show(
    ref: Annotated[
        str, typer.Argument(metavar="ID", help="a handle of a plan or study, a name, last, last~1")
    ] = "last",
    tree: Annotated[bool, typer.Option("--tree", help="what a plan was forked from, and what from it")] = False,
    as_json: AsJson = False,
) -> int:
    """Print a kept plan or study as its command printed it."""
    from fleettui.cli.open_store import open_store
    from fleettui.planning.ancestry import family

    with open_store() as store:
        if tree:
            return _show_family(family(store, ref), as_json=as_json)
        return _print(store, ref, as_json=as_json)


def _print(store: Store, ref: str, *, as_json: bool) -> int:
    """Print the plan or the study that `ref` names; return the exit code of its verdict."""
    from fleettui.cli.answer_output import print_answer
    from fleettui.cli.study_output import print_study
    from fleettui.domain.study import JOINT
    from fleettui.planning.joint_files import kept_joint_json

    noun, identifier = store.kept(ref)  # `last` may be another by the next line
    if noun == "study":
        study = store.study(identifier)
        if as_json and study.kind == JOINT:
            console.out_json(kept_joint_json(store, study))
            return console.PASS if study.verdict == "pass" else console.NOT_PASS
        return print_study(study, as_json=as_json, command="show")
    if not store.is_finished(identifier):
        console.remark("this plan is not finished; fleettui jobs shows how to go on with it")
    return print_answer(store.plan(identifier), store.question(identifier), store, as_json=as_json, command="show")


def _show_family(found: Family, *, as_json: bool) -> int:
    """Print where a plan comes from and what was made of it, each with what changed."""
    from fleettui.reports.ancestry_text import family_text
    from fleettui.reports.plan_json import envelope

    console.tell(as_json, envelope("show", tree=found), family_text(found, console.width()))
    return 0


def show_last() -> int:
    """Print the last plan with a hint, or what to type when there is none; return 0, whatever the plan's verdict."""
    from fleettui.cli.open_store import open_store

    with open_store() as store:
        if not store.plans(limit=1):
            console.out(FIRST_STEPS)
            return 0
        _print(store, "last", as_json=False)
    console.out("\nfleettui plan --help asks the next question; fleettui list shows all plans")
    return 0
