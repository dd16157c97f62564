"""Hand a kept plan over to what deploys it: files, made from the store, written to a folder whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.report import kept_plan
from fleettui.planning.user_files import check_free, write_whole
from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.model import Format, HandoffFile, Subject

if TYPE_CHECKING:
    from store import Store

WHERE = "--for"
FOLDER = "--output"


def formats_of(typed: str) -> tuple[Format, ...]:
    """Return the formats of a list such as `vllm,kubernetes`, each once; raises UnknownNameError."""
    names = dict.fromkeys(name.strip().lower() for name in typed.split(","))
    return tuple(FORMATS.named(name, WHERE) for name in names)


def hand_over(store: Store, ref: str, formats: Iterable[Format]) -> tuple[HandoffFile, ...]:
    """Return the files that deploy the plan that `ref` names.

    Raises InputError for a plan that is not finished, has no fleet, is of the papers' preset, or is for another engine,
    and for a format that rests on a study of which none is kept.
    """
    found = KeptPlan.of(store, ref, most=1)
    found.check_finished()
    found.check_no_paper("deploys nothing: no real GPU has them")
    subject = Subject.of(kept_plan(store, found.id))
    return tuple(file for one in formats for file in _files(subject, one))


def _files(subject: Subject, format: Format) -> tuple[HandoffFile, ...]:
    if format.engine not in (None, subject.engine.family):
        raise InputError(
            f"the plan is for {subject.engine.family}",
            where=WHERE,
            value=format.name,
            accepted=subject.engine.family,
            remedy=f"plan with --engine {format.engine}, whose steps and settings are others",
        )
    if format.study and subject.kept.study(format.study) is None:
        raise InputError(
            f"no {format.study} study of the plan is kept, from which its settings come",
            where=WHERE,
            value=format.name,
            remedy=f"fleettui {format.study} {subject.handle}",
        )
    return format.write(subject)


def written(files: Sequence[HandoffFile]) -> str:
    """Return the files as one text: one alone as it is, of several each below a line with its name."""
    if len(files) == 1:
        return files[0].text
    return "\n".join(f"# file: {one.name}\n{one.text}" for one in files)


def write_folder(files: Iterable[HandoffFile], folder: Path, *, force: bool) -> tuple[Path, ...]:
    """Write the files into a folder, which is made where it is not there; return their paths.

    Raises InputError before anything is written where a file is there that is not to be written over.
    """
    targets = {folder / one.name: one for one in files}
    for place in (folder, *dict.fromkeys(path.parent for path in targets)):
        _make(place)
    for path in targets:
        check_free(path, FOLDER, force=force, remedy="choose another folder, or add --force")
    for path, one in targets.items():
        write_whole(path, one.text, FOLDER)
    return tuple(targets)


def _make(folder: Path) -> None:
    """Make a folder where it is not there; raises InputError where that cannot be."""
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise InputError("this is a file", where=FOLDER, value=str(folder), accepted="a folder") from None
    except OSError as error:
        raise InputError(f"the folder cannot be made: {error.strerror}", where=FOLDER, value=str(folder)) from None
