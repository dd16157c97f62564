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
ENOUGH = 0.8
"""Share of the cases below which a fleet that passes does so at nominal speed only."""
ABOUT = "~"
"""Stands before what is by formula beside figures that are not."""
METHOD_WORDS = {"formula": "formula", "simulation": "simulated"}


def verdict_word(verdict: Verdict, slo: Slo | None) -> str:
    """Return the word of a verdict; a fleet that was given no limit passes none, it keeps up.

    Without the limits that were asked, as a plan of an earlier file may be, it is the verdict's own.
    """
    return KEEPS_UP if verdict == "pass" and slo is not None and not slo.limits() else VERDICT_WORDS[verdict]


def is_too_few(share: float) -> bool:
    """Return whether a share of the cases in which a fleet suffices is too small to call it enough."""
    return share < ENOUGH


def known_word(word: str, *, nominal: bool, by_formula: bool) -> str:
    """Return the word of a verdict with what it is known by, or that it is a pass at `nominal` speed only.

    >>> known_word("PASS", nominal=False, by_formula=True), known_word("PASS", nominal=True, by_formula=True)
    ('PASS by formula', '~PASS at nominal speed')
    """
    if nominal:
        return f"{ABOUT * by_formula}{word} {NOMINAL}"
    return f"{word} by {METHOD_WORDS['formula']}" if by_formula else word
