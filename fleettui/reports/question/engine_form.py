"""How the name of a serving engine is read: one of the catalogue's, refused as GPUs and models are."""

from __future__ import annotations

from fleettui.errors import UnknownNameError
from fleettui.hardware import catalog
from fleettui.reports.question.text_forms import Form

FOLDER = "engines"


def _read(text: str, where: str | None) -> str:
    name, known = text.strip().lower(), catalog.engine_names()
    if name not in known:
        raise UnknownNameError("engine", text, known, where=where, listing=catalog.LISTINGS[FOLDER])
    return name


ENGINE = Form(_read, str)
