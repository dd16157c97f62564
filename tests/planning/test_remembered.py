"""What a plan asks its workers again is not worked out again."""

from __future__ import annotations

from typing import Any

import pytest

from fleettui.planning import remembered
from fleettui.planning.remembered import NAMES, Remembered, key_of
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

SOURCE = {"key": "01 as given 20.0 None", "workload": "{...}", "profiles": "[...]", "rate": 20.0}
ASKED: dict[str, Any] = {"source": SOURCE, "fleet": {"pools": [{"replicas": 3}]}, "anchors": [], "share": 0.9}


class Counting(WorkerPool):
    """Returns how many tasks it was asked for so far."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:  # noqa: ARG002
        """Count the task."""
        self.asked += 1
        return self.asked


async def test_a_task_is_run_once_for_all_that_it_is_given() -> None:
    pool = Counting()
    for name in sorted(NAMES):
        first = await pool.run(name, int, **ASKED)
        assert await pool.run(name, int, **ASKED) == first
        assert await pool.run(name, int, **ASKED | {"share": 0.5}) == first + 1
    assert pool.asked == 2 * len(NAMES)


async def test_what_reads_files_or_is_kept_whole_is_run_each_time() -> None:
    pool = Counting()
    for name in ("plan", "workload", "verification-judge", "verification-replicate"):
        assert await pool.run(name, int, **ASKED) != await pool.run(name, int, **ASKED)


async def test_a_replication_that_is_only_judged_is_run_once() -> None:
    pool = Counting()
    first = await pool.run("verification-replicate", int, **ASKED, index=0, bare=True)
    assert await pool.run("verification-replicate", int, **ASKED, index=0, bare=True) == first
    assert await pool.run("verification-replicate", int, **ASKED, index=1, bare=True) == first + 1


@pytest.mark.parametrize(
    "other",
    [
        {"source": SOURCE | {"key": "01 as given 21.0 None"}},
        {"source": SOURCE | {"workload": "{....}"}},
        {"source": SOURCE | {"profiles": "[....]"}},
        {"source": SOURCE | {"workload": SOURCE["profiles"], "profiles": SOURCE["workload"]}},
        {"fleet": {"pools": [{"replicas": 4}]}},
        {"anchors": [{"seen": []}]},
    ],
)
def test_what_is_given_tells_results_apart(other: dict[str, Any]) -> None:
    assert key_of("stock", ASKED) == key_of("stock", {**ASKED})
    assert key_of("stock", ASKED) != key_of("stock", ASKED | other)
    assert key_of("stock", ASKED) != key_of("confidence", ASKED)


def test_the_result_asked_for_longest_ago_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    known = Remembered()
    for key in ("one", "two"):
        known.keep(key, key.upper())
    assert known["one"] == "ONE"
    known.keep("three", "THREE")
    known.keep("", "NONE")
    assert [key in known for key in ("one", "two", "three", "")] == [True, False, True, False]
