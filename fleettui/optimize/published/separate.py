"""Our view of prefill and decode on GPUs of their own (model.md §9), for requests of one length.

A prefill replica takes one prompt at a time; a decode replica is planned like any pool whose prompts are computed
elsewhere. The first token is sent by the prefill side; moving the cache falls into the second token's gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware.step_cost import step_time
from fleettui.optimize.plan import find_plan
from fleettui.optimize.published.cell_figures import HOURS_PER_YEAR
from fleettui.optimize.published.cell_questions import Disaggregated, SeparateFigure
from fleettui.queueing.waiting import wait_percentile

EXCEEDED = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Separate:
    """GPUs for prefill and for decode, US dollars per hour of both, and P99 TTFT and TPOT in seconds."""

    prefill: int
    decode: int
    cost_per_hour: float
    ttft: float
    tpot: float
    words: str

    def figure(self, name: SeparateFigure) -> float:
        """Return the figure called `name`; a cost is per year."""
        values = {
            "prefill": self.prefill,
            "decode": self.decode,
            "replicas": self.prefill + self.decode,
            "cost": self.cost_per_hour * HOURS_PER_YEAR,
            "ttft": self.ttft,
            "tpot": self.tpot,
        }
        return values[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prefill:
    profile: Profile
    replicas: int
    ttft: float

    @property
    def gpus(self) -> int:
        return self.replicas * self.profile.tp

    @property
    def cost(self) -> float:
        return self.gpus * self.profile.price_per_hour


def separate(
    asked: Disaggregated, first: Question, second: Question, profiles: Callable[[Question], Sequence[Profile]]
) -> Separate:
    """Return the cheapest such fleet; `first` and `second` are the questions of the prefill and the decode side."""
    options = [_prefill(asked, profile, first) for profile in profiles(first)]
    holding = [one for one in options if one.ttft <= asked.slo_ttft]
    chosen = min(holding, key=lambda one: (one.cost, one.ttft)) if holding else min(options, key=lambda one: one.ttft)
    decode = _decode(asked, second, profiles(second))
    pool = decode.fleet.pools[0]
    words = (
        f"{chosen.replicas} x {chosen.profile.tp} {asked.prefill.upper()} prefill and {pool.replicas} x {pool.tp} "
        f"{asked.decode.upper()} decode; there prompts are free and a GPU is a node"
    )
    return Separate(
        prefill=chosen.gpus,
        decode=decode.gpus,
        cost_per_hour=chosen.cost + decode.cost_per_hour,
        ttft=chosen.ttft,
        tpot=decode.pools[0].tpot,
        words=words if holding else f"{words}; no prefill keeps {asked.slo_ttft:g} s",
    )


def _prefill(asked: Disaggregated, profile: Profile, question: Question) -> _Prefill:
    """Return the fewest replicas, at most as busy as allowed, whose P99 TTFT keeps the limit if any number does."""
    service = _prompt_time(asked.prompt, profile, profile.settled(question).token_budget)
    replicas = math.ceil(asked.rate * service / question.max_utilization)
    while (wait := _wait(asked, replicas, service)) > 0.0 and service < asked.slo_ttft < wait + service:
        replicas += 1
    return _Prefill(profile=profile, replicas=replicas, ttft=wait + service)


def _wait(asked: Disaggregated, replicas: int, service: float) -> float:
    return float(wait_percentile(replicas, asked.rate * service / replicas, service, 0.0, EXCEEDED))


def _prompt_time(prompt: int, profile: Profile, chunk: int) -> float:
    """Return the seconds that a prompt alone takes, chunk by chunk, its own attention counted."""
    seconds = 0.0
    for start in range(0, prompt, chunk):
        tokens = min(chunk, prompt - start)
        pairs = tokens * start + tokens * (tokens + 1) / 2.0
        seconds += float(
            step_time(profile.step, decodes=0, context_tokens=start, prompt_tokens=tokens, attention_pairs=pairs)
        )
    return seconds


def _decode(asked: Disaggregated, question: Question, profiles: Sequence[Profile]) -> Candidate:
    """Return the decode pool: every prompt is in the cache already, so that only reading it is left."""
    cached = replace(question, prefix_hit=1.0)
    atoms = [(1.0, float(asked.prompt), float(asked.output))]
    found = find_plan(
        cached, slices=[(asked.rate, atoms)], profiles=profiles, grid=(), context=asked.prompt + asked.output
    )
    assert found.answer is not None, f"some number of {asked.decode} decodes within {asked.slo_tpot} s"
    return found.answer
