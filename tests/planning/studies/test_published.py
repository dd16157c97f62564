"""The use case `published`: one study of as many tables as were asked for, kept; progress over all of them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.progress import Progress
from fleettui.domain.published_titles import TITLES
from fleettui.errors import UnknownNameError
from fleettui.planning.studies import asked, commands
from fleettui.planning.studies.published import NOT_REPRODUCED
from fleettui.planning.studies.study_context import make
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import call, find
from fleettui.planning.tasks.published import titles
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from store import Store


class Here(WorkerPool):
    """Runs tasks in this process, so that a test needs no worker."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        self.ran.append(name)
        return call(find(name), payload, Context(report=report) if report else Context())


def test_a_table_is_computed_kept_and_found_again(tmp_path: Path) -> None:
    told: list[Progress] = []
    with Store.open(tmp_path / "x.db") as store:
        found = asyncio.run(make("published", store, report=told.append, pool=Here(), table="ifs eq. 6"))
        assert store.study(found.handle) == found
    assert (found.kind, found.title, found.question) == ("published", "IFS Eq. 6", "published IFS Eq. 6")
    assert [table.title for table in found.tables] == ["IFS Eq. 6"]
    assert "2 cells of 1 published table" in found.sentences[0]
    assert told[-1].total == 1


def test_the_help_lists_every_table_and_no_other() -> None:
    assert set(TITLES) == set(titles(Context(), text=None))


def test_a_line_is_refused_before_any_work() -> None:
    command = commands()["published"]
    assert asked(command, {"table": "fleetopt table 3"})[1] == {"table": "FO T3"}
    assert asked(command, {"table": " Rivals "})[1] == {"table": "rivals"}
    assert asked(command, {})[1] == {}
    with pytest.raises(UnknownNameError, match="published table"):
        asked(command, {"table": "IFS T10"})


def test_an_unknown_table_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    pool = Here()
    with Store.open(tmp_path / "x.db") as store:
        with pytest.raises(UnknownNameError, match="published table"):
            asyncio.run(make("published", store, pool=pool, table="IFS T10"))
        assert not store.studies(most=5)
    assert pool.ran == ["published-titles"]


def test_cells_beyond_reproduction_are_counted(tmp_path: Path) -> None:
    class Made(Here):
        async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
            self.ran.append(f"{name} {report}")
            if name == "published-titles":
                return ["A", "B"]
            title = payload["title"]
            names = ("table", "cell", "printed", "paper", "recommended", "note")
            rows = [[title, "x", 1.0, 2.0, 3.0, NOT_REPRODUCED + "why"], [title, "y", 1, 1, 1, "same"]]
            return {"title": title, "columns": [{"name": one} for one in names], "rows": rows}

    with Store.open(tmp_path / "x.db") as store:
        found = asyncio.run(make("published", store, pool=Made()))
    assert found.title == "Published tables"
    assert found.sentences[0] == (
        "4 cells of 2 published tables; by the papers' own method 2 differ from what is printed, each with its cause, "
        "2 of them because no honest computation gives what is printed."
    )


def test_other_planners_are_a_study_of_their_own(tmp_path: Path) -> None:
    pool = Here()
    with Store.open(tmp_path / "x.db") as store:
        found = asyncio.run(make("published", store, pool=pool, table=" Rivals "))
        assert store.study(found.handle) == found
    assert (found.title, found.question) == ("Other planners", "published rivals")
    assert pool.ran == ["rivals-tables"]
