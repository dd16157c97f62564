"""How every Typer app here is made: plain help, no tracebacks, no shell files written, each option given once."""

from __future__ import annotations

from typing import Any

import typer

from fleettui.cli.given_once import CommandGivenOnce, GroupGivenOnce


class _App(typer.Typer):
    """An app whose commands, unless they are of a class of their own, refuse an option that is given twice."""

    def command(self, name: str | None = None, *, cls: type[Any] | None = None, **said: Any) -> Any:
        """Return what makes a command of a function."""
        return super().command(name, cls=cls or CommandGivenOnce, **said)


def new_app(name: str, help: str = "", epilog: str = "") -> typer.Typer:
    """Return an empty app called `name`; commands are added to it."""
    return _App(
        name=name,
        cls=GroupGivenOnce,
        help=help,
        epilog=epilog,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
