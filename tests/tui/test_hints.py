"""Every key that a view's words name works there: in the shipped example, with a plan by formula, with a proved one."""

import re
from pathlib import Path

import pytest

from fleettui.domain.opening import Opening
from fleettui.tui import keys
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs import VIEWS
from tests.tui.conftest import Make
from tests.tui.driving import driven, lines, settle

ACTS = "asks|caps|does|edits|goes|makes|opens|plans|plays|proves|resumes|searches|sends|stops|takes|tries|undoes"
NAMED = re.compile(rf"(?<!then )(?<!is done, )(?<![\w/])([A-Za-z]) (?:{ACTS})\b")
"""A key and what it is said to do now; what is said to come first, then, is no key of this moment."""


def named(app: FleetApp) -> set[str]:
    """Return the keys that the view which is seen says do something."""
    words = " ".join(" ".join(lines(app)[2:-1]).split())
    return set(NAMED.findall(words))


def dead(app: FleetApp) -> dict[str, str]:
    """Return those of them that do nothing there, and the view."""
    here = {
        one for key in keys.keys_of(app.seen) for one in key.keys.split(",") if key.verb not in app.view.impossible()
    }
    return dict.fromkeys(named(app) - here, app.seen)


async def walked(app: FleetApp) -> tuple[set[str], dict[str, str]]:
    """Return the keys that all views name, and those of them that do nothing where they are named."""
    every: set[str] = set()
    useless: dict[str, str] = {}
    async with driven(app, size=(120, 36)) as pilot:
        for view in VIEWS:
            await app.see(view.name)
            await settle(pilot)
            every |= named(app)
            useless |= dead(app)
    return every, useless


@pytest.mark.thorough
async def test_of_the_example(database: Path, make_app: Make) -> None:
    every, useless = await walked(make_app())
    assert {"a", "r"} <= every
    assert useless == {}


@pytest.mark.thorough
@pytest.mark.parametrize("plan", ["last", "proved"])
async def test_of_a_kept_plan(filled: Path, make_app: Make, plan: str) -> None:
    every, useless = await walked(make_app(Opening(kind="plan", text=plan)))
    assert "v" in every
    assert useless == {}
