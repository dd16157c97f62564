"""Studies of the workloads of a joint plan as one: each sentence and table with the workload's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fleettui.domain.study import Study


def of_members(joint: Study, found: Mapping[str, Study], *, kind: str, asked: str, title: str, most: int) -> Study:
    """Return the study of a joint plan, of a kind, that is made of studies of its workloads' plans, by their names.

    Of each at most so many sentences are told, after what the joint plan says itself; that is all where it found no
    fleets. What all of them warn of is told once.
    """
    own = [one for one in joint.sentences[1:] if "held back" in one or not found]
    said = [f"{name}: {one}" for name, study in found.items() for one in study.sentences[:most]]
    tables = [replace(one, title=f"{name}: {one.title}") for name, study in found.items() for one in study.tables]
    tables += [] if found else joint.tables
    each = [study.warnings for study in found.values()]
    alike = [one for one in each[0] if all(one in own for own in each)] if len(each) > 1 else []
    warned = [f"{name}: {one}" for name, study in found.items() for one in study.warnings if one not in alike]
    return Study(
        kind=kind,
        title=f"{joint.title}: {title}",
        question=asked,
        seed=joint.seed,
        sentences=(*joint.sentences[:1], *own, *said),
        tables=tuple(tables),
        warnings=(*alike, *warned),
    )
