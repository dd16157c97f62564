"""`fleettui serve`: the app in a browser on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from fleettui.cli import console
from fleettui.cli.typer_app import new_app
from fleettui.errors import InputError

EXAMPLES = """\
\b
From another machine: ssh -L 8765:127.0.0.1:8765 HOST, then the address that
is printed.
\b
Examples:
  fleettui serve
  fleettui serve --port 9000
"""

app = new_app("serve")


@app.command("serve", epilog=EXAMPLES)
def serve(
    port: Annotated[int, typer.Option("--port", min=1024, max=65535, metavar="8765", help="where it listens")] = 8765,
) -> None:
    """Show the app in a browser of this machine, to whoever has the address with its token."""
    if find_spec("textual_serve") is None:
        what = "this needs the extra serve, which is not installed"
        raise InputError(what, where="fleettui serve", remedy="pip install 'fleettui[serve]'")
    from fleettui.planning.browser.server import HOST, BrowserServer

    try:
        BrowserServer(port, console.out).serve()
    except OSError as error:
        raise InputError(
            f"it cannot listen at {HOST}:{port}: {error.strerror}", where="--port", value=port, remedy="take another"
        ) from None
