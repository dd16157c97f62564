"""What an engine does where nobody sets anything: cache, memory, chunks of prompts, division, new requests.

Each is a table of the engine's file with its `source` and `confidence`; what depends on the GPU stands in its settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, get_args

from fleettui.domain.checks import ABOVE_ZERO_TO_ONE, Range
from fleettui.domain.dtype import CACHE_DTYPES, CacheDtype
from fleettui.domain.engine_settings import MemoryOf
from fleettui.domain.hardware import Citation
from fleettui.errors import InputError
from fleettui.hardware.records import Record

Rule = TypeVar("Rule")
ChunkRule = Literal["shared", "own", "whole"]
CHUNK_RULES: tuple[ChunkRule, ...] = get_args(ChunkRule)
"""Prompts are cut: to what decodes leave of a step's tokens, to steps of their own, or not at all."""
Lanes = Literal["gpu", "groups"]
LANES: tuple[Lanes, ...] = get_args(Lanes)
"""Lanes that keep sequences of their own have one GPU each, or as many as is said."""
Experts = Literal["all", "groups"]
EXPERTS: tuple[Experts, ...] = get_args(Experts)
"""Experts are spread over all GPUs of a replica or over none, or over groups of them, too."""
MEMORY_OF: tuple[MemoryOf, ...] = get_args(MemoryOf)

BLOCK_SIZES = Range(what="cannot be", accepted="a power of two from 1 to 64, such as 16 tokens", low=1, high=64)
BYTES = Range(what="cannot be", accepted="0 to 1e11 bytes, such as 10737418240", low=0, high=1e11)
STEPS = Range(what="cannot be", accepted="1 to 1000 steps, such as 1", low=1, high=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRule:
    """An engine's cache where nobody says otherwise: the format of its numbers, blocks of so many tokens, prefixes.

    It `keeps_all` tokens in every layer, or those of a layer's window.
    """

    kv_dtype: CacheDtype
    block_size: int
    prefix_caching: bool
    keeps_all: bool
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRule:
    """A share of the memory, or what a `reserve` of bytes leaves, more of it for each GPU and lane of a replica."""

    share: float | None = None
    reserve: float = 0.0
    reserve_of_gpu: float = 0.0
    reserve_of_lane: float = 0.0

    def share_on(self, memory: float, *, gpus: int, lanes: int) -> float:
        """Return the share of `memory` bytes on a replica of so many GPUs, with so many lanes where it has several.

        To three digits, as an engine has it that works it out.
        """
        if self.share is not None:
            return self.share
        several = lanes if lanes > 1 else 0
        reserved = self.reserve + gpus * self.reserve_of_gpu + several * self.reserve_of_lane
        return max(0.0, round(1.0 - reserved / memory, 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited(Generic[Rule]):
    """One rule with its source."""

    rule: Rule
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionRule:
    """How an engine divides sequences among `lanes`, and spreads `experts`.

    The tokens of a step that are set are those `of_all_lanes`, which share them, or of each.
    """

    lanes: Lanes
    experts: Experts
    of_all_lanes: bool
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRules:
    """All that an engine does where nobody sets anything, whatever the GPU.

    `memory_of` says what its share of the memory is a share of; it looks for new requests each `polling` steps.
    """

    cache: CacheRule
    memory_of: Cited[MemoryOf]
    chunks: Cited[ChunkRule]
    division: DivisionRule
    polling: Cited[int]

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The sources of what a replica's cache and steps rest on."""
        return self.cache.citation, self.memory_of.citation, self.chunks.citation

    @property
    def other_citations(self) -> tuple[Citation, ...]:
        """The sources of the other rules."""
        return self.division.citation, self.polling.citation


def rules_from(record: Record) -> EngineRules:
    """Return the rules of an engine's file; raises InputError, naming file, key and what is accepted."""
    memory, chunks, polling = (record.table(name) for name in ("memory", "chunks", "polling"))
    return EngineRules(
        cache=_cache_from(record.table("cache")),
        memory_of=Cited(rule=memory.word("of", MEMORY_OF), citation=memory.citation("memory")),
        chunks=Cited(rule=chunks.word("rule", CHUNK_RULES), citation=chunks.citation("chunks")),
        division=_division_from(record.table("division")),
        polling=Cited(rule=int(number_within(polling, "steps", STEPS)), citation=polling.citation("polling")),
    )


def memory_from(record: Record) -> MemoryRule:
    """Return the memory that an engine takes with these settings: a share, or what a reserve leaves; one of both."""
    said = [key for key in ("memory_share", "memory_reserve") if key in record.values]
    if len(said) != 1:
        accepted = "either memory_share or memory_reserve"
        raise InputError("what an engine takes is said once", where=record.where, value=said, accepted=accepted)
    if said == ["memory_share"]:
        return MemoryRule(share=number_within(record, "memory_share", ABOVE_ZERO_TO_ONE))
    of_all, of_gpu, of_lane = (
        number_within(record, f"memory_reserve{whose}", BYTES) if f"memory_reserve{whose}" in record.values else 0.0
        for whose in ("", "_of_gpu", "_of_lane")
    )
    return MemoryRule(reserve=of_all, reserve_of_gpu=of_gpu, reserve_of_lane=of_lane)


def number_within(record: Record, key: str, possible: Range) -> float:
    """Return the number under `key`; raises InputError for one that it cannot be."""
    value = record.number(key)
    if not possible.holds(value):
        raise InputError(f"{key} cannot be this", where=record.where, value=value, accepted=possible.accepted)
    return value


def _cache_from(record: Record) -> CacheRule:
    size = number_within(record, "block_size", BLOCK_SIZES)
    if not size.is_integer() or int(size) & (int(size) - 1):
        what = "block_size cannot be this"
        raise InputError(what, where=record.where, value=size, accepted=BLOCK_SIZES.accepted)
    return CacheRule(
        kv_dtype=record.word("kv_dtype", CACHE_DTYPES),
        block_size=int(size),
        prefix_caching=_flag(record, "prefix_caching"),
        keeps_all=_flag(record, "keeps_all"),
        citation=record.citation("cache"),
    )


def _division_from(record: Record) -> DivisionRule:
    return DivisionRule(
        lanes=record.word("lanes", LANES),
        experts=record.word("experts", EXPERTS),
        of_all_lanes=_flag(record, "of_all_lanes"),
        citation=record.citation("division"),
    )


def _flag(record: Record, key: str) -> bool:
    if key not in record.values:
        raise InputError(f"key {key} is missing", where=record.where, accepted="true or false")
    return record.flag(key)
