"""How a serving engine is set, and who may say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from fleettui.domain.serialization import later

PromptSteps = Literal["mixed", "alone", "whole"]
PROMPT_STEPS: tuple[PromptSteps, ...] = get_args(PromptSteps)
"""Prompts run beside the decodes, cut to what these leave, in steps of their own before any of decodes, or uncut."""

MemoryOf = Literal["all", "static", "free"]
"""What an engine's share of a GPU's memory is a share of: hardware/engine_rules.py says it of each."""

SEARCHED = "auto"
"""The word that leaves a choice to the search."""
ALL_DIVISIONS = "all"
"""The word that leaves it to the search how replicas are divided, attention included, lanes of several GPUs too."""
DIVISIONS = (SEARCHED, ALL_DIVISIONS)
BudgetChoice = int | Literal["auto"]


class AsksSettings(Protocol):
    """What may say how an engine is set: a question, a pool."""

    @property
    def max_num_seqs(self) -> int | None:
        """Sequences at once, None where it does not say."""

    @property
    def token_budget(self) -> BudgetChoice | None:
        """Tokens that one step processes, None where it does not say, and "auto" where the search may choose."""

    @property
    def prompt_steps(self) -> PromptSteps | None:
        """Where prompt tokens run, None where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """How an engine is set: the sequences that run at once, the tokens that one step processes, where prompts run."""

    max_num_seqs: int
    token_budget: int
    prompt_steps: PromptSteps = later("mixed")

    @property
    def alone(self) -> bool:
        """Whether prompts run in steps of their own."""
        return self.prompt_steps == "alone"

    @property
    def whole(self) -> bool:
        """Whether prompts run beside the decodes, and no prompt is cut: each waits until a step has room for all."""
        return self.prompt_steps == "whole"

    def places(self, pp: int, width: int = 1) -> int:
        """Return the sequences that one of the `pp` batches of a pipeline runs at once: its part, in its tokens.

        Each takes `width` tokens of a step.
        """
        return min(max(1, self.max_num_seqs // pp), max(1, self.token_budget // width))


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The `share` of a GPU's memory that an engine takes, and `of` what.

    "all" is weights, buffers, activations and cache; "static" is the same without activations, which have the rest;
    "free" is what all but the cache leaves, of which the share is the cache's.
    """

    share: float
    of: MemoryOf

    def left(self, memory: float, *, held: float, activations: float) -> float:
        """Return the bytes for the cache beside those that are `held` whatever runs, and those of activations."""
        if self.of == "free":
            return self.share * (memory - held - activations)
        return self.share * memory - held - (activations if self.of == "all" else 0.0)


EARLIER_SETTINGS = EngineSettings(max_num_seqs=256, token_budget=2048)
"""How every engine was set on every GPU while the catalogue did not say; what was stored then has no settings."""
EARLIER_ROOM = Room(share=0.9, of="all")
"""What every engine took of every GPU's memory in profiles that were kept before each had its own."""
