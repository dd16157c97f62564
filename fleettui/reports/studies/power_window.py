"""What a fleet does on less power for a while, in sentences and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fleettui.domain.power_levels import PowerLevel, Window, WindowLevel
from fleettui.domain.study import StudyTable, table_of
from fleettui.reports import units
from fleettui.reports.studies.burst import percent, span


def window_words(window: Window, less: Callable[[PowerLevel], str]) -> Iterator[str]:
    """Yield how deep the fleet goes for the window, by clock and by batch; `less` says by how much less it draws."""
    clock, batch = window.deepest("clock"), window.deepest("batch")
    told = f"for {span(window.seconds)}"
    if clock is None:
        yield f"{told} no cap on the clocks holds either"
    else:
        cap = units.percent(clock.level.share)
        yield f"{told} each GPU may fall to {cap} of its limit: {less(clock.level)}; {_after(clock, window)}"
    if batch is None:
        yield f"{told} no cap on the batch holds"
    else:
        sequences = f"{batch.level.sequences} sequences at once"
        yield f"{told} a replica may run at most {sequences}: {less(batch.level)}; {_after(batch, window)}"


def window_table(window: Window, nominal: float, plain: float) -> StudyTable:
    """Return the table of the levels that were played; `nominal` and `plain` are watts of all GPUs without a cap."""
    return table_of(
        f"caps for {span(window.seconds)}, then none, as simulated",
        (*window.clocks, *window.batches),
        ("cap", "text", lambda one: _cap(one.level)),
        ("power", "watts", lambda one: one.level.watts),
        ("less", "share", lambda one: round(1.0 - one.level.watts / plain, 3)),
        ("below_nominal", "share", lambda one: round(1.0 - one.level.watts / nominal, 3)),
        ("slo_met", "share", lambda one: one.met),
        ("recovery", "seconds", lambda one: one.recovery.value),
        ("most_waiting", "number", lambda one: float(round(one.waiting))),
        ("it", "text", lambda one: "holds" if one.holds else "fails"),
        note="cap: what each GPU may draw of its limit, or the sequences that a replica runs at once; slo_met: of what "
        "came in the window and until the fleet had recovered, within every limit; recovery from the window's end "
        "until no more requests are in the fleet than before it; power by formula",
    )


def _after(found: WindowLevel, window: Window) -> str:
    """Say what the runs showed."""
    recovery = found.recovery.value
    time = "a second" if recovery is not None and recovery < 1.0 else span(recovery or 0.0)
    back = "" if recovery is None else f", and {time} after it all is as before"
    return f"{percent(found.met)} of requests keep every limit{back} ({window.runs} runs)"


def _cap(level: PowerLevel) -> str:
    """Say what a level allows."""
    return f"{units.percent(level.share)} of W" if level.sequences is None else f"{level.sequences} at once"
