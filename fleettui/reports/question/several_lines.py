"""Several models in the lines of a new question: a ` + ` parts what is of each, one part stands for all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from fleettui.domain.joint import LONGEST_ENTRY_NAME
from fleettui.errors import InputError
from fleettui.reports.question import also_line, five_lines
from fleettui.reports.question.also_line import ALSO
from fleettui.reports.question.conversion import Given, Texts
from fleettui.reports.question.joint_file import EntryTexts, JointTexts, check_alone

OF_EACH = ("lengths", "demand", "model", "slo")
"""The lines that may say something else of each model; GPUs and further keys are of all."""
PARTED = re.compile(r"\s+\+\s+")
WHERE = "the five lines"


def parts_of(line: str, text: str) -> list[str]:
    """Return what a line says of each model, one part where it is the same for all.

    >>> parts_of("demand", "20/s + 5/s"), parts_of("gpus", "64 h100 + 40 a100")
    (['20/s', '5/s'], ['64 h100 + 40 a100'])
    """
    return PARTED.split(text.strip()) if line in OF_EACH else [text]


def together(lines: Mapping[str, str]) -> JointTexts | None:
    """Return what the lines, by their names, ask of several models; None where they ask of one.

    Raises InputError for a line that does not read, or that says something of another number of models.
    """
    parts = {name: parts_of(name, text) for name, text in lines.items()}
    models = len(parts["model"])
    count = models if models > 1 else max(map(len, parts.values()))
    if count < 2:
        return None
    for name, said in parts.items():
        if len(said) not in (1, count):
            raise InputError(
                f"this line has {len(said)} parts, another has {count}",
                where=five_lines.phrase_of(name).label,
                value=lines[name],
                accepted=f"one for all, or {count} with ' + ' between",
            )
    shared = _given({name: text for name, text in five_lines.read("gpus", lines["gpus"]).items() if text})
    shared |= _further(lines.get(ALSO, ""))
    found = [
        {key: text for name in OF_EACH for key, text in five_lines.read(name, _of(parts[name], place)).items() if text}
        for place in range(count)
    ]
    entries = tuple(
        EntryTexts(name=name, service_class="", texts=_given(texts), where=f"{WHERE}, {name}")
        for name, texts in zip(_names(found), found, strict=True)
    )
    return JointTexts(entries=entries, shared=shared, where=f"{count} models")


def _further(text: str) -> Texts:
    """Return what the line of further keys says; raises InputError for one that several models have no use of."""
    texts = also_line.read(text, also_line.line_beside(five_lines.PHRASES))
    found = {name: Given(said, ALSO) for name, said in texts.items() if said}
    check_alone(found)
    return found


def _of(parts: Sequence[str], place: int) -> str:
    return parts[place if len(parts) > 1 else 0]


def _given(texts: Mapping[str, str]) -> dict[str, Given]:
    return {name: Given(text, WHERE) for name, text in texts.items()}


def _names(found: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a name for each: its model's, where that is of several its workload's, and a number from the second on."""
    models = {texts["model"] for texts in found}
    key = "model" if len(models) > 1 or any("workload" not in texts for texts in found) else "workload"
    names: list[str] = []
    for texts in found:
        name = PurePath(texts[key]).name[: LONGEST_ENTRY_NAME - len("-100")]
        again = sum(one == name or one.startswith(f"{name}-#") for one in names)
        names.append(f"{name}-#{again + 1}" if again else name)
    return [name.replace("-#", "-") for name in names]
