"""A web server on this machine alone, whose pages are the app: each opens a process of it, which ends with the page.

Who opens it must know the token that the address ends with; the browser keeps it in a cookie that no other site's page
makes it send. No page of another site may reach it by another name of this machine, nor open its socket.
"""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

HOST = "127.0.0.1"
COOKIE = "fleettui"
COMMAND = (sys.executable, "-P", "-m", "fleettui")


class BrowserServer(Server):
    """Serves the app of this program to whoever has its `token`."""

    def __init__(self, port: int, said: Callable[[str], None], command: tuple[str, ...] = COMMAND) -> None:
        super().__init__(shlex.join(command), host=HOST, port=port, title="fleettui")
        self.token, self._said = secrets.token_urlsafe(24), said

    @property
    def address(self) -> str:
        """Where the app is, token included."""
        return f"{self.public_url}/?token={self.token}"

    def initialize_logging(self) -> None:
        """Log nothing: the terminal shows the address."""

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002 - the library's signature
        """Say where the app is."""
        self._said(f"{self.address}\nfor whoever opens this on this machine, or through ssh -L; Ctrl-C ends it")

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guarded())
        return app

    def _guarded(self) -> Middleware:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            own = self.public_url.removeprefix("http://")
            if request.headers.get("Host") != own or request.headers.get("Origin", self.public_url) != self.public_url:
                raise web.HTTPForbidden(text="this is served at its own address alone\n")
            if request.path == "/" and self._is_token(request.query.get("token", "")):
                answer: web.StreamResponse = web.Response(status=302, headers={"Location": "/"})
                answer.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict")
            elif self._is_token(request.cookies.get(COOKIE, "")):
                answer = await handler(request)
            else:
                raise web.HTTPForbidden(text="open the address that fleettui serve has printed, token included\n")
            if not answer.prepared:
                answer.headers.update(self._headers())
            return answer

        return guard

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _headers(self) -> dict[str, str]:
        """Return what keeps the page to itself: nothing is loaded from elsewhere, and no page holds it in a frame."""
        own = f"'self' ws://{HOST}:{self.port}"
        policy = (
            f"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
            f"img-src 'self' data:; font-src 'self' data:; connect-src {own}; frame-ancestors 'none'"
        )
        return {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
