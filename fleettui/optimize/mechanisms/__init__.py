"""What published simulators show of a mechanism, shown by our engine: a direction with its interval, row by row.

A new table is a file here and its line below. What is printed and cannot be had without the paper's machines stands in
its row, and says so.
"""

from __future__ import annotations

from fleettui.optimize.mechanisms import (
    afd_steps,
    agent_sessions,
    cheaper_roles,
    drafts,
    frontiers,
    padding,
    prefill_first,
    rollouts,
)
from fleettui.optimize.mechanisms.mechanism import Mechanism

MECHANISMS: tuple[Mechanism, ...] = (
    agent_sessions.MECHANISM,
    prefill_first.MECHANISM,
    padding.MECHANISM,
    drafts.MECHANISM,
    afd_steps.MECHANISM,
    frontiers.MECHANISM,
    cheaper_roles.MECHANISM,
    rollouts.MECHANISM,
)
