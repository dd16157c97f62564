"""First come, first served; each place holds blocks for the pool's whole context, so nothing is ever preempted."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler

SCHEDULER = Scheduler(name="reserved", help="blocks for the whole context", reserves=True)
