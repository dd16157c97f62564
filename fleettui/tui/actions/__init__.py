"""What the keys do that mean the same in every view; a view's own `do_VERB` goes before these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from fleettui.tui.actions import ancestry, copy_and_write, labels, navigation, question, run, studies

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {
    **question.ACTIONS,
    **run.ACTIONS,
    **labels.ACTIONS,
    **studies.ACTIONS,
    **ancestry.ACTIONS,
    **copy_and_write.ACTIONS,
    **navigation.ACTIONS,
}
"""A function per verb of `fleettui.tui.keys`; one that must wait is a coroutine function."""
