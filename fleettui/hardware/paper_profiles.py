"""The papers' three hand-set profiles, for preset `paper` alone: step = W + H·(sequences·context/8192)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.hardware import catalog
from fleettui.hardware.records import Record

WARNING = (
    "the papers' profiles have the speed of an 8-GPU node at the price of one GPU, and their prompts cost no time: "
    "their fleets reproduce the papers' tables and cannot be run"
)
CALIBRATION_CONTEXT = 8192
SETTINGS = EngineSettings(max_num_seqs=256, token_budget=2048)
"""Those of vLLM when the papers were written; their tables are held to our method at the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperProfile:
    """One of the papers' profiles: seconds, tokens and US dollars for one GPU for one hour."""

    name: str
    gpu: str
    base_step_time: float
    time_per_sequence: float
    calibration_concurrency: int
    prefill_chunk: int
    kv_blocks: int
    price_per_hour: float
    source: str

    def slots(self, context: int) -> int:
        """Return the places that a replica keeps for sequences of up to `context` tokens (policy `reserved`).

        >>> [paper_profile("a100").slots(context) for context in (2048, 4096, 8192, 65536)]
        [512, 256, 128, 16]
        """
        if context < 1:
            raise AssertionError(f"a context of {context} tokens")
        by_memory = self.kv_blocks // -(-context // BLOCK_SIZE)
        by_calibration = self.calibration_concurrency * CALIBRATION_CONTEXT // context
        return min(by_memory, by_calibration)


def paper_names() -> tuple[str, ...]:
    """Return the GPUs that the papers have a profile of, sorted."""
    return catalog.names("paper")


@cache
def paper_profile(gpu: str) -> PaperProfile:
    """Return the papers' profile of `gpu`; raises UnknownNameError for any GPU but theirs."""
    return _profile_from(catalog.record("paper", "profile of the papers", gpu))


def _profile_from(record: Record) -> PaperProfile:
    return PaperProfile(
        name=record.text("name"),
        gpu=record.text("gpu"),
        base_step_time=record.number("base_step_time"),
        time_per_sequence=record.number("time_per_sequence"),
        calibration_concurrency=int(record.number("calibration_concurrency")),
        prefill_chunk=int(record.number("prefill_chunk")),
        kv_blocks=int(record.number("kv_blocks")),
        price_per_hour=record.number("price_per_hour"),
        source=record.citation("profile").source,
    )
