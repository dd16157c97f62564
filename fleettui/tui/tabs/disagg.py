"""What the plan says about splitting prefill from decode."""

from __future__ import annotations

from fleettui.reports.plan_aspects import disagg_text
from fleettui.tui.tabs.plan_aspect import AspectView


class DisaggView(AspectView):
    """What do prefill and decode do to each other."""

    words = staticmethod(disagg_text)
