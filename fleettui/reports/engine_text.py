"""Serving engines as text: a list to choose from, and one with what it adds to its kernels and the sources of that."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.hardware import EngineSettings, Gpu
from fleettui.hardware.records import Engine, EngineOn
from fleettui.reports import units
from fleettui.reports.columns import Column, table, words
from fleettui.reports.hardware_text import sources
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import details


def engines_table(engines: Iterable[EngineOn]) -> Table:
    """Return one row per engine: version, cache, and how it is set on each GPU when nobody says otherwise."""
    columns: tuple[Column[EngineOn], ...] = (
        words("engine", lambda one: one.name),
        words("version", lambda one: one.version),
        words("cache", lambda one: one.kv_dtype),
        words("tokens of a step and sequences at once", lambda one: _settings(one.settings), wrap=True),
    )
    return table(columns, engines, note="as the engine starts; --token-budget and --max-num-seqs set yours")


def _settings(settings: Iterable[tuple[str, EngineSettings]]) -> str:
    """Return the settings with the GPUs that have them."""
    by_settings: dict[EngineSettings, list[str]] = {}
    for gpu, one in settings:
        by_settings.setdefault(one, []).append(gpu)
    return "; ".join(
        f"{units.count(one.token_budget)} and {units.count(one.max_num_seqs)} on {' '.join(gpus)}"
        for one, gpus in by_settings.items()
    )


def engine_text(engine: Engine, gpus: Iterable[Gpu], width: int = WIDTH) -> str:
    """Return one engine with how it starts on some GPUs, and the sources of its figures."""
    terms, front = engine.terms, engine.front_end
    eager = f"{units.seconds(terms.eager_least)} a layer at least, or {units.seconds(terms.eager_extra)} more"
    pairs = [
        ("settings", _settings((gpu.name, engine.settings_on(gpu)) for gpu in gpus)),
        ("cache", f"{engine.kv_dtype} where neither model nor question says another"),
        ("step", f"{units.seconds(terms.step)}, {units.seconds(terms.layer)} a layer"),
        ("per sequence", f"{units.seconds(terms.sequence)} of a step"),
        ("with prompts", eager if terms.eager_least or terms.eager_extra else ""),
        ("kernels", f"x{terms.factor:.3g} of what was measured of each alone"),
        ("front end", f"{units.seconds(front.request)} a request, {units.seconds(front.output_token)} an output token"),
        ("roofline", f"{units.seconds(engine.overhead)} of a step beside it"),
        *sources((*engine.citations, front.citation)),
    ]
    return details(f"{engine.name} {engine.version}", pairs, width)
