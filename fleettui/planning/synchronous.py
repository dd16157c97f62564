"""The use cases for callers without an event loop; they work inside a running one too (a notebook's, say)."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.planning.make_plan import make_plan

if TYPE_CHECKING:
    from store import Store


def plan(question: Question, *, database: str | Path | None = None) -> Answer:
    """Return the cheapest fleet that answers `question`, and why; it is kept in the store.

    `database` is the store's file; None is that of the command line (FLEETTUI_DB, or the user's data folder).
    Blocks until the answer is there and proven by simulation, some seconds. An infeasible question has an answer
    too: its verdict says so, its `answer` is None and the nearest fleets stand in `candidates`. Raises InputError for
    a question that cannot be understood and StoreError when the answer cannot be kept.

    >>> from fleettui import Demand, Question, Slo, plan
    >>> found = plan(
    ...     Question(
    ...         workload="azure-2023-conv",
    ...         demand=Demand(form="rate", rate=20.0),
    ...         slo=Slo(ttft=0.5),
    ...         model="llama-3.1-70b",
    ...         gpus=("h100",),
    ...         tp=(8,),
    ...     )
    ... )
    >>> found.verdict
    'pass'
    >>> 16 <= found.answer.gpus <= 24
    True
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _plan(question, database)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(_plan, question, database).result()


def _plan(question: Question, database: str | Path | None) -> Answer:
    with ExitStack() as stack:

        def opened() -> Store:
            from store import Store

            return stack.enter_context(Store.open(Path(database) if database is not None else None))

        return asyncio.run(make_plan(question, store=opened))
