"""Hand a kept plan over: as a page, a table, data, the question that asks it again, or a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.joint_files import kept_joint_json
from fleettui.planning.kept_joint import KeptJoint, joint_of
from fleettui.planning.plan_files import kept_json
from fleettui.planning.report import kept_plan, report_plan
from fleettui.planning.study_files import study_file, written_json
from fleettui.reports import fleet_file
from fleettui.reports.candidate_chart import candidate_chart
from fleettui.reports.candidates_table import candidate_columns
from fleettui.reports.chart_svg import chart_svg
from fleettui.reports.columns import csv_text
from fleettui.reports.question import conversion, question_file
from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept
from fleettui.reports.report.text import report_markdown

if TYPE_CHECKING:
    from store import Store

SUFFIXES: Mapping[str, str] = {
    ".md": "md",
    ".csv": "csv",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".svg": "svg",
}
"""The formats by the ends of a file's name."""


def export(store: Store, ref: str, format: str, schema: int = 1) -> str:
    """Return the plan or the study that `ref` names in a format of `SUFFIXES`, JSON in a schema.

    Of a joint plan: its page, its workloads' fleets, its data. Raises InputError when there is nothing of that name,
    and for a format that a joint plan or a study does not have.
    """
    if (joint := joint_of(store, ref)) is not None:
        return _joint(store, joint, format, schema)
    noun, identifier = store.kept(ref)
    if noun == "study":
        return study_file(store.study(identifier), format, schema)
    if format == "json":
        return written_json(kept_json(store, ref), schema)
    return _WRITERS[format](kept_plan(store, ref))


def _joint(store: Store, joint: KeptJoint, format: str, schema: int) -> str:
    """Return a joint plan in a format."""
    if format == "md":
        return report_markdown(report_plan(store, joint.handle))
    if format == "json":
        return written_json(kept_joint_json(store, joint.study, "export"), schema)
    if format == "csv":
        return study_file(joint.study, format, schema)
    raise InputError(
        "a joint plan cannot be written in this format",
        where="--format",
        value=format,
        accepted="md, csv, json",
        remedy="the question is the file that asked it; export takes each workload's plan, too",
    )


def _csv(kept: Kept) -> str:
    answer = kept.answer
    return csv_text(candidate_columns(kept.scenario.question, answer.answer), answer.candidates)


def _yaml(kept: Kept) -> str:
    """Return the question, or a fleet that was simulated as it was given, with what was asked of it."""
    best, values = kept.answer.answer, conversion.to_values(kept.scenario.question)
    return fleet_file.write(best.fleet, values) if kept.given and best is not None else question_file.write(values)


def _svg(kept: Kept) -> str:
    best = kept.answer.answer
    chosen = "" if best is None else best.candidate
    chart = candidate_chart(kept.answer.candidates, kept.scenario.question, chosen)
    return chart_svg(replace(chart, notes=(*chart.notes, _known(kept))))


def _known(kept: Kept) -> str:
    """Return how the latencies are known: most fleets of a plan are ranked by formula alone."""
    simulated = sum(one.simulation is not None for one in kept.answer.candidates)
    return f"{simulated} of {len(kept.answer.candidates)} simulated, the others by formula"


_WRITERS: Mapping[str, Callable[[Kept], str]] = {
    "md": lambda kept: report_markdown(report(kept)),
    "csv": _csv,
    "yaml": _yaml,
    "svg": _svg,
}
