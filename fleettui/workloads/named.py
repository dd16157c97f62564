"""What a person names as a workload: a shipped name, a length distribution, or a trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.sessions import SessionRecord
from fleettui.domain.workload import Workload
from fleettui.errors import UnknownNameError
from fleettui.workloads import library
from fleettui.workloads.context_limit import drop_longer


def read_workload(
    source: str,
    *,
    format: str | None = None,
    output_share: float | None = None,
    drop_above: int | None = None,
    times: bool = False,
    prefixes: bool = False,
    sessions: bool = False,
) -> Workload:
    """Return the workload called or stored at `source`.

    `source` is a shipped name, a `length-distribution/1` or bare list (`FILE#NAME` picks one of several), or a
    trace in a known format, gzipped or not, sniffed from its content unless `format` names it. `output_share` goes
    with distributions of total tokens. Requests above `drop_above` total tokens are left out and counted; `times`,
    `prefixes` and `sessions` keep those of a trace, or of a shipped one. Raises InputError (UnknownNameError for what
    looks like a name and is none) with the place of what is wrong.
    """
    if source in library.names() and format is None:
        shipped = _shipped(source, output_share, drop_above)
        found = _sharing(shipped, library.prefixes(source) if prefixes else None, drop_above)
        return _in_sessions(found, library.sessions(source) if sessions else None, drop_above)
    if _looks_like_a_name(source):
        known, where = library.names(), "neither a file nor a shipped name"
        raise UnknownNameError("workload", source, known, where=where, listing=library.LISTING)
    from fleettui.workloads.build import build_workload
    from fleettui.workloads.sessions import record_of as sessions_of
    from fleettui.workloads.shared_prefixes import record_of

    stem = Path(source.rpartition("#")[2]).name.removesuffix(".gz")
    found = build_workload(
        [source],
        name=stem.rpartition(".")[0] or stem,
        format=format,
        output_share=output_share,
        drop_above=drop_above,
        times=times,
    )
    if not Path(source).is_file():
        return found
    if sessions:
        return _in_sessions(found, sessions_of(Path(source), format), drop_above)
    return _sharing(found, record_of(Path(source), found.arrivals.mean_rate), drop_above) if prefixes else found


def _sharing(workload: Workload, record: PrefixRecord | None, drop_above: int | None) -> Workload:
    """Return a workload with what its requests up to `drop_above` tokens share, as it stands where that is unknown."""
    if record is None:
        return workload
    return replace(workload, prefixes=record if drop_above is None else record.within(drop_above))


def _in_sessions(workload: Workload, record: SessionRecord | None, drop_above: int | None) -> Workload:
    """Return a workload with its sessions up to their first round above `drop_above` tokens, where they are known."""
    if record is None:
        return workload
    return replace(workload, sessions=record if drop_above is None else record.within(drop_above))


def _shipped(name: str, output_share: float | None, drop_above: int | None) -> Workload:
    file = library.path(name)
    workload = library.parse(file.read_text(encoding="utf-8"), name, output_share)
    return workload if drop_above is None else drop_longer(workload, drop_above)


def _looks_like_a_name(source: str) -> bool:
    return not Path(source).exists() and not any(mark in source for mark in "./\\#")
