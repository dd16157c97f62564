"""Schedulers: which request's prompt a batch works at next (`--admission`).

`paged` is vLLM-v1's first come, first served; with `reserved` nothing is ever preempted. A new one is a file here, its
import and its place below, and its test in `tests/scheduling`: nothing else. All that its rule may read stands in
`view`, and what it declares in `scheduler`. It is written in the subset of Python that numba compiles and calls no
other function of ours. A rank that takes the moment is asked for anew at each step; one without stays as it was when
the request came. The file may be no more than this:

>>> from fleettui.scheduling.scheduler import Scheduler
>>> from fleettui.scheduling.view import Moment, Waiting
>>> def rank(request: Waiting, moment: Moment, /) -> float:
...     if 10 * moment.free < moment.blocks:
...         return float(request.prompt - request.cached)
...     return 0.0
>>> SCHEDULER = Scheduler(
...     name="short-when-full",
...     help="prompt first while memory is short",
...     reserves=False,
...     rank=rank,
...     differs="long prompts wait longer",
... )
>>> SCHEDULER.varies
True

The compiled engine is held to the plain one with every scheduler of the registry, so that its own test may be short:
what the rule is for, on a few requests (`story` of `tests/simulation/samples.py`), or its ranks alone:

>>> from types import SimpleNamespace
>>> request = SimpleNamespace(prompt=300, cached=20)
>>> [SCHEDULER.at_moment(request, SimpleNamespace(free=free, blocks=100)) for free in (50, 5)]
[0.0, 280.0]
"""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.scheduling import (
    h2q_br,
    h2q_br_repaired,
    mlfq,
    paged,
    prefill_first,
    priority,
    reserved,
    shortest,
    shortest_aged,
    shortest_predicted,
)
from fleettui.scheduling.scheduler import Scheduler

SCHEDULERS: Registry[Scheduler] = Registry(
    "admission",
    paged.SCHEDULER,
    reserved.SCHEDULER,
    shortest.SCHEDULER,
    prefill_first.SCHEDULER,
    priority.SCHEDULER,
    shortest_predicted.SCHEDULER,
    mlfq.SCHEDULER,
    h2q_br.SCHEDULER,
    h2q_br_repaired.SCHEDULER,
    shortest_aged.SCHEDULER,
)
"""The default first; compiled code knows each by its place."""
