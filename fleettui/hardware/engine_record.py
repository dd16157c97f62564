"""One serving engine as a value: what it adds to kernels, how it is set by level and GPU, how benches ran."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.dtype import CACHE_DTYPES, CacheDtype
from fleettui.domain.engine_settings import EngineSettings, PromptSteps, Room
from fleettui.domain.graph_bins import bins
from fleettui.domain.hardware import STOCK, TUNINGS, Citation, Gpu, Tuning
from fleettui.hardware.bench_recipe import BenchRecipe, recipe_from
from fleettui.hardware.engine_rules import CHUNK_RULES, ChunkRule, EngineRules, MemoryRule, memory_from, rules_from
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.for_gpu import entry_for
from fleettui.hardware.latent_terms import latent_of
from fleettui.hardware.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSettings:
    """How an engine is set at a level on GPUs of `least_memory` bytes and more, but for those `excluded`.

    It takes the `memory` of each GPU that its rule says. Cached numbers are in `kv_dtype`, or as model or engine have
    them; GPUs that cannot hold them so are left out.
    It is `fused` where norms, activations and quantizing are parts of the products, sums over GPUs run beside these,
    and the likeliest token is taken.
    """

    settings: EngineSettings
    citation: Citation
    memory: MemoryRule
    level: Tuning = STOCK
    kv_dtype: CacheDtype | None = None
    least_memory: float = 0.0
    excluded: tuple[str, ...] = ()
    fused: bool = False

    def suits(self, gpu: Gpu, level: Tuning) -> bool:
        """Return whether the engine is set so at a level on a GPU."""
        holds = self.kv_dtype != "fp8" or gpu.peak_fp8 is not None
        return holds and self.level == level and gpu.memory >= self.least_memory and gpu.name not in self.excluded


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEnd:
    """What stands in front of the GPU, in seconds: of each request, and of the API process for each output token."""

    request: float
    output_token: float
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphs:
    """The `bins` of tokens that an engine captures, up to so many for each sequence that it runs at once."""

    bins: tuple[int, ...]
    per_sequence: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTerms:
    """What a logit, a layer and the front end of a request take on `gpus`, which are unlike the others (seconds)."""

    gpus: tuple[str, ...]
    logit: float
    layer: float
    front_end: float
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A serving engine: what a step costs beside its arithmetic (seconds), and its settings by level and GPU.

    `overhead` is that beside the roofline, `terms` those beside measured kernels, `rules` what it does where nobody
    sets anything. Its `family` is the engine that it is a version of, whose kernels and options are its own. It is
    `fused` as LevelSettings says. Some GPUs have terms of their `own`.
    """

    name: str
    family: str
    version: str
    overhead: float
    terms: EngineTerms
    front_end: FrontEnd
    bench: BenchRecipe
    levels: tuple[LevelSettings, ...]
    rules: EngineRules
    graphs: Graphs
    citations: tuple[Citation, ...] = ()
    fused: bool = False
    own: tuple[OwnTerms, ...] = ()

    @property
    def kv_dtype(self) -> CacheDtype:
        """The format of cached numbers with which it starts."""
        return self.rules.cache.kv_dtype

    def built(self, gpu: Gpu, level: Tuning) -> Engine:
        """Return the engine as it is built at a level on a GPU; the likeliest token costs nothing beside its logits."""
        built = self._on(gpu.name)
        if built.settings_on(gpu, level).fused:
            return replace(built, fused=True, terms=replace(built.terms, logit=0.0))
        return built

    def _on(self, gpu: str) -> Engine:
        """Return the engine with what is known of it on a GPU alone."""
        latent, own = entry_for(gpu, latent_of(self.family)), entry_for(gpu, self.own)
        terms = replace(self.terms, latent=latent)
        cited = (*self.citations, *(one.citation for one in (latent, own) if one is not None))
        if own is None:
            return replace(self, terms=terms, citations=cited)
        terms = replace(terms, logit=own.logit, layer=own.layer)
        return replace(self, terms=terms, front_end=replace(self.front_end, request=own.front_end), citations=cited)

    def settings_on(self, gpu: Gpu, level: Tuning = STOCK) -> LevelSettings:
        """Return how the engine is set at a level on a GPU; stock is what it starts with when nobody sets anything."""
        return next(one for one in self.levels if one.suits(gpu, level))

    def room_on(self, gpu: Gpu, level: Tuning, *, gpus: int, lanes: int = 1) -> Room:
        """Return what it takes of the memory of each of a replica's `gpus` at a level, with so many lanes."""
        memory = self.settings_on(gpu, level).memory
        return Room(share=memory.share_on(gpu.memory, gpus=gpus, lanes=lanes), of=self.rules.memory_of.rule)

    def taking(self, memory: MemoryRule | None) -> Engine:
        """Return the engine with another part of the memory at every level and on every GPU; as it is for None."""
        if memory is None:
            return self
        return replace(self, levels=tuple(replace(one, memory=memory) for one in self.levels))

    def settings_citations(self, gpu: Gpu, level: Tuning) -> tuple[Citation, ...]:
        """Return the sources of the settings at a level: of stock ones those for every GPU, else that for this one."""
        if level == STOCK:
            return tuple(one.citation for one in self.levels if one.level == STOCK)
        return (self.settings_on(gpu, level).citation,)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOn:
    """A serving engine: the version that is planned with, its cache's number format, its settings by GPU."""

    name: str
    version: str
    kv_dtype: CacheDtype
    settings: tuple[tuple[str, EngineSettings], ...]


STEPS_OF: dict[ChunkRule, PromptSteps] = {"shared": "mixed", "own": "alone", "whole": "whole"}
"""Where prompts run, by how an engine cuts them."""
LIKE = "like"
"""The key of an engine's file that names the one it is another version of, whose tables it has where it has no own."""


def engine_from(record: Record) -> Engine:
    """Return the serving engine of a catalogue file; the last settings of each level are those of every other GPU."""
    overhead, terms, settings = record.table("overhead"), record.table("terms"), record.tables("settings")
    rules = rules_from(record)
    return Engine(
        name=record.text("name"),
        family=record.text(LIKE) if LIKE in record.values else record.text("name"),
        version=record.text("version"),
        overhead=overhead.number("value"),
        terms=_terms_from(terms),
        front_end=_front_end_from(record.table("front_end")),
        bench=recipe_from(record.table("bench")),
        levels=tuple(_level_from(one, rules.chunks.rule) for one in settings),
        rules=rules,
        graphs=_graphs_from(record.table("graphs")),
        citations=(overhead.citation("overhead"), terms.citation("terms"), *rules.citations),
        own=tuple(map(_own_from, record.tables("own"))) if "own" in record.values else (),
    )


def _terms_from(record: Record) -> EngineTerms:
    names = ("step", "layer", "logit", "eager_least", "eager_extra", "factor", "expert_layer")
    step, layer, logit, least, extra, factor, expert = map(record.number, names)
    return EngineTerms(
        step=step,
        layer=layer,
        logit=logit,
        eager_least=least,
        eager_extra=extra,
        factor=factor,
        expert_layer=expert,
        shared_after=record.flag("shared_after"),
    )


def _own_from(record: Record) -> OwnTerms:
    numbers = {name: record.number(name) for name in ("logit", "layer", "front_end")}
    return OwnTerms(gpus=record.texts("gpus"), **numbers, citation=record.citation("terms.own"))


def _graphs_from(record: Record) -> Graphs:
    return Graphs(
        bins=bins(record.text("bins"), record.where),
        per_sequence=int(record.number("per_sequence")),
        citation=record.citation("engine.graph_bins"),
    )


def _kv_dtype_from(record: Record) -> CacheDtype | None:
    return record.word("kv_dtype", CACHE_DTYPES) if "kv_dtype" in record.values else None


def _front_end_from(record: Record) -> FrontEnd:
    return FrontEnd(
        request=record.number("value"),
        output_token=record.number("output_token"),
        citation=record.citation("front_end"),
    )


def _level_from(record: Record, chunks: ChunkRule) -> LevelSettings:
    """Return one table of settings, which may say how prompts are cut where it is not as the engine has it."""
    level = record.word("level", TUNINGS, STOCK)
    return LevelSettings(
        settings=EngineSettings(
            max_num_seqs=int(record.number("max_num_seqs")),
            token_budget=int(record.number("token_budget")),
            prompt_steps=STEPS_OF[record.word("chunks", CHUNK_RULES, chunks)],
        ),
        citation=record.citation("settings" if level == STOCK else f"{level} settings"),
        memory=memory_from(record),
        level=level,
        kv_dtype=_kv_dtype_from(record),
        least_memory=record.number("least_memory") if "least_memory" in record.values else 0.0,
        excluded=record.texts("excluded") if "excluded" in record.values else (),
        fused=record.flag("fused"),
    )
