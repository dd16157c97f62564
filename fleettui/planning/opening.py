"""What a word that somebody wants to open means: a plan, a workload or a question file."""

from __future__ import annotations

from pathlib import Path

from fleettui.domain.opening import Opening
from fleettui.domain.path_or_name import QUESTION_FILES
from fleettui.errors import InputError
from fleettui.workloads import library

WORKLOAD_FILES = (".csv", ".json", ".jsonl", ".gz")
"""How the names of workloads end: what ends so is no plan."""


def opening_of(text: str) -> Opening:
    """Return what `text` opens: a file that is there, a shipped workload, or else the plan that it refers to.

    Whether there is such a plan is for the store to say. Raises InputError for a folder, and for what can only be the
    name of a file and is none.
    """
    path = Path(text)
    if not text.strip() or _is_folder(path):
        raise InputError("nothing can be opened here", value=text, accepted="a plan's ID, a trace, or a question file")
    if _is_file(path):
        return Opening(kind="question" if path.suffix in QUESTION_FILES else "workload", text=text)
    if text in library.names():
        return Opening(kind="workload", text=text)
    if len(path.parts) > 1 or path.suffix in (*QUESTION_FILES, *WORKLOAD_FILES):
        raise InputError("there is no such file", value=text, remedy="fleettui list shows the plans that are kept")
    return Opening(kind="plan", text=text)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
