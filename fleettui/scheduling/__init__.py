"""Schedulers: which waiting request joins a batch, and when (`--admission`). A new one: a file, its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.scheduling import paged, reserved, shortest
from fleettui.scheduling.scheduler import Scheduler

SCHEDULERS: Registry[Scheduler] = Registry("admission", paged.SCHEDULER, reserved.SCHEDULER, shortest.SCHEDULER)
"""The default first; compiled code knows each by its place."""
