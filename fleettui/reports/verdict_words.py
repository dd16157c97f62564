"""The words of verdicts and of how they are known, the same on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.plan import Verdict

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
METHOD_WORDS = {"formula": "formula", "simulation": "simulated"}
