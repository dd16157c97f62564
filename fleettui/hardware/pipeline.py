"""What a step takes more where the layers of a replica stand in stages, one after the other.

Each stage holds a part of the layers on GPUs of its own and works for as many batches in turn as there are stages. A
batch's step goes through all of them: it takes the time of all layers, and between two stages the hidden state and the
residual of its tokens are sent on. Each GPU of a stage sends its part of the rows' width to its peer in the next one,
within the domain of the GPU's own link or over the network beyond (`gpus.md`).
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.hardware import Gpu, Model, StepPart, StepTable

SENT = 2
"""Rows of a token that one stage sends to the next: its hidden state and its residual, as vLLM does."""
NUMBER_BYTES = 2.0
LINK_LATENCY, NETWORK_LATENCY = 22e-6, 50e-6
"""Seconds before the first byte: of an eager collective on one node (measured), of a network hop (Frontier's M2N)."""
OPERATOR = "stages"


def staged(step: StepTable, gpu: Gpu, model: Model, *, tp: int, pp: int) -> StepTable:
    """Return a step of all layers, on `tp` GPUs at a time, that goes through `pp` stages."""
    if pp == 1:
        return step
    first, each = _sending(gpu, model, tp=tp, pp=pp)
    part = StepPart(
        operator=OPERATOR,
        decode=first + each * step.shown_sequences,
        prompt=first + each * step.shown_tokens,
        evidence="by the bandwidth of its datasheet",
    )
    return replace(
        step,
        overhead=step.overhead + first,
        linear=tuple(seconds + each * tokens for seconds, tokens in zip(step.linear, step.tokens, strict=True)),
        parts=(*step.parts, part),
    )


def _sending(gpu: Gpu, model: Model, *, tp: int, pp: int) -> tuple[float, float]:
    """Return the seconds that sending takes in a step, whatever it holds, and for each token in it."""
    within = tp * pp <= gpu.joined
    speed = gpu.link_bandwidth if within else gpu.scale_out
    assert speed is not None, f"{gpu.name}: nobody says how fast its network is; check_fit refuses it"
    latency = LINK_LATENCY if within else NETWORK_LATENCY
    return (pp - 1) * latency, (pp - 1) * SENT * NUMBER_BYTES * model.hidden / tp / speed
