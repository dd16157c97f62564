"""What makes one kept plan differ from another, as the command `diff` and the view Compare ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.studies.study_type import StudyType

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, old: str, new: str, *, verify: bool = True) -> Study:
    """Return what each input of the plan `new` does to the plan `old`, proven if to `verify`; it is worked out once."""
    from fleettui.planning.causes import causes

    return await causes(desk, old, new, verify=verify)


STUDY = StudyType(kind="causes", work=work)
