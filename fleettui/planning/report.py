"""Tell a kept plan on one page, for whoever decides: everything that the store holds of it goes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.compare import beside_earlier, changes_between
from fleettui.planning.joint_diff import asked_of_each
from fleettui.planning.joint_files import inputs_of_each, read_joint
from fleettui.planning.joint_left import beside_others
from fleettui.planning.joint_moved import fails_of_each, fleets_then
from fleettui.planning.kept_inputs import was_given
from fleettui.planning.kept_joint import KeptJoint, joint_of
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.plan_files import is_plan_file
from fleettui.reports.report.build import report
from fleettui.reports.report.joint import EarlierJoint, ToldJoint, joint_report
from fleettui.reports.report.model import Kept, Report, Then
from fleettui.reports.report.page import report_html
from fleettui.reports.report.text import report_markdown, report_text
from fleettui.reports.table import WIDTH

if TYPE_CHECKING:
    from store import Store

SUFFIXES: Mapping[str, str] = {".html": "html", ".htm": "html", ".md": "md", ".txt": "text"}
"""The formats by the ends of a file's name."""


def report_plan(store: Store, ref: str, against: str = "") -> Report:
    """Return the page on the plan that `ref` names, beside the one that `against` does where that is said.

    That may be a stored plan or a file with its JSON. Of a joint plan it is the page on all of its workloads. Raises
    InputError when there is none.
    """
    if (joint := joint_of(store, ref)) is not None:
        then = joint_beside(store, against, joint) if against else None
        return joint_report(_kept_joint(store, joint), then)
    kept = kept_plan(store, ref)
    return report(replace(kept, then=_then(store, against, kept)) if against else kept)


def joint_beside(store: Store, ref: str, now: KeptJoint) -> EarlierJoint:
    """Return the joint plan that another one is held to, and what each workload is asked for otherwise now.

    `ref` names a kept one or a file that holds one as data. Raises InputError where it names something else.
    """
    if is_plan_file(ref):
        filed, study = read_joint(ref), now.study
        causes = filed.asked_otherwise(inputs_of_each(store, study), study.engine_version)
        fails = fails_of_each(filed.then(ref), now.members)
        return EarlierJoint(study=filed.study, causes=(*fails, *causes))
    found = joint_of(store, ref)
    if found is None:
        raise InputError(
            "a joint plan is held to another one, and this is none",
            value=ref,
            remedy="fleettui list --studies shows them",
        )
    fails = fails_of_each(fleets_then(found.members), now.members)
    return EarlierJoint(study=found.study, causes=(*fails, *asked_of_each(found, now)))


def _kept_joint(store: Store, joint: KeptJoint) -> ToldJoint:
    """Return all that is told of a joint plan: its study, its workloads, and the newest growth that was worked out."""
    studies = store.studies(store.count_studies())
    asked = f"whatif {joint.handle} "
    grown = (one for one in studies if one.kind == "growth" and one.question.startswith(asked))
    members = {name: kept_plan(store, kept.id) for name, kept in joint.members.items()}
    return ToldJoint(study=joint.study, members=members, growth=next(grown, None))


def _then(store: Store, against: str, kept: Kept) -> Then:
    """Return an earlier plan beside a kept one, with the causes of the difference that are kept."""
    plan = kept.answer.plan.id
    comparison = beside_earlier(store, against, plan)
    asked = f"diff {comparison.plans[0].handle} {kept.handle}"
    known = (one for one in kept.studies if one.kind == "causes" and one.question == asked)
    study = next(known, None)
    return Then(
        comparison=comparison,
        changes=changes_between(store, (against, plan)),
        causes=() if study is None else study.sentences[1:],
    )


def written(page: Report, format: str, width: int = WIDTH) -> str:
    """Return a page in a format of `SUFFIXES`; `width` is that of text."""
    if format == "text":
        return report_text(page, width)
    return report_html(page) if format == "html" else report_markdown(page)


def kept_plan(store: Store, ref: str) -> Kept:
    """Return all that is kept of the plan that `ref` names; raises InputError when there is none."""
    kept = KeptPlan.of(store, ref)
    return Kept(
        answer=beside_others(store, kept.answer),
        scenario=kept.scenario,
        workload=kept.workload,
        profiles=kept.profiles,
        provenance=store.provenance(kept.id),
        studies=tuple(store.studies(store.count_studies(kept.id), kept.id)),
        finished=kept.finished,
        given=was_given(store, kept.id),
    )
