"""First come, first served; a request joins while blocks for its prompt are free, and may be preempted as they fill."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler

SCHEDULER = Scheduler(name="paged", help="cache blocks as they fill", reserves=False)
