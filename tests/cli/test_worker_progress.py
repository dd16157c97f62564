import asyncio
import sys
from typing import Any

import pytest

from fleettui.cli.worker_progress import answer_of
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.planning.settings import settings
from fleettui.planning.worker_pool import WorkerPool


def test_the_work_gets_a_pool_that_is_open(proven: Answer) -> None:
    async def work(pool: WorkerPool) -> Answer:
        await asyncio.sleep(0)
        assert isinstance(pool, WorkerPool)
        return proven

    assert answer_of(work, settings(), None) is proven


def test_the_progress_line_is_gone_even_after_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from fleettui.cli import console

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    async def work(_: Any) -> Answer:
        console.progress()(Progress(message="simulating", done=14, total=30))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_of(work, settings(), 1)
    assert capsys.readouterr().err.endswith("simulating 14/30\r\x1b[K")
