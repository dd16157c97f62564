"""A view of some of the plans, of which a new one says which they are.

    '''The plans of which no fleet will do.'''

    from collections.abc import Sequence

    from fleettui.domain.plan_row import PlanRow
    from fleettui.tui.tabs.plan_list import PlanList
    from store import Store


    class ImpossibleView(PlanList):
        '''What cannot be had.'''

        empty = "Each plan has a fleet."

        def listed(self, store: Store) -> Sequence[PlanRow]:
            '''Return the plans without a fleet, the newest first.'''
            return store.plans("verdict:infeasible", limit=store.count("verdict:infeasible"))

That is `impossible.py`; its place is an entry of VIEWS, titled "Impossible". `store.plans` takes the words of the
filter of plans, and `sort="cost", reverse=True`; what these do not tell is asked of the rows. `columns` says more or
less of them than `plans_table` has in a list: NAME, QUESTION, FLEET, COST, VERDICT and SURE of
`fleettui.reports.plans_table` are at hand, and `verdict_words.is_too_few(row.holds)` says of which that is known to
be too little. Its test is

    async def test_plans_without_a_fleet_are_listed(make_app: Make, database: Path) -> None:
        with Store.open(database) as store:
            samples.add(store, samples.answer(name="held", holds=0.97))
            samples.add(store, samples.infeasible("too dear"))
        app = make_app()
        async with seen(app, "impossible") as (pilot, view):
            assert [row.name for row in listed(view)] == ["too dear"]

by `seen` and `listed` of `tests/tui/driving.py` and `samples` of `tests.store`. That enter shows a plan in the other
views, that keys act on the one under the cursor, and what holds for every list is tested of all.
"""

from __future__ import annotations

from fleettui.domain.plan_row import PlanRow
from fleettui.reports.plans_table import plan_columns
from fleettui.tui.actions.navigation import show_plan
from fleettui.tui.tabs.row_list import RowList


class PlanList(RowList[PlanRow]):
    """Plans, one of which is opened in the other views."""

    columns = plan_columns(wide=False, on_screen=True)

    def selected_plan(self) -> str:
        """Return the plan under the cursor."""
        return "" if self.line is None else self.line.id

    async def opened(self, row: PlanRow) -> None:
        """Show a plan in the other views."""
        await show_plan(self.fleet_app, row.id)
