"""As SGLang has it: whatever there is of prompts makes a step of its own, before any step of decodes; blocks fill."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler

SCHEDULER = Scheduler(
    name="prefill-first",
    help="SGLang's",
    reserves=False,
    alone=True,
    differs="decodes wait longer",
)
