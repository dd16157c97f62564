"""A study of one kept plan's fleet in its short form: a function that writes on a page what it finds.

    async def tell(page: PlanPage, above: float = 0.0) -> None:
        page.say("how long requests wait, by pool")
        page.pools("waits", ("ttft", "seconds", lambda row: row.formula.ttft))

    STUDY = of_plan(
        tell,
        kind="waits",
        help="how long requests wait, by pool",
        options=(Argument(name="above", reads="span", example="10s", help="only pools that wait as long"),),
    )

Where not every pool is told, `page.table` takes the rows: `by_formula(page.best)` of `reports.pools_table` are all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from fleettui.planning.studies.argument import PLAN
from fleettui.planning.studies.study_type import FIRST_TABLE, Command, StudyType

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Declared, Row, Study, StudyTable
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.argument import Argument
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.picture import Picture
    from fleettui.reports.pools_table import PoolRow


class PlanPage:
    """The plan as it is `kept`, `best`, its fleet, the `desk` whose workers do what takes long, and what is told."""

    def __init__(self, desk: StudyContext, kept: KeptPlan, best: Candidate) -> None:
        self.desk, self.kept, self.best = desk, kept, best
        self._sentences: list[str] = []
        self._tables: list[StudyTable] = []
        self._warnings: list[str] = []

    def say(self, *sentences: str) -> None:
        """Tell sentences, the answer first."""
        self._sentences += sentences

    def table(self, title: str, rows: Iterable[Row], *columns: Declared[Row], note: str = "") -> None:
        """Show a row for each object: a column is a name, a quantity, and what makes the cell of one, in SI units."""
        from fleettui.domain.study import table_of

        self._tables.append(table_of(title, rows, *columns, note=note))

    def pools(self, title: str, *columns: Declared[PoolRow], note: str = "by formula") -> None:
        """Show a row for each pool: its name, its GPUs, its requests/s and how busy it is by formula, then `columns`.

        A pool may be as busy as `page.kept.question.max_utilization` by formula.
        """
        from fleettui.reports.pools_table import by_formula

        self.table(
            title,
            by_formula(self.best),
            ("pool", "text", lambda row: row.pool.name),
            ("gpus", "count", lambda row: row.pool.gpus),
            ("rate", "rate", lambda row: row.formula.arrival_rate),
            ("busy", "share", lambda row: row.formula.utilization),
            *columns,
            note=note,
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
    kind: str,
    help: str,
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

    `tell` has the page and the values of the `options` that are given: one that is not and has no default is its own.
    A plan is refused that is not finished, has no `fleet`, or is of the papers' preset, which lacks what `paper` says.
    The rest is the command's.
    """

    async def work(desk: StudyContext, plan: str, **values: Any) -> Study:
        kept = desk.kept(plan)
        page = PlanPage(desk, kept, kept.finished_fleet(fleet, paper=paper))
        return await tell(page, **values) or page.study()

    command = Command(help=help, about=about, view=view, after=after, arguments=(PLAN, *options))
    return StudyType(kind=kind, work=work, title=title, picture=picture, command=command)
