"""The records have what routers and schedulers see, by the names and with the values of the plain engine."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from fleettui.routing.view import Coming, PoolSeen, Seen
from fleettui.scheduling.view import Turn, Waiting
from fleettui.simulation.records import POOL, REPLICA, REQUEST
from fleettui.simulation.turns import TURN
from fleettui.simulation.twin_request import Request


@pytest.mark.parametrize(
    ("view", "record"), [(Coming, REQUEST), (Seen, REPLICA), (PoolSeen, POOL), (Waiting, REQUEST), (Turn, TURN)]
)
def test_records_have_all_that_is_seen(view: type[Any], record: Any) -> None:
    assert set(get_type_hints(view)) <= set(record.names)


@pytest.mark.parametrize("view", [Coming, Waiting, Turn])
def test_so_have_the_requests_of_the_plain_engine(view: type[Any]) -> None:
    assert set(get_type_hints(view)) <= {one.name for one in fields(Request)}


@pytest.mark.thorough
@pytest.mark.timeout(1000)
def test_new_rules_that_read_all_that_they_may_are_played_as_by_the_plain_engine(tmp_path: Path) -> None:
    """In a process of its own, since they must be in the registries before anything is compiled."""
    found = subprocess.run(
        [sys.executable, "-m", "tests.simulation.newcomers"],
        env=os.environ | {"FLEETTUI_CACHE": str(tmp_path)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=900.0,
    )
    assert found.returncode == 0, found.stderr
