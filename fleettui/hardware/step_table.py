"""The operator law of one replica, tabulated: what formulas and engines need of it, with the engine's own terms.

Against the law itself: see `tests/hardware/test_step_table.py`, which holds the largest differences.
"""

from __future__ import annotations

import numpy as np

from fleettui.domain.dtype import Dtype
from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.hardware import Gpu, Model, StepCost, StepPart, StepTable
from fleettui.domain.layout import Layout
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.fit import check_fit, check_spread
from fleettui.hardware.kernel_search import EXPERTS, NONE, Kernels
from fleettui.hardware.operator_law import ELEMENTWISE_SHARE, OF_A_LANE, OperatorLaw
from fleettui.hardware.operators import Floats
from fleettui.hardware.sequence_cache import SequenceCache, counted_in_full

DIGITS = 5
"""Significant digits of a tabulated time: a hundredth of what kernels are known to."""
MOST_TOKENS, MOST_SEQUENCES, LONGEST_PROMPT = 16_384, 2048, 131_072
TILES = (32, 64, 80, 96, 112, 128, 160, 192, 224, 256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2304, 2560)
"""Tokens beyond which matrix products need another tile."""
CONTEXTS = np.geomspace(256, 32_768, 15)
"""Tokens a sequence over which decode attention is taken as straight."""
SHOWN_SEQUENCES, SHOWN_TOKENS = 32, 2048


def step_table(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: str,
    terms: EngineTerms,
    overhead: float | None = None,
    cache: SequenceCache | None = None,
    expert_parallel: bool = False,
    attention_dp: bool = False,
    width: int = 1,
    load: ExpertLoad | None = None,
    layout: Layout | None = None,
    fused: bool = False,
) -> StepTable:
    """Return the step of `model` on `tp` GPUs under `engine`; `overhead` replaces what it adds to every step.

    It computes `width` tokens of each decoding sequence. Experts are chosen by a `load`, lanes and groups
    as large as a `layout` says. Norms and the like are `fused` into products or not.

    `cache` is the form in which a sequence's cache counts, in full unless another is said. With `attention_dp` it is
    the step of one GPU's batch, as if the others' were the same.
    Raises DoesNotFit where the GPU has no units for `dtype`, or `tp` does not divide the heads, or the experts that are
    to be spread; InputError for a load of other experts.
    """
    check_fit(gpu, model, dtype=dtype, tp=tp)
    kept = cache or counted_in_full(model)
    if expert_parallel:
        check_spread(model, tp if layout is None else layout.feed_forward_ep)
    if load is not None:
        load.check(model)
    kernels = Kernels(gpu, engine, kept.dtype, terms.compute_share(model))
    law = OperatorLaw(
        kernels,
        model,
        dtype,
        tp,
        bounded=kept.bounded,
        expert_parallel=expert_parallel,
        attention_dp=attention_dp,
        load=load,
        layout=layout,
        fused=fused,
        shared_after=terms.shared_after,
    )
    tokens, sequences = token_grid(), sequence_grid()
    lengths = np.concatenate([[1.0], np.geomspace(16, LONGEST_PROMPT, 40)])
    prompt = np.maximum.accumulate(law.prompt(lengths))
    fixed, slope = _decodes(law, sequences, width)
    return StepTable(
        overhead=terms.every_step(model) if overhead is None else overhead,
        tokens=_plain(tokens),
        linear=_plain(np.maximum.accumulate(terms.factor * sum(law.linear(tokens).values(), np.zeros(())))),
        sequences=_plain(sequences),
        fixed=_plain(np.maximum.accumulate(fixed + width * terms.sampling(model) * sequences)),
        slope=_plain(slope),
        pairs=_plain(lengths * lengths / 2.0),
        attention=_plain(prompt - prompt[0]),
        prompt_floor=_rounded(prompt[0]),
        prompt_least=terms.least_prompt(model),
        prompt_extra=terms.eager_extra * model.layers,
        read_share=law.weights.always / (law.weights.always + law.weights.routed),
        expert_share=model.experts_per_token / model.experts if model.experts else 0.0,
        shown_sequences=SHOWN_SEQUENCES,
        shown_tokens=SHOWN_TOKENS,
        parts=_parts(law, terms.factor, width),
        gathered=_plain(np.maximum.accumulate(terms.factor * law.behind(tokens))) if attention_dp else (),
        width=width,
    )


def times_experts(step: StepCost | StepTable) -> bool:
    """Return whether a step's routed experts, where there are any, are timed by kernels that were measured."""
    if not isinstance(step, StepTable):
        return False
    return all(part.evidence != NONE for part in step.parts if part.operator == EXPERTS)


def token_grid() -> Floats:
    """Return the tokens of a step at which it is tabulated."""
    edges = [edge + beyond for edge in TILES for beyond in (0, 1)]
    return np.unique(np.round(np.concatenate([np.arange(1, 18), edges, np.geomspace(16, MOST_TOKENS, 48)])))


def sequence_grid() -> Floats:
    """Return the sequences at which decodes are tabulated: 0, which a step of prompts alone has, and up."""
    return np.unique(np.round(np.concatenate([[0.0], np.geomspace(1, MOST_SEQUENCES, 23)])))


def _decodes(law: OperatorLaw, sequences: Floats, width: int) -> tuple[Floats, Floats]:
    """Return seconds that do not depend on context, head included, and seconds per cached token; at no sequence the
    head of one row, for the prompt that ends, and no slope.
    """
    counts = sequences[1:]
    alone, *heads = law.head(np.concatenate([[1.0], width * counts])).tolist()
    fixed, slope = [alone], [0.0]
    for count, head, seconds in zip(counts, heads, law.decode(counts[:, np.newaxis], CONTEXTS, width), strict=True):
        steepness, rest = np.polyfit(count * CONTEXTS, seconds, 1, w=1.0 / seconds)
        fixed.append(head + max(0.0, float(rest)))
        slope.append(max(0.0, float(steepness)))
    whole = np.maximum.accumulate(np.asarray(slope) * sequences)
    return np.asarray(fixed), whole / np.maximum(sequences, 1.0)


def _parts(law: OperatorLaw, factor: float, width: int) -> tuple[StepPart, ...]:
    """Return each operator's share of the steps that stand for others."""
    decode, prompt = law.linear(float(width * SHOWN_SEQUENCES)), law.linear(float(SHOWN_TOKENS))
    found = {name: (factor * float(decode[name]), factor * float(prompt[name])) for name in decode}
    found["decode attention"] = float(law.decode(SHOWN_SEQUENCES, SHOWN_TOKENS, width)), 0.0
    found["prompt attention"] = 0.0, float(law.prompt(SHOWN_TOKENS))
    found["vocabulary"] = float(law.head(width * SHOWN_SEQUENCES)), float(law.head(1.0))
    return tuple(
        StepPart(
            operator=name,
            decode=_rounded(seconds[0]),
            prompt=_rounded(seconds[1]),
            evidence=law.kernels.evidence.get(
                name.removesuffix(OF_A_LANE), f"bytes at {ELEMENTWISE_SHARE:g} of the bandwidth"
            ),
        )
        for name, seconds in found.items()
    )


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(_rounded(value) for value in values)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
