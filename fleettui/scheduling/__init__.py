"""Schedulers: which request's prompt a batch works at next (`--admission`). A new one: a file, its place below.

`paged` is vLLM-v1's first come, first served; with `reserved` nothing is ever preempted.
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
)
"""The default first; compiled code knows each by its place."""
