"""As SGLang has it: whatever there is of prompts makes a step of its own, before any step of decodes; blocks fill."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler

SCHEDULER = Scheduler(
    name="prefill-first",
    help="SGLang's",
    reserves=False,
    alone=True,
    caution=(
        "the formulas take the engine's own steps; under admission prefill-first decodes stand still while prompts "
        "run: trust the simulation, or say --prompt-steps alone, which the formulas know"
    ),
)
