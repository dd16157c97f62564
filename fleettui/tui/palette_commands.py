"""The use cases that the palette offers beside the keys: each shows what its command prints, and asks for its words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fleettui.planning.opening import opening_of
from fleettui.planning.studies import commands
from fleettui.planning.studies.whatif import WHATIF
from fleettui.planning.use_cases import help_of
from fleettui.reports.plan_text import plan_text
from fleettui.tui.actions import labels as labelling
from fleettui.tui.actions import recheck, transfer
from fleettui.tui.actions.pages import REF, ask, here, show
from fleettui.tui.actions.report import export, handoff, report
from fleettui.tui.actions.run import simulate_today
from fleettui.tui.actions.studies import make_study, show_study
from fleettui.tui.actions.workloads import build, from_metrics
from fleettui.tui.completion import words_of
from fleettui.tui.lookups import LOOKUPS, look_up
from fleettui.tui.prompt_values import needed

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

KEYED: Mapping[str, str] = {
    "plan": "plan",
    "verify": "proof",
    "open": "open_file",
    "list": "view_plans",
    "compare": "view_compare",
    "diff": "causes",
    "handoff": "handoff",
    "note": "name",
    "tag": "tag",
    "name": "name",
    "archive": "archive",
    "jobs list": "view_jobs",
    "jobs cancel": "cancel",
    "jobs resume": "resume",
    "jobs follow": "view_jobs",
}
"""The verb of `fleettui.tui.keys` that does a use case, by the use case's name."""


async def show_kept(app: FleetApp) -> None:
    """Show a kept plan or study as its command printed it."""
    ref = await ask(app, "show", f"{REF}; or a study's handle", "last", needed)
    if ref is None:
        return
    noun, identifier = await app.state.thread.read(lambda store: store.kept(ref))
    if noun == "study":
        show_study(app, await app.state.thread.read(lambda store: store.study(identifier)))
    else:
        answer = await app.state.thread.read(lambda store: store.plan(identifier))
        asked = await app.state.thread.read(lambda store: store.question(identifier))
        show(app, f"show {ref}", lambda width: plan_text(answer, asked, width))


async def open_there(app: FleetApp) -> None:
    """Open a plan, a workload or a question file."""
    help = "a plan's handle or name, a shipped workload, or the path of a trace or a question file"
    text = await ask(app, "open", help, "", lambda text: opening_of(text.strip()), words=words_of("workload"))
    if text is not None:
        await app.open_at(opening_of(text))


def in_browser(app: FleetApp) -> None:
    """Say how the app is shown in a browser, which takes a process of its own."""
    app.notify("fleettui serve in another terminal prints the address", title="In a browser", markup=False)


async def archive(app: FleetApp) -> None:
    """Put a plan away, out of the list; nothing of it is lost."""
    help = "a plan's handle or its start, or its name; nothing is deleted"
    ref = await ask(app, "archive", help, here(app), needed)
    if ref is not None:
        row = await app.state.thread.read(lambda store: store.row(ref))
        await app.state.thread.read(lambda store: store.archive(row.id))
        app.notify(f"{row.handle} is archived: no list shows it", markup=False)
        app.state.changed()


_ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {
    "simulate": simulate_today,
    "open": open_there,
    "serve": in_browser,
    "show": show_kept,
    "check": recheck.check,
    "report": report,
    "export": export,
    "handoff": handoff,
    "import": transfer.take_bundle,
    "publish": transfer.publish,
    "backup": transfer.back_up,
    "prune": transfer.prune,
    "note": labelling.name,
    "tag": labelling.tag,
    "name": labelling.name,
    "archive": archive,
    "workload build": build,
    "workload from-metrics": from_metrics,
    **{name: partial(look_up, name=name) for name in LOOKUPS},
    **{name: partial(make_study, command=command) for name, command in commands().items()},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A what-if with a line that is begun: its help, the line, and other words by which it is found."""

    help: str
    line: str
    words: str

    def act(self, app: FleetApp) -> Awaitable[None]:
        """Ask for the line."""
        return make_study(app, WHATIF, self.line)


WHATIFS: Mapping[str, Begun] = {
    "growth": Begun(
        help="when to order how many GPUs as the demand grows",
        line="growth 8%/month lead 12w",
        words="forecast runway order",
    ),
    "failures": Begun(
        help="whether it holds with replicas, a node or a rack down",
        line="failures",
        words="fails outage",
    ),
    "sensitivity": Begun(
        help="which input moves the answer most",
        line="sensitivity",
        words="tornado",
    ),
}
"""What-ifs that the palette offers by name, too."""

ENTRIES: Mapping[str, tuple[str, Callable[[FleetApp], object]]] = {
    name: (help_of(name), act) for name, act in _ACTIONS.items()
}
"""The help and the action of each use case that the palette offers by name."""

SYNONYMS: Mapping[str, str] = {
    "ask": "new question",
    "back": "close leave",
    "burst": "failures fails outage down spike surge node loss redundancy",
    "backtest": "production observed seen accuracy",
    "cancel": "stop abort",
    "commands": "palette",
    "copy": "clipboard yank",
    "edit": "change question stock inventory prefix cache headroom availability price",
    "export": "csv json yaml markdown download",
    "fork": "whatif scenario",
    "every": "splits unfold",
    "filter": "search find",
    "handoff": "deploy kubernetes vllm sglang trtllm keda prometheus alerts grafana load test manifest",
    "help": "keys glossary words manual",
    "open_file": "joint several models workloads together disaggregated fleet file load import",
    "pareto": "tradeoff front",
    "plan": "run solve optimize",
    "plot": "chart picture graph",
    "proof": "verify simulate",
    "quit": "exit leave",
    "report": "page html pdf",
    "resume": "continue",
    "simulate": "fleet today joint several",
    "tables": "studies",
    "take": "use apply adopt router cap layout",
    "theme": "colour color dark light appearance",
    "view_disagg": "disaggregated prefill decode",
    "view_power": "energy watts kw",
    "view_routing": "router",
    "view_jobs": "running progress queue",
    "view_plans": "history list search",
    "whatif": "sweep steps budget burst",
    "why": "reason explain",
    "write": "save report export",
}
"""Other words by which an entry is found, by the verb of a key or the name of a use case."""
