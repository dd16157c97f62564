"""What the plan says about power."""

from __future__ import annotations

from fleettui.reports.plan_aspects import power_text
from fleettui.tui.tabs.plan_aspect import AspectView


class PowerView(AspectView):
    """What does the fleet draw, and how near is the limit."""

    words = staticmethod(power_text)
