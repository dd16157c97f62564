"""What sessions of agents may be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.agents import HEAVY, SHORT, Agents, longest, template, written
from fleettui.errors import InputError


def test_the_templates_are_read_as_they_are_written() -> None:
    assert [template(written(one), "--short") for one in (SHORT, HEAVY)] == [SHORT, HEAVY]
    assert longest(SHORT) == 6880


@pytest.mark.parametrize("text", ["", "4096/96", "4096/96,", "4096/96,0/5", "a/b,c/d", ",".join(["1/1"] * 65)])
def test_sessions_without_rounds_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--long: these are no rounds of a session"):
        template(text, "--long")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"share": 1.5}, "--heavy"),
        ({"load": 0.0}, "--load"),
        ({"load": 2.5}, "--load"),
        ({"sessions": 5}, "--sessions"),
        ({"tool": -1.0}, "time of a tool"),
        ({"rate": 0.0}, "rate of sessions"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(Agents(), **changes)  # type: ignore[arg-type]
