"""A test that hangs: its process tells the stacks of all threads and ends, which names the test on other cores.

One watch serves many tests. To set and end one for each took longer than most tests do: each has a thread of its own.
"""

from __future__ import annotations

import faulthandler
import math
import os
import time
from dataclasses import dataclass, field

import pytest

LIMIT = 300.0
"""Seconds that a test may take, unless its mark `timeout` says otherwise."""
AGAIN = 10.0
"""Seconds after which the next test sets the watch anew: a test has its limit, less so many at most."""


@dataclass(slots=True, eq=False)
class Watch:
    """The watch of this process, a plugin of pytest: what it was last set to, and when; `limit` 0 sets none."""

    limit: float = LIMIT
    terminal: int = field(default_factory=lambda: os.dup(2))
    last: float = 0.0
    at: float = -math.inf

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Set the watch for a test, where it was not set just now to the same."""
        mark = item.get_closest_marker("timeout")
        limit = float(mark.args[0]) if mark and self.limit else self.limit
        now = time.monotonic()
        if limit and (limit != self.last or now - self.at > AGAIN):
            faulthandler.dump_traceback_later(limit, exit=True, file=self.terminal)
            self.last, self.at = limit, now

    def pytest_exception_interact(self) -> None:
        """Let the next test set it: pytest ends it where a test fails, so that a debugger may wait."""
        self.at = -math.inf

    def pytest_sessionfinish(self) -> None:
        """End the watch with the tests."""
        faulthandler.cancel_dump_traceback_later()
        os.close(self.terminal)
