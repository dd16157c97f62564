"""How the command line opens the app, which it does not know: through a function that the program's entry gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from fleettui.domain.opening import Opening
    from fleettui.planning.settings import Setting


class Launch(Protocol):
    """Shows the app at a place."""

    def __call__(self, where: Opening, chosen: tuple[Setting, ...], /) -> int | str:
        """Return the exit code, or why the app cannot be shown; raises InputError for a plan that is not there."""


def nowhere(_where: Opening, _chosen: tuple[Setting, ...], /) -> str:
    """Show nothing, for want of a terminal."""
    return "there is no terminal"


def launcher_of(context: Any) -> Launch:
    """Return what a command's context was given to show the app with."""
    return cast("Launch", context.obj)
