"""Look at the plans that are kept: list them, show one, get back its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, PlanRow
from fleettui.domain.scenario import Question

if TYPE_CHECKING:
    from store import Store

PAGE = 50


def list_plans(
    store: Store,
    query: str = "",
    limit: int = PAGE,
    offset: int = 0,
    *,
    sort: str = "created",
    reverse: bool = False,
    archived: bool = False,
) -> tuple[PlanRow, ...]:
    """Return `limit` plans after the first `offset`, those that match `query` where it is given.

    They are sorted as `Store.plans` says, the newest first; those that were put away are left out unless asked for.
    """
    return store.plans(query, sort=sort, reverse=reverse, limit=limit, offset=offset, archived=archived)


def count_plans(store: Store, query: str = "", *, archived: bool = False) -> int:
    """Return how many plans `list_plans` would list in all."""
    return store.count(query, archived=archived)


def show_plan(store: Store, ref: str, most: int | None = None) -> Answer:
    """Return the stored plan that `ref` names, with its first `most` candidates where that is given.

    Raises InputError when there is none.
    """
    return store.plan(ref, most=most)


def question_of(store: Store, ref: str) -> Question:
    """Return the question of the stored plan that `ref` names; raises InputError when there is none."""
    return store.question(ref)


def plan_handle(store: Store, ref: str) -> str:
    """Return the handle of the stored plan that `ref` names; raises InputError when there is none."""
    return store.row(ref).handle


def is_finished(store: Store, ref: str) -> bool:
    """Return whether the stored plan that `ref` names has its answer; one whose job was stopped has not."""
    return store.is_finished(ref)
