"""How a study of a kept plan is come to, and how it leaves the program: its text or its JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from fleettui.cli import console
from fleettui.cli.answer_output import NOT_PASS, PASS
from fleettui.cli.open_store import open_store
from fleettui.domain.study import Study
from fleettui.reports.study_json import study_json
from fleettui.reports.study_text import study_text

if TYPE_CHECKING:
    from fleettui.planning.worker_process import Report
    from store import Store


def study_of(work: Callable[[Store, Report | None], Awaitable[Study]]) -> Study:
    """Return what `work` comes to with the store, told on the terminal as it goes on."""
    with open_store() as store:
        try:
            return asyncio.run(_of(work(store, console.progress())))
        finally:
            console.clear_progress()


async def _of(work: Awaitable[Study]) -> Study:
    return await work


def print_study(study: Study, *, as_json: bool, command: str) -> int:
    """Print `study` and return 0: what was asked is found, whatever it is; but 3 for a verdict that is no pass."""
    if as_json:
        console.out_json(study_json(study, command))
    else:
        console.out(study_text(study, console.width()))
    return PASS if study.verdict in (None, "pass") else NOT_PASS
