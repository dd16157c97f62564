"""What people say about a plan: its name, note and tags, and that it is archived. The one part that may change."""

from __future__ import annotations

import json

from sqlalchemy import Connection, select, update

from fleettui.errors import InputError
from fleettui.visible import has_unseen
from store.tables import PLAN

LONGEST_NAME = 80
LONGEST_NOTE = 2000
LONGEST_TAG = 40


def check_name(name: str) -> None:
    """Raise InputError unless `name` is one short line that is not read as `last`; empty means no name."""
    if len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InputError("not a plan's name", value=name, accepted=f"one line of at most {LONGEST_NAME} characters")
    if name == "last" or name.startswith("last~"):
        raise InputError("this name would be read as the last plan", value=name, accepted="any other name")


def check_tag(tag: str) -> None:
    """Raise InputError unless `tag` is one word, since a query asks for it as tag:WORD."""
    if not tag or len(tag) > LONGEST_TAG or not tag.isprintable() or any(map(str.isspace, tag)):
        raise InputError("not a tag", value=tag, accepted=f"one word of at most {LONGEST_TAG} characters")


def set_name(connection: Connection, plan: str, name: str) -> None:
    """Name the plan with this id."""
    check_name(name)
    _update(connection, plan, name=name)


def set_note(connection: Connection, plan: str, note: str) -> None:
    """Replace the note of the plan with this id; raises InputError when it is too long."""
    if len(note) > LONGEST_NOTE:
        raise InputError("the note is too long", value=len(note), accepted=f"at most {LONGEST_NOTE} characters")
    if has_unseen(note):
        raise InputError("not a note", value=note, accepted="text without control characters")
    _update(connection, plan, note=note)


def add_tag(connection: Connection, plan: str, tag: str) -> None:
    """Tag the plan with this id; a tag that it has stays single."""
    check_tag(tag)
    _update(connection, plan, tags=json.dumps(sorted({*_tags(connection, plan), tag}), ensure_ascii=False))


def remove_tag(connection: Connection, plan: str, tag: str) -> None:
    """Take a tag from the plan with this id; raises InputError when it does not bear it."""
    tags = _tags(connection, plan)
    if tag not in tags:
        raise InputError("the plan does not bear this tag", value=tag, accepted=", ".join(tags) or "it has no tags")
    _update(connection, plan, tags=json.dumps([one for one in tags if one != tag], ensure_ascii=False))


def archive(connection: Connection, plan: str, archived: bool) -> None:
    """Hide the plan with this id from lists, or show it again."""
    _update(connection, plan, archived=int(archived))


def _tags(connection: Connection, plan: str) -> list[str]:
    return list(json.loads(connection.scalars(select(PLAN.c.tags).where(PLAN.c.id == plan)).one()))


def _update(connection: Connection, plan: str, **columns: str | int) -> None:
    connection.execute(update(PLAN).where(PLAN.c.id == plan).values(**columns))
