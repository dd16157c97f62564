"""The app over a socket, as a browser has it, without a browser."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, CookieJar, WSServerHandshakeError, web

from fleettui.planning.browser.server import COOKIE, HOST, BrowserServer
from tests.planning.simulated import children

PROGRAM = """
import os
os.write(1, b"__GANGLION__\\n")
told = b""
while b"quit" not in told:
    told += os.read(0, 1000)
"""
"""Ends when its page does, as Textual's driver does."""


@pytest.fixture
async def server() -> AsyncIterator[BrowserServer]:
    """Serve a program that draws nothing, at a port that is free."""
    said: list[str] = []
    made = BrowserServer(0, said.append, (sys.executable, "-c", PROGRAM))
    runner = web.AppRunner(await made._make_app())
    await runner.setup()
    site = web.TCPSite(runner, HOST, 0)
    await site.start()
    made.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
    made.public_url = f"http://{HOST}:{made.port}"
    yield made
    await runner.cleanup()
    assert said[0].startswith("http://127.0.0.1:0/?token=")


@pytest.fixture
async def browser() -> AsyncIterator[ClientSession]:
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:
        yield session


async def test_who_has_the_token_gets_the_app_and_nobody_else(server: BrowserServer, browser: ClientSession) -> None:
    url = server.public_url
    for path in ("/", "/?token=x", "/ws", "/static/js/textual.js", "/download/x"):
        async with browser.get(url + path) as refused:
            assert refused.status == 403, path
            assert COOKIE not in refused.cookies
    async with browser.get(server.address) as page:
        assert (page.status, str(page.url)) == (200, url + "/")
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert f'data-session-websocket-url="ws://{HOST}:{server.port}/ws' in await page.text()
    async with browser.get(url + "/static/js/textual.js") as script:
        assert script.status == 200


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
async def test_pages_of_others_do_not_reach_it(
    server: BrowserServer, browser: ClientSession, headers: dict[str, str]
) -> None:
    async with browser.get(server.address) as page:
        assert page.status == 200
    async with browser.get(server.public_url, headers=headers) as refused:
        assert refused.status == 403
    with pytest.raises(WSServerHandshakeError, match="403"):
        await browser.ws_connect(f"{server.public_url}/ws", headers=headers)


async def test_the_program_ends_with_its_page(server: BrowserServer, browser: ClientSession) -> None:
    before = set(children(os.getpid()))
    async with browser.get(server.address) as page:
        assert page.status == 200
    async with asyncio.timeout(10), browser.ws_connect(f"{server.public_url}/ws?width=80&height=24") as socket:
        await socket.send_json(["ping", "7"])
        assert await socket.receive_json() == ["pong", "7"]
        while not (begun := set(children(os.getpid())) - before):
            await asyncio.sleep(0.01)
    async with asyncio.timeout(10):
        while begun & set(children(os.getpid())):
            await asyncio.sleep(0.01)
