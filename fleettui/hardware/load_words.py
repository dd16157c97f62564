"""What a load of experts comes to on one kind of replica, in words."""

from __future__ import annotations

from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.hardware import Model, StepTable
from fleettui.hardware.fullest_rank import fullest_rank
from fleettui.hardware.step_cost import step_time

TOLD = (32, 256, 2048)
"""Tokens of a step at which the fullest rank is told of."""


def load_words(load: ExpertLoad, model: Model, *, ranks: int, step: StepTable, plain: StepTable) -> str:
    """Return a load, what the fullest of `ranks` has of it, and its `step` beside the `plain` one, as was measured."""
    found = fullest_rank(load, count=model.experts, used=model.experts_per_token, ranks=ranks)
    if ranks == 1:
        told = (
            f"a layer's tokens touch {_listed([f'{one / model.experts:.0%}' for one in found.experts(TOLD)])} of them"
        )
    else:
        told = f"the fullest of {ranks} GPUs has {_listed([f'{one:.2f}' for one in found.factor(TOLD)])} x the mean"
    decodes, prompts = (_seconds(step)[place] / _seconds(plain)[place] for place in (0, 1))
    return (
        f"{load.words}; {told} at {_listed([f'{one:,}' for one in TOLD])} tokens a step; steps of "
        f"{step.shown_sequences} decodes take {decodes:.2f} x, prompts of {step.shown_tokens:,} tokens {prompts:.2f} x "
        "what they do with experts chosen as in measurements"
    )


def _seconds(step: StepTable) -> tuple[float, float]:
    count, length = step.shown_sequences, step.shown_tokens
    return (
        float(step_time(step, decodes=count, context_tokens=count * length)),
        float(step_time(step, decodes=0, context_tokens=0, prompt_tokens=length, attention_pairs=length**2 / 2)),
    )


def _listed(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
