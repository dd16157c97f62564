"""How every Typer app here is made: plain help, no tracebacks, no shell files written."""

from __future__ import annotations

import typer


def new_app(name: str, help: str = "", epilog: str = "") -> typer.Typer:
    """Return an empty app called `name`; commands are added to it."""
    return typer.Typer(
        name=name,
        help=help,
        epilog=epilog,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
