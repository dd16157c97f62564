"""How prompts are put to the compressor: which are borderline, what counts their tokens, what stays, what is scored."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fleettui.domain import checks
from fleettui.domain.borderline import Band
from fleettui.domain.checks import Share
from fleettui.domain.compressor_settings import Settings

LONGEST_LINE = 1 << 23
"""Bytes of a prompt's line, beyond which it is passed over unread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """What all prompts of a study have in common.

    `output` are the output tokens of prompts that do not say theirs. `tokenizer` is the path of a tokenizer's file and
    `model` the folder of an encoder for BERTScore, None for none; `scored` is the share of compressed prompts that it
    scores, chosen by their digests.
    """

    band: Band
    output: int | None = None
    tokenizer: str | None = None
    settings: Settings = field(default_factory=Settings)
    model: str | None = None
    scored: Share = 0.1

    def __post_init__(self) -> None:
        checks.fields(self)


def model_name(folder: str) -> str:
    """Return what a model in a folder is called: the folder's name, in the cache of the Hugging Face hub its own.

    >>> model_name("/models/mine"), model_name("/hub/models--FacebookAI--roberta-base/snapshots/e2da8e2f")
    ('mine', 'FacebookAI/roberta-base')
    """
    *_, model, parent, name = ("", "", *re.split(r"[/\\]", folder))
    return model.removeprefix("models--").replace("--", "/") if parent == "snapshots" else name
