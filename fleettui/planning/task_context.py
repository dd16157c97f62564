"""What a task may do besides compute: tell how far it is, and ask whether it should stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fleettui.domain.progress import Progress
from fleettui.errors import Interrupted


def _silent(_: Progress) -> None:
    """Report to nobody."""


def _never() -> bool:
    """Answer that nobody asked to stop."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A task's link to its caller. `Context()` alone reports to nobody and is never cancelled."""

    report: Callable[[Progress], None] = _silent
    cancelled: Callable[[], bool] = _never

    def progress(self, message: str, done: int = 0, total: int = 0) -> None:
        """Report `done` of `total` steps and stop here if asked to; raises Interrupted."""
        self.check()
        self.report(Progress(message=message, done=done, total=total))

    def check(self) -> None:
        """Raise Interrupted when the caller has asked the task to stop."""
        if self.cancelled():
            raise Interrupted("stopped; what was finished is kept")
