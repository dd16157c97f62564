"""The keys that say how far from the edge a fleet stays."""

from __future__ import annotations

from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import SHARE, member
from fleettui.workloads.arrivals import ARRIVALS

GROUP = Group(
    "How far from the edge.",
    (
        Key("max-utilization", SHARE, "85%", "how busy a pool may be", is_setting=True),
        Key("headroom", SHARE, "10%", "share of every SLO that must be left", is_setting=True, of_given=True),
        Key("availability", SHARE, "98.7%", "share of time that a GPU is up; adds spare replicas"),
        Key("availability-target", SHARE, "99.9%", "share of time that all needed replicas of a pool must be up"),
        Key("arrivals", member(ARRIVALS), ARRIVALS.default.name, "how requests arrive", is_swept=False),
    ),
)
