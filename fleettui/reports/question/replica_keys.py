"""The parts of a question that say how a replica is divided among its GPUs, and what its steps verify."""

from __future__ import annotations

from functools import partial

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.engine_settings import DIVISIONS, SEARCHED
from fleettui.domain.features import FEATURES
from fleettui.domain.scenario import ARCHITECTURE_CHOICES
from fleettui.errors import InputError
from fleettui.reports.question.key import Key
from fleettui.reports.question.text_forms import (
    DRAFTS,
    EXPERT_LOAD,
    FLAG,
    GRAPH_BINS,
    KV_OFFLOAD,
    LAYOUT,
    SHARE,
    Form,
    choice,
    numbers,
    or_word,
)

_Setting = partial(Key, is_setting=True)
_WORDS = choice(ARCHITECTURE_CHOICES)


def _architecture(text: str, where: str | None) -> str:
    """Return the word that a text says; raises InputError, with the study of an architecture that no plan has."""
    said = text.strip().lower()
    other = next((one for one in ARCHITECTURES if one.name == said and one.study), None)
    if other is not None:
        raise InputError(
            other.refusal,
            where=where,
            value=said,
            accepted=", ".join(ARCHITECTURE_CHOICES),
            remedy=f"plan with auto, which sizes {said} beside it, or study it after a plan: {other.command}",
        )
    return str(_WORDS.read(text, where))


REPLICA_KEYS = (
    _Setting("tp", numbers((1, 2, 4, 8), "auto"), "4,8", "GPUs per replica (tensor parallelism): 1, 2, 4, 8 or auto"),
    Key(
        "memory-share",
        SHARE,
        "85%",
        "share of a GPU's memory that the engine takes; default the engine's own",
        of_given=True,
    ),
    Key("pp", numbers((1, 2, 4, 8)), "1,2", "stages of a replica (pipeline parallelism), each of --tp GPUs"),
    Key("expert-parallel", FLAG, "true", "each GPU holds some routed experts whole; needs --step-law kernels"),
    Key("attention-dp", FLAG, "true", "each GPU keeps sequences of its own, not heads; needs --step-law kernels"),
    Key("layout", LAYOUT, "tp2dp4/ep8", "attention tp x dp / feed-forward tp x ep; needs --step-law kernels"),
    Key(
        "parallel",
        choice(DIVISIONS),
        "auto",
        "search --tp, and experts whole or not; all: attention, too",
    ),
    Key(
        "architecture",
        Form(_architecture, str),
        "auto",
        "prefill and decode together; auto sizes fleets with them apart, too",
        is_swept=False,
    ),
    Key(
        "graph-bins",
        or_word(GRAPH_BINS, SEARCHED),
        "engine",
        "tokens to which steps are padded: 1,2,4,8-256/8, engine, decode:engine, auto",
        of_given=True,
        is_swept=False,
    ),
    Key(
        "kv-offload",
        KV_OFFLOAD,
        "100GB@25GB/s",
        "memory per GPU and link for what leaves caches; auto:100GB@25GB/s tries both",
        of_given=True,
    ),
    *(
        Key(one.name, Form(one.read, str), one.example, one.help, fills=f"features.{one.field}", of_given=True)
        for one in FEATURES
    ),
    Key(
        "expert-load",
        EXPERT_LOAD,
        "zipf:0.5",
        "how experts are chosen: uniform, zipf:0.5, or a file of tokens per expert",
        of_given=True,
    ),
    Key(
        "speculative",
        DRAFTS,
        "mtp:3@70%",
        "drafter, drafts a step or auto, acceptance: 70%, 79%/48%/22% or a file",
    ),
)
