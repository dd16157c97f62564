"""One replica as FleetOpt and the papers' reference page have it, and as an engine with paged blocks runs it."""

from __future__ import annotations

import math
from collections.abc import Callable

from fleettui.domain.fleet import BLOCK_SIZE, FleetSketch, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, paper_profile
from fleettui.hardware.step_cost import step_time
from fleettui.optimize.given_fleet import score
from fleettui.optimize.paper import PROMPT_SHARE, calibrate_exactly
from fleettui.optimize.published.cell_questions import Found, OneReplica, ReplicaFigure

GIBIBYTE = 2**30
KV_BYTES = 320 * 1024
"""Bytes of one token's cache of Llama-3-70B in bf16 on all GPUs (FleetOpt, section 2.2)."""
NEARLY_IDLE = 1e-6
"""Requests/s at which the load of one request is read off."""


def by_paper(asked: OneReplica) -> float:
    """Return the figure by the papers' profile: a place is kept for the whole context, every place is taken."""
    profile, context = paper_profile(asked.gpu), asked.context
    slots = profile.slots(context)
    per_sequence = profile.time_per_sequence * asked.tokens / CALIBRATION_CONTEXT
    figures: dict[ReplicaFigure, Callable[[], float]] = {
        "by memory": lambda: profile.kv_blocks // math.ceil(context / BLOCK_SIZE),
        "by load": lambda: profile.calibration_concurrency * CALIBRATION_CONTEXT // context,
        "places": lambda: slots,
        "used": lambda: asked.tokens / context,
        "ratio": lambda: profile.slots(asked.beside) / slots,
        "GiB": lambda: context * KV_BYTES / GIBIBYTE,
        "per sequence": lambda: per_sequence,
        "step": lambda: profile.base_step_time + per_sequence * slots,
        "rate": lambda: slots / calibrate_exactly(profile, [_alike(asked.tokens)], context).mean_service,
    }
    return figures[asked.figure]()


def by_ours(asked: OneReplica, question: Question, profile: Profile) -> Found:
    """Return the figure of a replica of ours: a request takes the blocks of its own tokens, its prompt costs time."""
    tokens, size = asked.tokens or asked.context, profile.block_size
    blocks = math.ceil(tokens / size)
    most, by_memory = profile.settled(question).max_num_seqs, profile.kv_blocks // blocks
    _, prompt, output = _alike(tokens)
    places, held = min(by_memory, most), prompt + output / 2.0
    figures: dict[ReplicaFigure, tuple[Callable[[], float], str]] = {
        "by memory": (lambda: by_memory, f", whose memory holds so many sequences of {tokens} tokens"),
        "by load": (lambda: most, ": the engine's own limit, at any context"),
        "places": (lambda: places, ": the lesser of both"),
        "used": (lambda: tokens / (blocks * size), f": blocks of {size} tokens as they are needed"),
        "ratio": (lambda: blocks / math.ceil(asked.beside / size), ": by the blocks that it holds there is no cliff"),
        "GiB": (lambda: blocks * size * profile.kv_bytes_per_token / GIBIBYTE, f", for a request of {tokens} tokens"),
        "per sequence": (
            lambda: _decode(profile, 1, held) - _decode(profile, 1, 0.0),
            f": {held:g} cached tokens on average, read in each step",
        ),
        "step": (lambda: _decode(profile, places, places * held), f": {places} decodes, no prompt"),
        "rate": (lambda: _rate(question, profile, asked), ", prompts counted"),
    }
    value, words = figures[asked.figure]
    return Found(value=value(), note=f"ours {profile.tp} {profile.gpu.upper()}{words}")


def _decode(profile: Profile, decodes: int, context_tokens: float) -> float:
    return float(step_time(profile.step, decodes=decodes, context_tokens=context_tokens))


def _rate(question: Question, profile: Profile, asked: OneReplica) -> float:
    """Return the requests/s that keep one replica busy all the time."""
    pool = PoolSketch(gpu=asked.gpu, model=question.model, tp=profile.tp, replicas=1)
    slices = [(NEARLY_IDLE, [_alike(asked.tokens)])]
    scored = score(question, FleetSketch(pools=(pool,)), [profile], slices, asked.context)
    return NEARLY_IDLE / scored.candidate.pools[0].utilization


def _alike(tokens: int) -> tuple[float, float, float]:
    """Return a request of so many tokens, four fifths of them prompt, as an atom."""
    prompt = max(1.0, math.floor(PROMPT_SHARE * tokens))
    return 1.0, prompt, max(1.0, tokens - prompt)
