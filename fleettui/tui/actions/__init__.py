"""What the keys do that mean the same in every view; a view's own `do_VERB` goes before these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from fleettui.tui.actions import family, hand_over, labels, moving, question, studies, work

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {
    **question.ACTIONS,
    **work.ACTIONS,
    **labels.ACTIONS,
    **studies.ACTIONS,
    **family.ACTIONS,
    **hand_over.ACTIONS,
    **moving.ACTIONS,
}
"""A function per verb of `fleettui.tui.keys`; one that must wait is a coroutine function."""
