"""Catalogue files read as values: one TOML file becomes one record, each field with its citation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import resources
from typing import TypeVar

from fleettui.domain.dtype import CACHE_DTYPES, CacheDtype
from fleettui.domain.engine_settings import PROMPT_STEPS, EngineSettings, PromptSteps
from fleettui.domain.graph_bins import bins
from fleettui.domain.hardware import STOCK, TUNINGS, Citation, Confidence, Gpu, Model, Tuning
from fleettui.errors import InputError
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.model_config import model_from_config

Word = TypeVar("Word", bound=str)
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
LARGEST = 1e300
BESIDE = 100
"""Tokens that a step has room for beside a whole prompt and the clients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSettings:
    """How an engine is set at a level on GPUs of `least_memory` bytes and more, but for those `excluded`.

    Cached numbers are in `kv_dtype`, or as model or engine have them; GPUs that cannot hold them so are left out.
    It is `fused` where norms, activations and quantizing are parts of the products, sums over GPUs run beside these,
    and the likeliest token is taken.
    """

    settings: EngineSettings
    citation: Citation
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
class BenchRecipe:
    """How published closed loops were run: the tokens of a step, 0 where a whole prompt fits beside the clients.

    `scatter` is that of lengths that are stated as fixed, either way, as a share.
    """

    token_budget: int
    scatter: float
    citation: Citation

    def budget(self, prompt_tokens: int, clients: int) -> int:
        """Return the tokens of a step in a closed loop of so many clients."""
        return self.token_budget or prompt_tokens + clients + BESIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphs:
    """The `bins` of tokens that an engine captures, up to so many for each sequence that it runs at once."""

    bins: tuple[int, ...]
    per_sequence: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLogit:
    """What each logit that is sampled from takes on GPUs of these names, where they are unlike the others."""

    gpus: tuple[str, ...]
    seconds: float
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A serving engine: what a step costs beside its arithmetic (seconds), and its settings by level and GPU.

    `overhead` is that beside the roofline, `terms` those beside measured kernels; `kv_dtype` are the cached numbers in
    with which it starts. Its `family` is the engine that it is a version of, whose kernels and options are its own.
    With `narrow_lanes` lanes that keep sequences of their own have one GPU each. It is `fused` as LevelSettings says.
    Some GPUs have `own_logits`.
    """

    name: str
    family: str
    version: str
    overhead: float
    terms: EngineTerms
    front_end: FrontEnd
    bench: BenchRecipe
    levels: tuple[LevelSettings, ...]
    kv_dtype: CacheDtype = "bf16"
    citations: tuple[Citation, ...] = ()
    graphs: Graphs | None = None
    narrow_lanes: bool = False
    fused: bool = False
    own_logits: tuple[OwnLogit, ...] = ()

    def built(self, gpu: Gpu, level: Tuning) -> Engine:
        """Return the engine as it is built at a level on a GPU; the likeliest token costs nothing beside its logits."""
        if self.settings_on(gpu, level).fused:
            return replace(self, fused=True, terms=replace(self.terms, logit=0.0))
        own = next((one for one in self.own_logits if gpu.name in one.gpus), None)
        if own is None:
            return self
        return replace(self, terms=replace(self.terms, logit=own.seconds), citations=(*self.citations, own.citation))

    def settings_on(self, gpu: Gpu, level: Tuning = STOCK) -> LevelSettings:
        """Return how the engine is set at a level on a GPU; stock is what it starts with when nobody sets anything."""
        return next(one for one in self.levels if one.suits(gpu, level))

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


LIKE = "like"
"""The key of an engine's file that names the one it is another version of, whose tables it has where it has no own."""


@dataclass(frozen=True, slots=True)
class Record:
    """A TOML table that refuses politely: every missing or mistyped key names its file."""

    values: Mapping[str, object]
    where: str

    def text(self, key: str) -> str:
        """Return the string under `key`."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value:
            raise InputError(f"key {key} is missing or no text", where=self.where, value=value)
        return value

    def number(self, key: str) -> float:
        """Return the number under `key`."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
            raise InputError(f"key {key} is missing or no number", where=self.where, value=value)
        return float(value)

    def flag(self, key: str) -> bool:
        """Return the truth value under `key`, False where it is absent."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise InputError(f"key {key} is neither true nor false", where=self.where, value=value)
        return value

    def table(self, key: str) -> Record:
        """Return the table under `key`."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise InputError(f"table [{key}] is missing", where=self.where)
        return Record(value, f"{self.where} [{key}]")

    def tables(self, key: str) -> tuple[Record, ...]:
        """Return the tables of the list under `key`, at least one."""
        value = self.values.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            raise InputError(f"tables [[{key}]] are missing", where=self.where)
        return tuple(Record(one, f"{self.where} [[{key}]] {place}") for place, one in enumerate(value, 1))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of strings under `key`."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InputError(f"key {key} is no list of texts", where=self.where, value=value)
        return tuple(value)

    def word(self, key: str, known: Sequence[Word], default: Word | None = None) -> Word:
        """Return the one of the `known` words that stands under `key`, the default where there is one and no key."""
        if default is not None and key not in self.values:
            return default
        said = self.text(key)
        for one in known:
            if said == one:
                return one
        raise InputError(f"unknown {key}", where=self.where, value=said, accepted=", ".join(known))

    def citation(self, field: str) -> Citation:
        """Return the `source` and `confidence` of this table as the citation of `field`."""
        return Citation(field=field, source=self.text("source"), confidence=self.word("confidence", CONFIDENCES))


def shipped(path: str) -> Record:
    """Return the file at `path`, from this package on, as a record."""
    return parse(resources.files("fleettui.hardware").joinpath(path).read_text("utf-8"), path)


def parse(text: str, where: str) -> Record:
    """Return TOML `text` as a record; raises InputError with the line where it is no TOML."""
    try:
        return Record(tomllib.loads(text), where)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"no valid TOML: {error}", where=where) from error
    except RecursionError:
        raise InputError("no valid TOML: it is nested too deep", where=where) from None


def model_from(record: Record) -> Model:
    """Return the model of a catalogue file: its [config] goes the same way as a config.json on disk."""
    config = record.table("config")
    return model_from_config(
        config.values, name=record.text("name"), where=config.where, citation=record.citation("config")
    )


def engine_from(record: Record) -> Engine:
    """Return the serving engine of a catalogue file; the last settings of each level are those of every other GPU."""
    overhead, terms, settings = record.table("overhead"), record.table("terms"), record.tables("settings")
    bench, prompt_steps = record.table("bench"), record.word("prompt_steps", PROMPT_STEPS, PROMPT_STEPS[0])
    return Engine(
        name=record.text("name"),
        family=record.text(LIKE) if LIKE in record.values else record.text("name"),
        version=record.text("version"),
        overhead=overhead.number("value"),
        terms=EngineTerms(**{one.name: terms.number(one.name) for one in fields(EngineTerms)}),
        front_end=_front_end_from(record.table("front_end")),
        bench=BenchRecipe(
            token_budget=int(bench.number("token_budget")),
            scatter=bench.number("scatter"),
            citation=bench.citation("bench"),
        ),
        levels=tuple(_level_from(one, prompt_steps) for one in settings),
        kv_dtype=_kv_dtype_from(record) or "bf16",
        citations=(overhead.citation("overhead"), terms.citation("terms")),
        graphs=_graphs_from(record.table("graphs")) if "graphs" in record.values else None,
        narrow_lanes=record.flag("narrow_lanes"),
        own_logits=tuple(map(_own_logit_from, record.tables("own_logits"))) if "own_logits" in record.values else (),
    )


def _own_logit_from(record: Record) -> OwnLogit:
    return OwnLogit(gpus=record.texts("gpus"), seconds=record.number("logit"), citation=record.citation("terms.logit"))


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


def _level_from(record: Record, prompt_steps: PromptSteps) -> LevelSettings:
    level = record.word("level", TUNINGS, STOCK)
    return LevelSettings(
        settings=EngineSettings(
            max_num_seqs=int(record.number("max_num_seqs")),
            token_budget=int(record.number("token_budget")),
            prompt_steps=prompt_steps,
        ),
        citation=record.citation("settings" if level == STOCK else f"{level} settings"),
        level=level,
        kv_dtype=_kv_dtype_from(record),
        least_memory=record.number("least_memory") if "least_memory" in record.values else 0.0,
        excluded=record.texts("excluded") if "excluded" in record.values else (),
        fused=record.flag("fused"),
    )
