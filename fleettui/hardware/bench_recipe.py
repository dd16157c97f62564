"""How published closed loops of an engine were run, which their times hold beside what the engine itself takes."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.hardware import Citation
from fleettui.hardware.engine_rules import MemoryRule, memory_from
from fleettui.hardware.for_gpu import entry_for
from fleettui.hardware.records import Record

BESIDE = 100
"""Tokens that a step has room for beside a whole prompt and the clients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polling:
    """Of how many `steps` one looks for new requests, on `gpus` in closed loops of `clients` and more."""

    gpus: tuple[str, ...]
    clients: int
    steps: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """On `gpus` so many output `tokens` of a request are handed out together, and prompts of lanes begin together.

    Where GPUs have sequences of their own a prompt waits until each of them has one, or `steps` are over since any ran.
    """

    gpus: tuple[str, ...]
    tokens: int
    steps: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRecipe:
    """How published closed loops were run: the tokens of a step, 0 where a whole prompt fits beside the clients.

    `scatter` is that of lengths that are stated as fixed, either way, as a share; `polling` stands by falling clients.
    They took as much `memory` as is said, or as the engine as it comes.
    """

    token_budget: int
    scatter: float
    citation: Citation
    memory: MemoryRule | None = None
    polling: tuple[Polling, ...] = ()
    gathering: tuple[Gathering, ...] = ()

    def budget(self, prompt_tokens: int, clients: int) -> int:
        """Return the tokens of a step in a closed loop of so many clients."""
        return self.token_budget or prompt_tokens + clients + BESIDE

    def steps_waited(self, gpu: str, clients: int) -> float:
        """Return for how many steps a request waits on average until the engine looks for it."""
        polled = entry_for(gpu, (one for one in self.polling if clients >= one.clients))
        return 0.0 if polled is None else polled.steps / 2.0

    def lanes_waited(self, gpu: str, lanes: int, steps_between: float) -> float:
        """Return for how many steps a prompt waits on average for those of other lanes, where one comes in so many."""
        gathered = entry_for(gpu, self.gathering)
        if gathered is None or lanes == 1:
            return 0.0
        return min(gathered.steps, lanes * steps_between) / 2.0

    def handed_out(self, gpu: str) -> int:
        """Return how many output tokens of a request are handed out together."""
        gathered = entry_for(gpu, self.gathering)
        return 1 if gathered is None else gathered.tokens


def recipe_from(record: Record) -> BenchRecipe:
    """Return the recipe of an engine's file."""
    return BenchRecipe(
        token_budget=int(record.number("token_budget")),
        scatter=record.number("scatter"),
        citation=record.citation("bench"),
        memory=memory_from(record) if "memory_share" in record.values else None,
        polling=tuple(map(_polling_from, _tables(record, "polling"))),
        gathering=tuple(map(_gathering_from, _tables(record, "gathering"))),
    )


def _tables(record: Record, name: str) -> tuple[Record, ...]:
    return tuple(record.tables(name)) if name in record.values else ()


def _polling_from(record: Record) -> Polling:
    clients, steps = (int(record.number(name)) for name in ("clients", "steps"))
    return Polling(gpus=record.texts("gpus"), clients=clients, steps=steps, citation=record.citation("bench.polling"))


def _gathering_from(record: Record) -> Gathering:
    tokens, steps = (int(record.number(name)) for name in ("tokens", "steps"))
    return Gathering(gpus=record.texts("gpus"), tokens=tokens, steps=steps, citation=record.citation("bench.gathering"))
