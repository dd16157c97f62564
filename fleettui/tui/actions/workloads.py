"""Making workloads: of traces, or of what a running server counted; each written to a new file, and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.reports.question import five_lines
from fleettui.tui.actions.pages import Writer, ask, done, show
from fleettui.tui.actions.studies import worked_out
from fleettui.tui.new_file import new, write_new
from fleettui.tui.prompt_values import needed, several

if TYPE_CHECKING:
    from fleettui.domain.measured import Measured
    from fleettui.domain.workload import Workload
    from fleettui.tui.app import FleetApp

PATHS = "with blanks between, a path with blanks in quotes"
NEW_FILE = "a new JSON file; none is written over"


async def build(app: FleetApp) -> None:
    """Make one length distribution of traces, write it to a new file, and show it."""
    from fleettui.domain.workload import Origin
    from fleettui.planning import workloads
    from fleettui.reports.workload_text import workload_text

    help = f"paths of traces {PATHS}; several are merged on one clock"
    typed = await ask(app, "workload build: traces", help, "", several)
    if typed is None:
        return
    sources = several(typed)
    stem = Path(sources[0]).name.split(".", maxsplit=1)[0]
    name = await ask(app, "workload build: name", "what the workload is called", stem, needed)
    output = None if name is None else await _file(app, "workload build", f"{name}.json")
    if name is None or output is None:
        return
    built = await worked_out(
        app,
        f"workload build {name}",
        lambda tools: workloads.build_workload(sources, name=name, origin=Origin(), pool=tools.pool),
    )
    _written(app, "workload build", output, built, lambda width: workload_text(built, width))


async def from_metrics(app: FleetApp) -> None:
    """Make a workload of what vLLM servers counted between two scrapes, write it to a new file, and show it."""
    from fleettui.planning import workloads
    from fleettui.reports.measured_text import measured_text
    from fleettui.reports.units import DURATION

    verb = "workload from-metrics"
    said = {"between": "", "model name": "", "file": "measured.json"}

    async def scrapes(value: str, refusal: str) -> str | None:
        help = f"BEFORE AFTER: two texts of a server's /metrics, {PATHS}; then those of the next server"
        return await ask(app, f"{verb}: scrapes", help, value, _pairs, refusal=refusal)

    async def other(name: str, help: str, check: Callable[[str], object]) -> str | None:
        typed = await ask(app, f"{verb}: {name}", help, said[name], check)
        said[name] = said[name] if typed is None else typed
        return typed

    async def measure(typed: str) -> tuple[Measured, Path] | None:
        help = "the time between the two, such as 5min; nothing where the samples carry times"
        between = await other("between", help, lambda text: text.strip() and DURATION.parse(text))
        if between is None:
            return None
        model = await other("model name", "one of several served; nothing where there is one", str)
        file = None if model is None else await other("file", NEW_FILE, new)
        if file is None:
            return None
        output = new(file)
        measured = await worked_out(
            app,
            verb,
            lambda tools: workloads.measure_workload(
                several(typed),
                name=output.stem,
                model_name=model or None,
                between=DURATION.parse(between) if between else None,
                pool=tools.pool,
            ),
        )
        return measured, output

    found = await done(app, scrapes, measure)
    if found is None or found[1] is None:
        return
    measured, output = found[1]
    _written(app, verb, output, measured.workload, lambda width: measured_text(measured, str(output), width))
    app.state.ask({**kept_of(app.state.draft.texts), **measured_texts(measured, str(output))})
    app.notify("the question has its lengths, rate and prefix hit now: r plans it, e edits it", timeout=10)


def measured_texts(measured: Measured, path: str) -> dict[str, str]:
    """Return what was measured as texts of a question."""
    from fleettui.reports.measured_text import prefix_hit

    hit = "" if measured.prefix_hit is None else prefix_hit(measured.prefix_hit)
    return {"workload": path, "rate": f"{measured.workload.arrivals.mean_rate:.6g}/s", "prefix-hit": hit}


def kept_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Return what a question says beside its traffic: the model, the GPUs, the limits, all but its name."""
    traffic = {*five_lines.phrase_of("lengths").keys, *five_lines.phrase_of("demand").keys, "name"}
    return {name: text for name, text in texts.items() if name not in traffic}


def _pairs(text: str) -> None:
    """Raise InputError for what are no scrapes of servers, an earlier and a later one of each."""
    from fleettui.domain.measured import check_pairs

    check_pairs(several(text))


async def _file(app: FleetApp, verb: str, value: str) -> Path | None:
    output = await ask(app, f"{verb}: file", NEW_FILE, value, new)
    return None if output is None else new(output)


def _written(app: FleetApp, verb: str, path: Path, workload: Workload, write: Writer) -> None:
    from fleettui.workloads import library

    write_new(app, path, library.dump(workload))
    show(app, f"{verb} {path}", write)
