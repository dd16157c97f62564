"""The papers' published tables, cell by cell: printed, by preset `paper`'s method, and by ours; kept as a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.domain.progress import Progress
from fleettui.domain.serialization import from_plain
from fleettui.domain.study import Study, StudyTable
from fleettui.planning.worker_pool import WorkerPool, borrowed, together
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

SEED = 1
NOT_REPRODUCED = "not reproduced: "
"""How the note of a cell begins whose printed number no honest computation gives."""
SENTENCES = (
    "paper: the papers' own method, an 8-GPU node's speed at one GPU's price, prompts free; its fleets cannot be run.",
    "recommended: our method by formula, prompts counted, a replica is the GPUs it takes; tokens are simulated where "
    "the paper simulated.",
)
UNITS = "Seconds, watts, US dollars and shares; a dash is a value without bound or a cap that does not exist."


async def publish(
    named: str | None = None,
    *,
    store: Store,
    seed: int = SEED,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Study:
    """Return the published table that `named` names, or all of them, computed now and kept in `store`.

    Tables are worked on side by side where `pool` has several workers; `seed` is that of the simulated cells. Raises
    UnknownNameError with the list for a name of no table, and nothing is stored then.
    """
    async with borrowed(pool) as workers:
        titles = (await workers.run("published-titles", {"named": named}))["titles"]
        told = _Told(len(titles), report)

        async def one(title: str) -> StudyTable:
            found = await workers.run("published-table", {"title": title, "seed": seed}, told.step)
            told.finish()
            return from_plain(StudyTable, found["table"])

        tables = await together(one(title) for title in titles)
    return store.add_study(_study(named, tables, seed))


class _Told:
    """Tells how many of the tables are finished, with what any of the workers is at."""

    def __init__(self, tables: int, report: Report | None) -> None:
        self._tables, self._report, self._finished = tables, report, 0

    def step(self, progress: Progress) -> None:
        if self._report is not None:
            self._report(Progress(message=progress.message, done=self._finished, total=self._tables))

    def finish(self) -> None:
        self._finished += 1


def _study(named: str | None, tables: Sequence[StudyTable], seed: int) -> Study:
    cells = [row for table in tables for row in table.rows]
    missed = [f"{row[0]} {row[1]}" for row in cells if str(row[-1]).startswith(NOT_REPRODUCED)]
    count = f"{len(cells)} cells of {len(tables)} published {'table' if len(tables) == 1 else 'tables'}"
    named_so = (
        f"{len(missed)} of them cannot be reproduced honestly and say so"
        if missed
        else "each can be reproduced, some as their note says"
    )
    return Study(
        kind="published",
        title=tables[0].title if named else "Published tables",
        question=" ".join(["published", *([tables[0].title] if named else [])]),
        seed=seed,
        sentences=(f"{count}; {named_so}.", *SENTENCES, UNITS),
        tables=tuple(tables),
    )
