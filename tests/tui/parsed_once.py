"""Style sheets that Textual has parsed, kept for all apps of a run of the tests, which start hundreds of them.

Textual keeps them for one app alone, in a way that lets several have them: by text, place and variables.
"""

from __future__ import annotations

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


class Parsed:
    """The rules of each sheet, by all that they are made of."""

    def __init__(self) -> None:
        self._rules: dict[tuple[Any, ...], list[RuleSet]] = {}
        self._parse = Stylesheet._parse_rules

    def rules(self, sheet: Stylesheet, *given: Any, **named: Any) -> list[RuleSet]:
        """Return the rules that `sheet` makes of a text, parsed where no sheet with the same variables has been."""
        key = (given, tuple(named.items()), frozenset(sheet._variables.items()))
        if key not in self._rules:
            self._rules[key] = self._parse(sheet, *given, **named)
        return self._rules[key]


def install() -> None:
    """Let every style sheet share its rules with the others from now on."""
    parsed = Parsed()

    def rules(sheet: Stylesheet, *given: Any, **named: Any) -> list[RuleSet]:
        return parsed.rules(sheet, *given, **named)

    vars_of: Any = Stylesheet
    vars_of._parse_rules = rules
