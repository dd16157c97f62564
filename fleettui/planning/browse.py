"""Look at the plans that are kept: list them, show one, get back its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, PlanRow
from fleettui.domain.scenario import Question

if TYPE_CHECKING:
    from store import Store

PAGE = 50


def list_plans(store: Store, query: str = "", limit: int = PAGE, offset: int = 0) -> tuple[PlanRow, ...]:
    """Return `limit` plans after the `offset` newest, those that match `query` where it is given."""
    return store.plans(query, limit=limit, offset=offset)


def show_plan(store: Store, ref: str) -> Answer:
    """Return the stored plan that `ref` names; raises InputError when there is none."""
    return store.plan(ref)


def question_of(store: Store, ref: str) -> Question:
    """Return the question of the stored plan that `ref` names; raises InputError when there is none."""
    return store.question(ref)


def plan_handle(store: Store, ref: str) -> str:
    """Return the handle of the stored plan that `ref` names; raises InputError when there is none."""
    return store.row(ref).handle


def is_finished(store: Store, ref: str) -> bool:
    """Return whether the stored plan that `ref` names has its answer; one whose job was stopped has not."""
    return store.is_finished(ref)
