"""A study of one kept plan's fleet in its short form: a function that writes on a page what it finds.

    '''How long requests wait in each pool.'''

    from fleettui.planning.studies.plan_page import Argument, PlanPage, of_plan


    async def tell(page: PlanPage, above: float) -> None:
        '''Tell the pools in which they wait so long.'''
        found = [row for row in page.rows if row.formula.ttft > above]
        page.say(f"requests wait so long in {len(found)} of {len(page.rows)} pools")
        page.pools("pools", ("ttft", "seconds", lambda row: row.formula.ttft), rows=found)
        if page.best.simulation is not None:
            page.warn("simulated they may wait longer")


    STUDY = of_plan(
        tell,
        help="how long requests wait, by pool",
        options=(Argument(name="above", reads="span", example="2s", default="1s", help="how long is too long"),),
    )

That is `waits.py` in this folder; its place is a name in KINDS of the folder's `__init__.py`. Its test is

    async def test_waits_are_told(study_of: StudyOf) -> None:
        best, study = await study_of("waits", "above 1ms")
        (pool,) = study.tables[0].records()
        assert pool["ttft"] == best.pools[0].ttft

in `tests/planning/studies/test_waits.py`, where `StudyOf` is of `tests.planning.studies.conftest`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fleettui.domain.pool_row import PoolRow
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.study_type import FIRST_TABLE, Command, StudyType

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Declared, Row, Study, StudyTable
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.picture import Picture

__all__ = ["Argument", "PlanPage", "PoolRow", "of_plan"]


class PlanPage:
    """The plan as it is `kept`, `best`, its fleet, the `desk` whose workers do what takes long, and what is told."""

    def __init__(self, desk: StudyContext, kept: KeptPlan, best: Candidate) -> None:
        self.desk, self.kept, self.best = desk, kept, best
        self._sentences: list[str] = []
        self._tables: list[StudyTable] = []
        self._warnings: list[str] = []

    @cached_property
    def rows(self) -> Sequence[PoolRow]:
        """Each pool: `row.pool`, what it is, and `row.formula`, by which limits are held to.

        By formula it may be as busy as `page.kept.question.max_utilization`.
        """
        from fleettui.reports.pools_table import by_formula

        return by_formula(self.best)

    def cost(self, row: PoolRow, replicas: float | None = None) -> float:
        """Return what a pool's GPUs cost, or so many of its replicas, in US dollars an hour.

        A pool has `row.pool.replicas` that serve, and its spares.
        """
        price = next(one.price_per_hour for one in self.kept.profiles if one.gpu == row.pool.gpu)
        return price * (row.pool.gpus if replicas is None else replicas * row.pool.gpus_per_replica)

    def say(self, *sentences: str) -> None:
        """Tell sentences, the answer first."""
        self._sentences += sentences

    def table(self, title: str, rows: Iterable[Row], *columns: Declared[Row], note: str = "") -> None:
        """Show a row for each object: a column is a name, a quantity, and what makes the cell of one, in SI units."""
        from fleettui.domain.study import table_of

        self._tables.append(table_of(title, rows, *columns, note=note))

    def pools(
        self, title: str, *columns: Declared[PoolRow], rows: Iterable[PoolRow] | None = None, note: str = ""
    ) -> None:
        """Show a row for each pool: its name, its GPUs, its requests/s and how busy it is by formula, then `columns`.

        All `page.rows` are told, unless only some are. The `note` stands behind that it is by formula.
        """
        self.table(
            title,
            self.rows if rows is None else rows,
            ("pool", "text", lambda row: row.pool.name),
            ("gpus", "count", lambda row: row.pool.gpus),
            ("rate", "rate", lambda row: row.formula.arrival_rate),
            ("busy", "share", lambda row: row.formula.utilization),
            *columns,
            note="; ".join(filter(None, ("by formula", note))),
        )

    def warn(self, *warnings: str) -> None:
        """Tell what a reader must beware of, in a line of 80 characters each."""
        self._warnings += warnings

    def study(self) -> Study:
        """Return what was told."""
        from fleettui.domain.study import Study

        plan = self.kept.answer.plan
        return Study.of(plan, sentences=self._sentences, tables=self._tables, warnings=self._warnings)


def of_plan(
    tell: Callable[..., Awaitable[Study | None]],
    *,
    help: str,
    kind: str = "",
    about: str = "",
    options: tuple[Argument, ...] = (),
    title: str = "",
    picture: Picture = FIRST_TABLE,
    view: str = "fleet",
    after: str = "capacity",
    fleet: str = "to study",
    paper: str = "has no fleet that an engine serves",
) -> StudyType:
    """Return the kind of study that `tell` writes on a page, or returns where `reports.studies` makes it.

    Unless its `kind` is said it is called as the file is, eleven letters at most; its `help` is half a line.
    `tell` has the page and the values of the `options` that are given: one that is not and has no default is its own.
    A plan is refused that is not finished, has no `fleet`, or is of the papers' preset, which lacks what `paper` says.
    The rest is the command's.
    """

    async def work(desk: StudyContext, plan: str, **values: Any) -> Study:
        kept = desk.kept(plan)
        page = PlanPage(desk, kept, kept.finished_fleet(fleet, paper=paper))
        return await tell(page, **values) or page.study()

    command = Command(help=help, about=about, view=view, after=after, arguments=(PLAN, *options))
    kind = kind or tell.__module__.rpartition(".")[2]
    return StudyType(kind=kind, work=work, title=title, picture=picture, command=command)
