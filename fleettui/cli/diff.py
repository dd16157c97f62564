"""`fleettui diff`: what differs between two kept plans, and what caused it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli.compare import Every, Markdown
from fleettui.cli.options import AsJson
from fleettui.cli.typer_app import new_app

if TYPE_CHECKING:
    from fleettui.reports.comparison.model import Comparison
    from fleettui.reports.input_changes import Change

EXAMPLES = """\
\b
Examples:
  fleettui diff last~1 last
  fleettui diff 41a7 40f2 --json
  fleettui diff 41a7 40f2 --no-verify
  fleettui diff plan.json last --md
"""

app = new_app("diff")


@app.command("diff", epilog=EXAMPLES)
def diff(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="the plan that it is compared with, or a file with its JSON")
    ] = "last~1",
    new: Annotated[str, typer.Argument(metavar="NEW", help="the plan that is looked at")] = "last",
    *,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="what each of several inputs adds by formula, in a second")
    ] = False,
    every: Every = False,
    markdown: Markdown = False,
    as_json: AsJson = False,
) -> int:
    """Print what differs between two plans, and what caused it: each input applied alone, and one after another.

    Between simulated plans each of the inputs is simulated, too, which takes what a plan does; where one alone differs,
    all that was proven to differ is its. Of plans by formula so is what each adds.
    Of a plan in a file it is told which inputs changed, not what each adds; of joint plans, how each workload differs;
    of two studies, what compare shows.
    """
    from fleettui.cli import console
    from fleettui.cli.open_store import open_store
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import settings
    from fleettui.planning.compare import beside_earlier, changes_between, compare_studies
    from fleettui.planning.joint_diff import joint_diff
    from fleettui.planning.plan_files import is_plan_file
    from fleettui.planning.studies.study_context import make
    from fleettui.reports.comparison.text import comparison_json, comparison_markdown, comparison_text
    from fleettui.reports.study_text import study_json, study_text

    chosen = settings.settings()
    with open_store(chosen) as store:
        files = is_plan_file(old) or is_plan_file(new)
        if not files and (joint := joint_diff(store, old, new)) is not None:
            return print_study(joint, as_json=as_json, command="diff")
        if not files and (studies := compare_studies(store, (old, new))) is not None:
            return print_study(studies, as_json=as_json, command="diff")
        found, report = beside_earlier(store, old, new), console.progress()
        if files:
            changes = changes_between(store, (old, new))
            return _without_causes(found, changes, every=every, markdown=markdown, as_json=as_json)
        study = answer_of(
            lambda pool: make("causes", store, report=report, pool=pool, old=old, new=new, verify=not no_verify),
            chosen,
            workers=None,
        )
    if as_json:
        console.out_json({**comparison_json(found, "diff"), "causes": study_json(study, "diff")})
    elif markdown:
        console.out(f"{comparison_markdown(found, every_row=every)}\n\n```\n{study_text(study, console.width())}\n```")
    else:
        console.out(
            f"{comparison_text(found, console.width(), every_row=every)}\n\n{study_text(study, console.width())}"
        )
    return 0


def _without_causes(found: Comparison, changes: Sequence[Change], *, every: bool, markdown: bool, as_json: bool) -> int:
    """Print what differs, and which inputs do: a file does not hold what each is applied to alone."""
    from fleettui.cli import console
    from fleettui.reports.changes_text import changes_data, changes_markdown, changes_text
    from fleettui.reports.comparison.text import comparison_json, comparison_markdown, comparison_text

    if as_json:
        console.out_json({**comparison_json(found, "diff"), "changes": changes_data(changes)})
    elif markdown:
        console.out(f"{comparison_markdown(found, every_row=every)}\n\n{changes_markdown(changes)}")
    else:
        told = changes_text(changes, console.width())
        console.out(f"{comparison_text(found, console.width(), every_row=every)}\n\n{told}")
    return 0
