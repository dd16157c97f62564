"""Marked plans side by side, or the plan that is shown beside the one it was forked from; and laid over."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from fleettui.domain.plan import Candidate
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.compare import compared, earlier_fails, spread_of
from fleettui.reports.chart_svg import chart_svg
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.metrics import least_proven
from fleettui.reports.comparison.model import Compared, Comparison
from fleettui.reports.comparison.pictures import KINDS, Kind, Picture, picture
from fleettui.reports.comparison.spread import Spread
from fleettui.reports.comparison.text import comparison_json, comparison_markdown, comparison_text
from fleettui.reports.study_text import study_text
from fleettui.reports.table import render, wrap
from fleettui.tui.background_reader import BackgroundReader
from fleettui.tui.tabs import named
from fleettui.tui.tabs.delivery import Delivery, known
from fleettui.tui.tabs.view import View
from fleettui.tui.widgets.plot import Plot
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

if TYPE_CHECKING:
    from store import Store

HOW = f"Mark plans with space in {named('plans').label}, then c."
MARKED = "{} marked, {} is the baseline   b another baseline   M clears all marks"
FORKED = "{} beside its parent."
ALONE = "The plan that is shown, {}, was forked from no other."
NO_PLAN = f"No kept plan is shown: r in {named('fleet').label} plans the question."
WRITTEN_WIDTH = 120
TALL = 34
"""Lines of the screen from which a plot stands below the table from the first."""
WALK: tuple[Kind | None, ...] = (None, *KINDS)
"""What `p` walks through."""
ON_PLANS = ("copy", "write", "every", "baseline", "causes", "proof", "plot", "tables", "zoom", "name", "forks")
"""What needs plans to compare."""
UNDRAWN = "No plan here has this to draw."


class CompareView(View):
    """Which of these, and what does it cost to choose another."""

    DEFAULT_CSS = """
    CompareView {
        #compare-scroll { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
        #compare-text, #compare-figures { height: auto; width: 1fr; }
        #compare-lower { display: none; height: 60%; }
        &.tall #compare-lower { height: 45%; }
        #compare-table { overflow-x: hidden; scrollbar-size-vertical: 1; }
        &.pictured #compare-lower { display: block; }
        &.told #compare-plot, #compare-table { display: none; }
        &.told #compare-table { display: block; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._plans: tuple[Compared, ...] = ()
        self._nothing = ""
        self._fails: tuple[str, ...] = ()
        self._marked = 0
        self._laid: Kind | None = None
        self._spreads: dict[Candidate | None, Spread | None] = {}
        self._baseline = ""
        self._every = False
        self._causes: Study | None = None
        self._walked: Kind | None = None
        self._untouched = True

    def compose(self) -> ComposeResult:
        """Lay out what is marked, and the comparison."""
        yield Text(id="compare-status")
        with Scroll(id="compare-scroll"):
            yield Text(id="compare-text")
        with Vertical(id="compare-lower"):
            yield Plot(id="compare-plot")
            with Scroll(id="compare-table"):
                yield Text(id="compare-figures")

    def on_mount(self) -> None:
        """Be ready to read plans."""
        self._reader = BackgroundReader(self, self.fleet_app.spawn, self._look)

    def show(self) -> None:
        """Show what is marked now; the plans are read in a thread."""
        if self.fleet_app.store is not None:
            self._reader.want("", at_once=True)

    async def _look(self, _: str) -> None:
        marks, kind = sorted(self.state.marks), self._kind
        shown = "" if self.state.shown is None else self.state.shown.plan

        def read(store: Store) -> tuple[int, tuple[Compared, ...], tuple[str, ...], str]:
            plans, nothing = _marked(store, marks), ""
            marked = len(plans)
            if marked < 2:
                plans, nothing = _forked(store, shown)
            fails = _earlier_fails(store, plans)
            return marked, self._with_spreads(store, plans) if kind == "cdf" else plans, fails, nothing

        self._marked, plans, self._fails, self._nothing = await self.state.thread.read(read)
        self._plans, self._laid = _beginning_with(self._baseline, plans), kind
        about = {plan.answer.plan.id for plan in self._plans}
        if self._causes is not None and self._causes.plan not in about:
            self._causes = None
        self._draw()

    def _with_spreads(self, store: Store, plans: tuple[Compared, ...]) -> tuple[Compared, ...]:
        """Return the plans with how their proofs' requests are spread, which is read anew only for another proof."""
        known = self._spreads
        self._spreads = {one.fleet: known[one.fleet] if one.fleet in known else spread_of(store, one) for one in plans}
        return tuple(replace(one, spread=self._spreads[one.fleet]) for one in plans)

    def _draw(self) -> None:
        self.query_one("#compare-status", Text).show(self._status())
        self.query_one("#compare-text", Text).show(self._text(self._width))
        found = self._picture
        self.set_class(self.app.size.height >= TALL, "tall")
        self.set_class(found is not None, "pictured")
        if found is None:
            self._unzoom()
        else:
            self.query_one("#compare-plot", Plot).show(found.chart, UNDRAWN)
            self.query_one("#compare-figures", Text).show(render(found.table, self._width))
        if self.fleet_app.view is self:
            self.fleet_app.draw_frame()

    def _status(self) -> str:
        if self._marked > 1:
            return MARKED.format(len(self._plans), self._plans[0].handle)
        one = "  One is marked." if self._marked else ""
        forked = f"  {FORKED.format(self._plans[-1].handle)}" if self._plans and not one else ""
        return f"{HOW}{one or forked}"

    @property
    def _kind(self) -> Kind | None:
        """The picture that is wished for, seen once its plans are read: on a tall screen one from the first."""
        return "cdf" if self._untouched and self.app.size.height >= TALL else self._walked

    @property
    def _picture(self) -> Picture | None:
        return picture(self._laid, self._plans) if self._laid and self._plans else None

    @property
    def _width(self) -> int:
        return max(40, self.app.size.width - 2)

    def _text(self, width: int) -> str:
        if not self._plans:
            return self._nothing
        causes = "" if self._causes is None else f"\n\n{study_text(self._causes, width)}"
        return f"{comparison_text(self._compared, width, every_row=self._every)}{causes}"

    @property
    def _compared(self) -> Comparison:
        found = compare(self._plans)
        return replace(found, sentences=(*found.sentences, *self._fails))

    def selected_plan(self) -> str:
        """Return the id of the baseline."""
        return self._plans[0].answer.plan.id if self._plans else ""

    async def selected_candidate(self) -> Candidate | None:
        """Return the fleet with the widest interval, since more runs of it tell most."""
        return least_proven(self._plans).fleet if self._plans else None

    def do_every(self) -> None:
        """Show the rows that are the same in all, or hide them."""
        self._need_plans()
        self._every = not self._every
        self._draw()

    def do_plot(self) -> None:
        """Lay the plans over each other in the next picture, or in none."""
        self._need_plans()
        self._walked, self._untouched = WALK[(WALK.index(self._kind) + 1) % len(WALK)], False
        self.show()

    def do_tables(self) -> None:
        """Show the picture as a table, and as a picture again."""
        self._need_plans()
        if self._kind is None:
            raise InputError("no plot is shown that could be a table", remedy="p shows one")
        self._unzoom()
        self.toggle_class("told")
        if self.app.focused is not None and not self.app.focused.focusable:
            self.app.set_focus(self.first_focus())

    def _unzoom(self) -> None:
        """Make what is about to be hidden small again: large and hidden, it would leave the screen empty."""
        zoomed = self.app.screen.maximized
        if zoomed is not None and self.query_one("#compare-lower") in zoomed.ancestors:
            self.app.screen.minimize()

    def do_baseline(self) -> None:
        """Compare with the next of the plans."""
        self._need_plans()
        self._plans = (*self._plans[1:], self._plans[0])
        self._baseline, self._causes = self._plans[0].answer.plan.id, None
        self._draw()

    def _need_plans(self) -> None:
        if not self._plans:
            raise InputError("there is nothing to compare", remedy=HOW)

    async def do_causes(self) -> None:
        """Work out what makes the second plan differ from the baseline, one input at a time."""
        from fleettui.planning.studies.study_context import make
        from fleettui.tui.actions.studies import worked_out

        self._need_plans()
        pair = old, new = self._pair
        found = await worked_out(
            self.fleet_app,
            "what causes it",
            lambda tools: make("causes", tools.store, report=tools.task.report, pool=tools.pool, old=old, new=new),
        )
        if pair == self._pair:  # else others are compared by now
            self._causes = found
            self._draw()
            self.query_one("#compare-scroll", Scroll).scroll_end(animate=False)

    @property
    def _pair(self) -> tuple[str, ...]:
        """The ids of the baseline and of the plan beside it; nothing where there is nothing to compare."""
        return tuple(plan.answer.plan.id for plan in self._plans[:2])

    def do_unmark(self) -> None:
        """Clear all marks."""
        self.state.marks = frozenset()
        self.state.changed()

    def copied(self) -> str:
        """Return the comparison, and what the picture that is seen says."""
        seen, parts = self._picture, [self._text(WRITTEN_WIDTH)]
        if seen is not None:
            parts.append(render(seen.table, WRITTEN_WIDTH))
            parts += ["\n".join(wrap(seen.chart.summary, WRITTEN_WIDTH))] if seen.chart is not None else []
        return "\n\n".join(parts)

    def file_name(self) -> str:
        """Return the name that a written comparison has."""
        return f"compare-{'-'.join(plan.handle for plan in self._plans)}.txt" if self._plans else "compare.txt"

    def deliveries(self) -> Mapping[str, Delivery]:
        """Offer the comparison as text, as Markdown and as data, and the picture that is seen."""
        if not self._plans:
            return {}
        found, seen = self._compared, self._picture
        texts = {
            "comparison": ("what is shown here, as text", "txt", self.copied()),
            "comparison md": ("the same, as Markdown", "md", comparison_markdown(found, every_row=self._every)),
            "comparison json": ("every row, as data", "json", json.dumps(comparison_json(found, "compare"), indent=2)),
        }
        if seen is not None and seen.chart is not None:
            texts["comparison svg"] = ("the plot that is shown, as a picture", "svg", chart_svg(seen.chart))
        stem = self.file_name().removesuffix(".txt")
        return {
            name: Delivery(words, f"{stem}.{suffix}", partial(known, text))
            for name, (words, suffix, text) in texts.items()
        }

    def possible(self) -> dict[str, object]:
        """Most needs plans to compare, tables a picture too."""
        pictured = self._plans and self._kind
        return {**dict.fromkeys(ON_PLANS, self._plans), "tables": pictured, "unmark": self.state.marks}


def _beginning_with(baseline: str, plans: tuple[Compared, ...]) -> tuple[Compared, ...]:
    """Return the plans in the order in which baselines are walked through, from the present one on."""
    ids = [plan.answer.plan.id for plan in plans]
    first = ids.index(baseline) if baseline in ids else 0
    return (*plans[first:], *plans[:first])


def _earlier_fails(store: Store, plans: tuple[Compared, ...]) -> tuple[str, ...]:
    """Return that of two plans the earlier one's fleet fails at the later one's question, where that was shown."""
    if len(plans) != 2:
        return ()
    return earlier_fails(store, *sorted(plans, key=lambda one: one.answer.plan.created))


def _marked(store: Store, marks: Iterable[str]) -> tuple[Compared, ...]:
    """Return the marked plans; marks of another store's plans, from before the app was left, are passed over."""
    found = []
    for plan in marks:
        with suppress(InputError):
            found.append(compared(store, plan))
    return tuple(found)


def _forked(store: Store, shown: str) -> tuple[tuple[Compared, ...], str]:
    """Return the parent of the plan that is shown, and that plan; or else why there is nothing to compare."""
    if not shown:
        return (), NO_PLAN
    row = store.row(shown)
    if not row.parent:
        return (), ALONE.format(row.handle)
    return (compared(store, row.parent), compared(store, shown)), ""
