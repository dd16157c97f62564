"""Studies of the workloads of a joint plan as one: each sentence and table with the workload's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fleettui.domain.study import Study


def of_members(joint: Study, found: Mapping[str, Study], *, asked: str, title: str, most: int) -> Study:
    """Return the study of a joint plan that is made of studies of its workloads' plans, by their names.

    Of each at most so many sentences are told, after what the joint plan says itself.
    """
    said = [f"{name}: {one}" for name, study in found.items() for one in study.sentences[:most]]
    tables = [replace(one, title=f"{name}: {one.title}") for name, study in found.items() for one in study.tables]
    warned = [f"{name}: {one}" for name, study in found.items() for one in study.warnings]
    return Study(
        kind=next(iter(found.values())).kind,
        title=f"{joint.title}: {title}",
        question=asked,
        seed=joint.seed,
        sentences=(*joint.sentences[:1], *(one for one in joint.sentences[1:] if "held back" in one), *said),
        tables=tuple(tables),
        warnings=tuple(warned),
    )
