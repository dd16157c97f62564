"""Text that the program is held to, kept as files that are reviewed as plain text."""

import difflib
import os
from pathlib import Path

VARIABLE = "FLEETTUI_UPDATE_FRAMES"


def compare(file: Path, text: str, update: bool | None = None) -> None:
    """Assert that a text is as it is kept; FLEETTUI_UPDATE_FRAMES=1 (or `update`) keeps this one instead."""
    if update if update is not None else os.environ.get(VARIABLE) == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", "utf-8")
        return
    assert file.exists(), f"no text {file.name} is kept; {VARIABLE}=1 writes it, python -m tests.redraw all"
    kept = file.read_text("utf-8").removesuffix("\n")
    changes = difflib.unified_diff(kept.split("\n"), text.split("\n"), "kept", "now", lineterm="", n=1)
    assert kept == text, "\n".join([f"{file.name} is another ({VARIABLE}=1 keeps it)", *changes])
