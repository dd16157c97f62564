"""Say something about a kept plan: its name, a note, tags, and that it is put away. Nothing else of a plan changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.plan import PlanRow

if TYPE_CHECKING:
    from store import Store


def name_plan(store: Store, ref: str, name: str) -> PlanRow:
    """Name the plan that `ref` names and return its row; empty takes the name away. Raises InputError."""
    plan = store.row(ref).id
    store.set_name(plan, name)
    return store.row(plan)


def note_plan(store: Store, ref: str, note: str) -> PlanRow:
    """Replace the note of a plan and return its row; empty takes the note away. Raises InputError."""
    plan = store.row(ref).id
    store.set_note(plan, note)
    return store.row(plan)


def tag_plan(store: Store, ref: str, tag: str) -> PlanRow:
    """Tag a plan with one word and return its row. Raises InputError."""
    plan = store.row(ref).id
    store.add_tag(plan, tag)
    return store.row(plan)


def untag_plan(store: Store, ref: str, tag: str) -> PlanRow:
    """Take a tag from a plan and return its row; raises InputError when it does not bear it."""
    plan = store.row(ref).id
    store.remove_tag(plan, tag)
    return store.row(plan)


def archive_plan(store: Store, ref: str, archived: bool = True) -> PlanRow:
    """Hide a plan from lists and from `last`, or with False show it again, and return its row. Raises InputError."""
    plan = store.row(ref).id
    store.archive(plan, archived)
    return store.row(plan)
