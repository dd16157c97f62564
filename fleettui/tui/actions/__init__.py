"""What the keys do that mean the same in every view; a view's own `do_VERB` goes before these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from fleettui.tui.actions import ancestry, copy_and_write, labels, navigation, question, report, run, studies

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {
    "ask": question.ask,
    "edit": question.edit,
    "fork": question.fork,
    "undo": question.undo,
    "open_file": question.open_file,
    "plan": run.plan,
    "proof": run.proof,
    "cancel": run.cancel,
    "resume": run.resume,
    "name": labels.name,
    "tag": labels.tag,
    "tables": studies.studies,
    "forks": ancestry.forks,
    "copy": copy_and_write.copy,
    "write": copy_and_write.write,
    "handoff": report.handoff,
    "help": navigation.help,
    "commands": navigation.commands,
    "previous": navigation.previous,
    "next": navigation.next,
    "back": navigation.back,
    "zoom": navigation.zoom,
    "compare": navigation.compare,
    "theme": navigation.theme,
    "quit": navigation.leave,
}
"""A function per verb of `fleettui.tui.keys`; one that must wait is a coroutine function."""
