"""The words of verdicts and of how they are known, the same on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.plan import Verdict
    from fleettui.domain.slo import Slo

VERDICT_WORDS: dict[Verdict, str] = {
    "pass": "PASS",
    "fail": "FAIL",
    "unproven": "NOT PROVEN",
    "infeasible": "INFEASIBLE",
}
KEEPS_UP = "KEEPS UP"
"""What stands in place of a pass where no limit was given."""
NOMINAL = "at nominal speed"
"""What stands beside a pass that many of the step times that the evidence allows would break."""
ABOUT = "~"
"""Stands before what is by formula beside figures that are not."""
METHOD_WORDS = {"formula": "formula", "simulation": "simulated"}


def verdict_word(verdict: Verdict, slo: Slo | None) -> str:
    """Return the word of a verdict; a fleet that was given no limit passes none, it keeps up.

    Without the limits that were asked, as a plan of an earlier file may be, it is the verdict's own.
    """
    return KEEPS_UP if verdict == "pass" and slo is not None and not slo.limits() else VERDICT_WORDS[verdict]
