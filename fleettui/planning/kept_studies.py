"""List the studies that are kept, each with its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.study import Study

if TYPE_CHECKING:
    from store import Store

PAGE = 20


def list_studies(
    store: Store, plan: str | None = None, limit: int = PAGE, offset: int = 0
) -> tuple[tuple[Study, str], ...]:
    """Return `limit` studies after the first `offset`, newest first, each with its plan's handle, empty without one.

    `plan` is a ref of the plan whose studies are meant, None for all, empty for those of no plan. Raises InputError
    when there is no such plan.
    """
    found = store.studies(limit, plan, offset=offset)
    handles = {one: store.row(one).handle for one in {study.plan for study in found} if one}
    return tuple((study, handles.get(study.plan, "")) for study in found)


def studies_around(store: Store, plan: str, most: int) -> tuple[tuple[Study, str], ...]:
    """Return studies as `list_studies` does: those of the plan with this id first, then of no plan, then all others.

    At most `most` of each; an empty `plan` has none of its own.
    """
    found = [*(list_studies(store, plan, most) if plan else ()), *list_studies(store, "", most)]
    known = {study.id for study, _ in found}
    return (*found, *(one for one in list_studies(store, None, most) if one[0].id not in known))
