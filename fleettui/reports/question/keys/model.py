"""The model, its number format, the overhead of its engine, and the GPUs of a replica."""

from __future__ import annotations

from fleettui.domain.scenario import DTYPE_CHOICES
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.text_forms import MODEL, TIME, choice, numbers

GROUP = Group(
    "What is served.",
    (
        Key(
            "model", MODEL, "llama-3.1-70b", "a model's name (fleettui model list) or its config.json", is_setting=True
        ),
        Key(
            "dtype",
            choice(DTYPE_CHOICES),
            "fp8",
            "number format of the weights (the cache stays bf16); auto: each pool's best",
            is_setting=True,
        ),
        Key(
            "engine-overhead",
            TIME,
            "3ms",
            "time the engine adds to a step, 1 to 5 ms as measured; default vLLM's 3 ms",
            of_given=True,
        ),
        Key(
            "tp",
            numbers((1, 2, 4, 8), "auto"),
            "4,8",
            "GPUs per replica (tensor parallelism): 1, 2, 4, 8 or auto",
            is_setting=True,
        ),
    ),
)
