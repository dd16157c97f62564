"""Serving engines as text: a list to choose from, and one with what it adds to its kernels and the sources of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fleettui.domain.engine_settings import EngineSettings, MemoryOf
from fleettui.domain.fleet import counted
from fleettui.domain.hardware import STOCK, TUNINGS, Gpu, Tuning
from fleettui.hardware.engine_record import Engine, EngineOn, OwnTerms
from fleettui.hardware.engine_rules import ChunkRule, Experts, Lanes
from fleettui.hardware.engine_terms import LatentTerms
from fleettui.hardware.latent_terms import latent_of
from fleettui.reports import units
from fleettui.reports.columns import Column, table, words
from fleettui.reports.hardware_text import sources
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import details

SHOWN_LOGITS = 100_000
"""A vocabulary for which sampling is told."""
SHOWN_GPUS = 8
"""GPUs of a replica for which the memory that an engine takes is told."""
TAKEN: dict[MemoryOf, str] = {
    "all": "weights, activations, buffers and cache",
    "static": "weights, buffers and cache; activations have the rest",
    "free": "of what weights, activations and buffers leave, for the cache",
}
CHUNKS: dict[ChunkRule, str] = {
    "shared": "cut to what decodes leave of a step's tokens",
    "own": "in steps of their own, before any of decodes, cut to a step's tokens",
    "whole": "whole, once a step has room for all of one; --prompt-steps mixed cuts them",
}
LANES_OF: dict[Lanes, str] = {"gpu": "of one GPU each", "groups": "of one GPU each, or of several"}
EXPERTS_ON: dict[Experts, str] = {
    "all": "over all GPUs of a replica, or over none",
    "groups": "over all GPUs of a replica, over groups of them, or over none",
}


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
    return _grouped((gpu, _words(one)) for gpu, one in settings)


def _words(settings: EngineSettings) -> str:
    return f"{units.count(settings.token_budget)} and {units.count(settings.max_num_seqs)}"


def _grouped(told: Iterable[tuple[str, str]]) -> str:
    """Return what is told of GPUs, each text once with the GPUs that it is told of."""
    by_words: dict[str, list[str]] = {}
    for gpu, one in told:
        by_words.setdefault(one, []).append(gpu)
    return "; ".join(f"{one} on {' '.join(gpus)}" for one, gpus in by_words.items())


def _latent(one: LatentTerms) -> str:
    more = f"{units.seconds(one.layer)} more of a layer, " if one.layer else ""
    return f"{more}{units.seconds(one.prompt_layer)} a layer at least for prompts"


def _own(one: OwnTerms) -> str:
    logits = f"{units.seconds(SHOWN_LOGITS * one.logit)} a sequence"
    return f"{units.seconds(one.layer)} a layer, {logits}, {units.seconds(one.front_end)} a request"


def _blocks(size: int) -> str:
    return f"of {counted(size, 'token')}"


def _prompts(engine: Engine) -> str:
    """Return where prompts run as it comes, and the levels at which they are cut where they are not."""
    cut = [level for level in TUNINGS if any(one.level == level and not one.settings.whole for one in engine.levels)]
    others = f"; cut as {' and '.join(cut)}" if engine.rules.chunks.rule == "whole" and cut else ""
    return CHUNKS[engine.rules.chunks.rule] + others


def engine_text(engine: Engine, gpus: Sequence[Gpu], width: int = WIDTH) -> str:
    """Return one engine with how it is set at each level on some GPUs, and the sources of its figures."""

    def set_at(level: Tuning) -> str:
        found = ((gpu.name, engine.settings_on(gpu, level)) for gpu in gpus)
        cached = ((name, one, f" with an {one.kv_dtype} cache" if one.kv_dtype else "") for name, one in found)
        return _grouped((name, _words(one.settings) + cache) for name, one, cache in cached)

    def takes(level: Tuning) -> str:
        shares = ((gpu.name, engine.room_on(gpu, level, gpus=SHOWN_GPUS).share) for gpu in gpus)
        return _grouped((name, units.percent(share)) for name, share in shares)

    terms, front, rules = engine.terms, engine.front_end, engine.rules
    eager = f"{units.seconds(terms.eager_least)} a layer at least, or {units.seconds(terms.eager_extra)} more"
    experts = f", {units.seconds(terms.expert_layer)} more of those with experts" if terms.expert_layer else ""
    sampled = f"{units.seconds(SHOWN_LOGITS * terms.logit)} of a step for each sequence, of {SHOWN_LOGITS:,} logits"
    pairs = [
        *(("settings" if level == STOCK else level, set_at(level)) for level in TUNINGS),
        ("memory", f"{takes(STOCK)}: {TAKEN[rules.memory_of.rule]}"),
        *((f"{level} memory", takes(level)) for level in TUNINGS if level != STOCK and takes(level) != takes(STOCK)),
        ("cache", f"{engine.kv_dtype} where neither model nor question says another"),
        ("blocks", _blocks(rules.cache.block_size)),
        ("prefixes", "kept and found again" if rules.cache.prefix_caching else "not kept"),
        ("prompts", _prompts(engine)),
        (
            "lanes",
            LANES_OF[rules.division.lanes] + (", which share a step's tokens" if rules.division.of_all_lanes else ""),
        ),
        ("experts", EXPERTS_ON[rules.division.experts]),
        ("new requests", f"looked for every {counted(rules.polling.rule, 'step')}"),
        ("graphs", f"of steps of 1 to {engine.graphs.bins[-1]} tokens, {len(engine.graphs.bins)} sizes"),
        ("step", f"{units.seconds(terms.step)}, {units.seconds(terms.layer)} a layer{experts}"),
        ("sampling", sampled),
        ("with prompts", eager if terms.eager_least or terms.eager_extra else ""),
        ("latent", _grouped((gpu, _latent(one)) for one in latent_of(engine.family) for gpu in one.gpus)),
        ("kernels", f"x{terms.factor:.3g} of what was measured of each alone"),
        ("front end", f"{units.seconds(front.request)} a request, {units.seconds(front.output_token)} an output token"),
        ("of their own", _grouped((gpu, _own(one)) for one in engine.own for gpu in one.gpus)),
        ("roofline", f"{units.seconds(engine.overhead)} of a step beside it"),
        *sources(
            (
                *engine.citations,
                *engine.rules.other_citations,
                *(one.citation for one in engine.levels),
                engine.graphs.citation,
                front.citation,
            )
        ),
    ]
    return details(f"{engine.name} {engine.version}", pairs, width)
