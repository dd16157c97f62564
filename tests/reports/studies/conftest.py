"""For the tests of studies: what holds of every study that one of them makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fleettui.domain.study import Study

LINE = 80 - len("! ")
"""Columns that a warning has on the smallest screen, behind its sign."""


@pytest.fixture(autouse=True)
def warnings_of_one_line(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hold the warnings of each study that the test makes to one line of the smallest screen."""
    made: list[Study] = []
    of = Study.of

    def kept(*given: Any, **named: Any) -> Study:
        made.append(of(*given, **named))
        return made[-1]

    monkeypatch.setattr(Study, "of", kept)
    yield
    assert [one for study in made for one in study.warnings if len(one) > LINE] == []
