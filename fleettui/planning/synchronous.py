"""The use cases for callers without an event loop; they work inside a running one too (a notebook's, say).

Each takes `database`, the store's file; None is that of the command line (FLEETTUI_DB, or the user's data folder). Each
blocks until it is done, and raises InputError for what cannot be understood and StoreError for what cannot be kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fleettui.domain.fleet import FleetSketch
from fleettui.domain.scenario import Question
from fleettui.errors import UnknownNameError
from fleettui.planning.compare import compare_plans
from fleettui.planning.fleet_files import read_fleet
from fleettui.planning.make_plan import make_plan
from fleettui.planning.results import ComparisonResult, PlanResult, StudyResult
from fleettui.planning.simulate import simulate as simulate_fleet
from fleettui.planning.studies import arguments_of, asked, commands
from fleettui.planning.studies.study_context import make
from fleettui.planning.verify import verify as verify_more
from fleettui.reports.question import conversion
from fleettui.reports.question.conversion import Given

if TYPE_CHECKING:
    from store import Store

Found = TypeVar("Found")
Database = str | Path | None
WHATIF = "whatif"


def question(workload: str = "", **texts: object) -> Question:
    """Return the question that the options of `fleettui plan` ask, by their names with `_` for `-`.

    >>> from fleettui import question
    >>> asked = question("azure-2023-conv", rate="6000/min", slo_ttft="500ms", gpu="h100", tp=8)
    >>> asked.demand.rate, asked.slo.ttft, asked.gpus
    (100.0, 0.5, ('h100',))
    >>> asked == question(workload="azure-2023-conv", rate="100/s", slo_ttft="500ms", gpu="h100", tp=8)
    True
    """
    given = {name.replace("_", "-"): str(value) for name, value in texts.items()} | {"workload": workload}
    read = {name: Given(text, name) for name, text in given.items() if text}
    conversion.check_together(read)
    return conversion.to_question(conversion.parse(read))


def plan(question: Question, *, database: Database = None) -> PlanResult:
    """Return the cheapest fleet that answers `question`, proven by simulation, and why; it is kept in the store.

    An infeasible question has an answer too: its verdict says so, its `answer` is None and the nearest fleets stand in
    `candidates`.

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
    >>> found.to_dict()["answer"]["gpus"] == found.answer.gpus
    True
    """
    return _kept(database, lambda store: make_plan(question, store=store))


def simulate(fleet: FleetSketch | str | Path, question: Question, *, database: Database = None) -> PlanResult:
    """Return what simulation shows of a fleet, a value or a file, under the traffic and the limits of `question`."""
    sketch = fleet if isinstance(fleet, FleetSketch) else read_fleet(str(fleet), conversion.to_values(question))
    return _kept(database, lambda store: simulate_fleet(sketch, question, store=store))


def verify(
    plan: PlanResult | str, *, precision: float | None = None, seed: int | None = None, database: Database = None
) -> PlanResult:
    """Return a kept plan with more proof of its answer: to a half-width of `precision`, or of another root seed."""
    ref = _ref(plan)
    return _kept(database, lambda store: verify_more(store(), ref, precision=precision, seed=seed))


def whatif(plan: PlanResult | str = "last", *, database: Database = None, **options: object) -> StudyResult:
    """Return a study of a kept plan, by the options of `fleettui whatif` with `_` for `-`: growth="8%/month".

    Several of one option are a tuple: sweep=("rate=50/s,100/s", "gpu=h100,a100").

    >>> from fleettui import plan, question, whatif
    >>> found = plan(question("azure-2023-conv", rate="20/s", slo_ttft="500ms", gpu="h100", tp=8, verify=False))
    >>> table = whatif(found, sweep="rate=10/s,40/s").to_frame()
    >>> [float(rate) for rate in table["rate"]], bool(table["gpus"].is_monotonic_increasing)
    ([10.0, 40.0], True)
    """
    return study(WHATIF, plan, database=database, **options)


def study(
    command: str, about: PlanResult | str = "last", *, database: Database = None, **options: object
) -> StudyResult:
    """Return the study that a command such as `why` or `routers` asks for, with its options, `_` for `-`.

    `about` is a kept plan, or what the command's first word is otherwise. Raises UnknownNameError, with the list, for
    what is no such command.

    >>> from fleettui import study
    >>> study("published", "fo t2").tables[0].title
    'FO T2'
    """
    if command not in commands():
        raise UnknownNameError("study", command, commands())
    asks = commands()[command]
    forms = {one.name: one.form for one in arguments_of(asks)}
    word = next((name for name, form in forms.items() if form == "word"), None)
    given: dict[str, Any] = {} if word is None else {word: _ref(about)}
    for name, value in options.items():
        text = name.replace("_", "-")
        several = value if isinstance(value, tuple) else (value,)
        said = tuple(one if one is True else str(one) for one in several)
        given[text] = said if forms.get(text) == "several" else said[0]
    kind, values = asked(asks, given)
    return _in_store(database, lambda store: _studied(kind.kind, store, values))


def compare(*plans: PlanResult | str, database: Database = None) -> ComparisonResult:
    """Return kept plans side by side: what differs, what is better, what is proven; the first is the baseline.

    >>> from fleettui import compare, load, plan, question
    >>> asked = {"rate": "20/s", "slo_ttft": "500ms", "gpu": "h100", "tp": 8, "verify": False}
    >>> first, second = (plan(question("azure-2023-conv", **asked, prefix_hit=hit)) for hit in ("0%", "50%"))
    >>> [one["id"] for one in compare(first, second).to_dict()["plans"]] == [first.plan.id, second.plan.id]
    True
    >>> load("last") == second
    True
    """
    refs = [_ref(one) for one in plans]

    async def work(store: Callable[[], Store]) -> ComparisonResult:
        return ComparisonResult(compare_plans(store(), refs))

    return _in_store(database, work)


def load(ref: str = "last", *, database: Database = None) -> PlanResult | StudyResult:
    """Return the kept plan or study that `ref` names: a handle or its start, a name, last, last~1."""

    async def work(store: Callable[[], Store]) -> PlanResult | StudyResult:
        kind, identifier = store().kept(ref)
        if kind == "study":
            return StudyResult(store().study(identifier))
        return PlanResult(store().plan(identifier), store().question(identifier))

    return _in_store(database, work)


def _ref(plan: PlanResult | str) -> str:
    return plan.plan.id if isinstance(plan, PlanResult) else plan


async def _studied(kind: str, store: Callable[[], Store], values: dict[str, Any]) -> StudyResult:
    return StudyResult(await make(kind, store, **values))


def _kept(database: Database, work: Callable[[Callable[[], Store]], Coroutine[Any, Any, Any]]) -> PlanResult:
    """Return the plan that `work` comes to, with its question as it is kept."""

    async def whole(store: Callable[[], Store]) -> PlanResult:
        answer = await work(store)
        return PlanResult(answer, store().question(answer.plan.id))

    return _in_store(database, whole)


def _in_store(database: Database, work: Callable[[Callable[[], Store]], Coroutine[Any, Any, Found]]) -> Found:
    """Return what `work` comes to, given a function that opens the store; in a thread where an event loop runs."""

    def run() -> Found:
        with ExitStack() as stack:

            @cache
            def opened() -> Store:
                from store import Store

                return stack.enter_context(Store.open(Path(database) if database is not None else None))

            return asyncio.run(work(opened))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(run).result()
