"""What arrives and what must hold, in five lines to edit, over the lengths and the arrivals as plots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from fleettui.domain.workload import LengthDistribution, Workload
from fleettui.errors import FleettuiError, InputError
from fleettui.reports import units
from fleettui.reports.demand_text import FORMS, KEYS, Traffic, demand_of, derived_demand, form_of, traffic_lines
from fleettui.reports.in_app import refusal_in_app
from fleettui.reports.question import five_lines
from fleettui.reports.question.keys import BY_NAME, LIMITS
from fleettui.reports.workload_charts import lengths_chart, rate_chart
from fleettui.reports.workload_text import workload_text
from fleettui.tui.completion import words_of
from fleettui.tui.modals.choose import Choose
from fleettui.tui.modals.page import Page
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.tabs.view import LOW, View
from fleettui.tui.widgets.choice_list import CURSOR, Lines
from fleettui.tui.widgets.plot import Plot
from fleettui.workloads import library
from fleettui.workloads.synthetic import lognormal_marginals

UNTIMED = "No plot of arrivals: the workload has no times, or how they vary was not measured."
UNREAD = "No lengths are known yet."
OTHERS = "o opens another file, enter names one"
DEPENDS = (*KEYS["demand"], *KEYS["lengths"])
"""The keys on which the rate depends."""


@dataclass(slots=True)
class Reading:
    """The workload that is being read, by its source, and what refused the one before."""

    source: str = ""
    refused: dict[str, str] = field(default_factory=dict)


class WorkloadView(View):
    """How much of what arrives, how that is known, what must hold, and what a plan of it leaves out."""

    first_key: ClassVar[str] = "workload"
    DEFAULT_CSS = """
    WorkloadView #workload-plots { height: 1fr; }
    WorkloadView #workload-lengths, WorkloadView #workload-arrivals { width: 1fr; height: 100%; }
    WorkloadView.arrivals #workload-lengths, WorkloadView #workload-arrivals { display: none; }
    WorkloadView.arrivals #workload-arrivals { display: block; }
    WorkloadView.wide #workload-lengths, WorkloadView.wide #workload-arrivals { display: block; }
    WorkloadView.wide #workload-arrivals { padding: 0 0 0 2; }
    WorkloadView.flat #workload-plots { display: none; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._reading = Reading()
        self._begun = False

    def compose(self) -> ComposeResult:
        """Lay out the lines and the plots."""
        yield Lines(id="workload-lines")
        with Horizontal(id="workload-plots"):
            yield Plot(id="workload-lengths")
            yield Plot(id="workload-arrivals")

    def first_focus(self) -> Widget:
        """The lines have the focus."""
        return self.query_one(Lines)

    def show(self) -> None:
        """Show the traffic of the question that is edited; a workload that is not known yet is read meanwhile."""
        self.set_class(self.wide, "wide")
        self.set_class(self.app.size.height < LOW, "flat")
        traffic = self.traffic()
        lines = self.query_one(Lines)
        lines.show(traffic_lines(traffic, max(self.app.size.width - len(CURSOR), 20)))
        if not self._begun:
            lines.chosen = lacking(traffic.texts)
            self._begun = True
        lengths = None if traffic.lengths is None else lengths_chart(traffic.lengths, self._splits(), self._gamma())
        self.query_one("#workload-lengths", Plot).show(lengths, UNREAD)
        arrivals = None if traffic.workload is None else rate_chart(traffic.workload)
        self.query_one("#workload-arrivals", Plot).show(arrivals, UNTIMED)

    def traffic(self) -> Traffic:
        """Return what is known of the question's traffic, and begin to read what is not."""
        draft, shown = self.state.draft, self.state.shown
        workload, missing = self._workload()
        lengths, refused = self._lengths(workload)
        same = shown is not None and not set(DEPENDS).intersection(draft.changed)
        return Traffic(
            texts=draft.texts,
            workload=workload,
            lengths=lengths,
            derived=shown.answer.demand if same and shown is not None else None,
            state=missing or refused,
            changed=frozenset(draft.changed),
        )

    def _workload(self) -> tuple[Workload | None, str]:
        """Return the workload that the question names, and why there is none where that is so."""
        state, source = self.state, self.state.draft.value("workload")
        shown = state.shown
        if not source:
            return None, ""
        if shown is not None and shown.workload is not None and source == (shown.question.workload or ""):
            return shown.workload, ""
        if source in state.known:
            return state.known[source], ""
        if source in self._reading.refused:
            return None, self._reading.refused[source]
        if source != self._reading.source:
            self._reading.source = source
            self.fleet_app.spawn(self._read(source))
        return None, f"reading {source} …"

    async def _read(self, source: str) -> None:
        """Read a workload and show it, or show what refuses it."""
        try:
            with suppress(FleettuiError):  # a store that does not open is told by the app, and hinders no reading
                await self.state.thread.store()
            await self.state.workload(source)
        except FleettuiError as error:
            self._reading.refused = {source: f"x {refusal_in_app(error)}\n{OTHERS}"}
        finally:
            if self._reading.source == source:
                self._reading.source = ""
        if self.fleet_app.view is self:
            self.show()

    def _lengths(self, workload: Workload | None) -> tuple[LengthDistribution | None, str]:
        """Return the lengths of the workload, or those by the percentiles that are typed, and what refuses them."""
        if workload is not None:
            return workload.slices[0].lengths, ""
        typed = {name: self.state.draft.value(name) for name in ("prompt", "output")}
        if not any(typed.values()):
            return None, ""
        try:
            prompt, output = (BY_NAME[name].read(text, name) for name, text in typed.items())
            return lognormal_marginals(prompt, output), ""
        except InputError as error:
            return None, f"x {refusal_in_app(error)}\n{OTHERS}"

    def _splits(self) -> tuple[int, ...]:
        """Return where pools divide: as the question says, else in the fleet that is looked at."""
        draft, shown = self.state.draft, self.state.shown
        if asked := draft.value("split"):
            return tuple(int(tokens) for tokens in BY_NAME["split"].read(asked, "split"))
        if shown is None or shown.candidate is None or draft.value("workload") != (shown.question.workload or ""):
            return ()
        return tuple(pool.up_to for pool in shown.candidate.fleet.pools[:-1])

    def _gamma(self) -> float:
        """Return up to how many splits requests are borderline: as the question says, else in the fleet shown."""
        asked = float(BY_NAME["gamma"].read(self.state.draft.value("gamma"), "gamma")[1])
        shown = self.state.shown
        fleet = None if shown is None or shown.candidate is None else shown.candidate.fleet
        same = fleet is not None and "gamma" not in self.state.draft.changed and fleet.gamma > 1.0
        return fleet.gamma if same and fleet is not None else asked

    def possible(self) -> dict[str, object]:
        """There is a next plot unless both are seen, or none is."""
        return super().possible() | {"plot": not self.wide and self.app.size.height >= LOW}

    def do_plot(self) -> None:
        """Change between the lengths and the arrivals where there is room for one of them."""
        self.toggle_class("arrivals")
        if self.app.focused is not None and not self.app.focused.focusable:
            self.first_focus().focus()

    def copied(self) -> str:
        """Return the lines and, in words, the plots."""
        traffic = self.traffic()
        charts = [None if traffic.lengths is None else lengths_chart(traffic.lengths, self._splits(), self._gamma())]
        charts.append(None if traffic.workload is None else rate_chart(traffic.workload))
        return "\n".join([*traffic_lines(traffic).values(), *(chart.summary for chart in charts if chart is not None)])

    def file_name(self) -> str:
        """Return the name of a file with the lines."""
        return "workload.txt"

    def on_lines_opened(self, event: Lines.Opened) -> None:
        """Edit the line under the cursor."""
        edits: Mapping[str, Callable[[], Awaitable[None]]] = {
            "demand": self._edit_demand,
            "lengths": self._edit_lengths,
            "cache": self._edit_cache,
            "slo": self._edit_slo,
            "arrivals": self._look_at_arrivals,
        }
        self.fleet_app.do(edits[event.name])

    async def _edit_demand(self) -> None:
        """Choose the form in which the demand is known, then say it."""
        texts = self.state.draft.texts
        present = form_of(texts)
        width = max(len(form.label) for form in FORMS)
        entries = {str(form.name): f"{form.label:<{width}}  {form.words}: {form.example}" for form in FORMS}
        name = await self.app.push_screen_wait(Choose("how is the demand known?", entries, chosen=present))
        if name is None:
            return
        form = next(one for one in FORMS if one.name == name)
        if form.name == "trace":
            self.state.edit(five_lines.read("demand", form.example))
            return
        value = five_lines.write("demand", texts) if form.name == present else self._as_rate(form.name) or form.example
        await self._ask("demand", value, f"for example {form.example}", lambda text: demand_of(read_demand(text)))

    def _as_rate(self, form: str) -> str:
        """Return the present rate as it is typed, where a rate is wanted and one is known."""
        try:
            derived = derived_demand(self.traffic()) if form == "rate" else None
        except InputError:
            return ""
        return "" if derived is None else f"{units.per_second(derived.rate).replace(',', '')}/s"

    async def _edit_lengths(self) -> None:
        """Name a workload, a file, or percentiles."""
        self._reading.refused.clear()
        words = f"{five_lines.EXAMPLES['lengths']}\nshipped: {', '.join(library.names())}"
        await self._ask("lengths", five_lines.write("lengths", self.state.draft.texts), words)
        self.show()

    async def _edit_slo(self) -> None:
        """Say what must hold."""
        await self._ask(
            "slo", five_lines.write("slo", self.state.draft.texts), f"for example {five_lines.EXAMPLES['slo']}"
        )

    async def _edit_cache(self) -> None:
        """Say how much of the prompts the prefix cache holds."""
        key = BY_NAME["prefix-hit"]
        prompt = Prompt(
            "prefix hit",
            value=self.state.draft.value(key.name),
            help=key.hint,
            check=lambda text: self.state.edit({key.name: text}),
        )
        await self.app.push_screen_wait(prompt)

    async def _ask(self, line: str, value: str, help: str, check: Callable[[str], object] | None = None) -> None:
        """Ask for the phrase of a line, and change the question by it."""
        known = check or (lambda text: five_lines.read(line, text))
        text = await self.app.push_screen_wait(
            Prompt(five_lines.phrase_of(line).label, value=value, help=help, check=known, words=words_of(line))
        )
        if text is not None:
            self.state.edit(five_lines.read(line, text))

    async def _look_at_arrivals(self) -> None:
        """Show all that is known of the workload, the fit of its bursts among it."""
        workload = self.traffic().workload
        if workload is None:
            raise InputError("no workload is read, so nothing more is known of its arrivals", remedy=OTHERS)
        self.app.push_screen(
            Page(f"workload {workload.name}", workload_text(workload, max(self.app.size.width - 4, 40)))
        )


def read_demand(text: str) -> dict[str, str]:
    """Return what a phrase says of the demand, without the keys that it leaves out."""
    return {name: said for name, said in five_lines.read("demand", text).items() if said}


def lacking(texts: Mapping[str, str]) -> str:
    """Return the line on which editing begins: the first without which there is no question, else the demand.

    >>> lacking({"workload": "azure-2023-conv"}), lacking({"workload": "azure-2023-conv", "slo-ttft": "500ms"})
    ('slo', 'demand')
    """
    if not ("workload" in texts or "prompt" in texts):
        return "lengths"
    return "demand" if not texts.keys().isdisjoint(LIMITS) else "slo"
