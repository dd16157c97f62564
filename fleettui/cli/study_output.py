"""How a study leaves the program: its text or its JSON."""

from __future__ import annotations

from fleettui.cli import console
from fleettui.domain.study import Study
from fleettui.reports.study_text import study_json, study_text


def print_study(study: Study, *, as_json: bool, command: str) -> int:
    """Print `study` and return 0: what was asked is found, whatever it is; but 3 for a verdict that is no pass."""
    if as_json:
        console.out_json(study_json(study, command))
    else:
        console.out(study_text(study, console.width()))
    return console.PASS if study.verdict in (None, "pass") else console.NOT_PASS
