"""The tabulated step: the law it is made of, what grows, and what no hardware can do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.dtype import DTYPES, Dtype
from fleettui.domain.hardware import StepTable
from fleettui.hardware import catalog
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.formats import peak
from fleettui.hardware.kernel_search import NONE, Kernels
from fleettui.hardware.operator_law import OperatorLaw
from fleettui.hardware.roofline import attention_flops, flops_per_token
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.step_table import step_table
from fleettui.hardware.weights import weights_of
from tests.repeated import few

TERMS = EngineTerms(step=0.0, layer=27e-6, logit=1e-10, eager_least=1e-4)
NOTHING = EngineTerms(step=0.0, layer=0.0, logit=0.0)
CELLS: list[tuple[str, str, Dtype, int]] = [
    ("h100", "llama-3.1-8b", "bf16", 1),
    ("h100", "llama-3.1-70b", "fp8", 4),
    ("a100", "llama-3.1-70b", "bf16", 8),
    ("h200", "qwen3-235b-a22b", "fp8", 8),
    ("b200", "deepseek-v3", "fp8", 8),
    ("h100", "gemma-3-27b", "bf16", 2),
]


def table(gpu: str, model: str, dtype: Dtype, tp: int, terms: EngineTerms = TERMS) -> StepTable:
    return step_table(catalog.gpu(gpu), catalog.model(model), dtype=dtype, tp=tp, engine="vllm", terms=terms)


TABLES = {cell: table(*cell) for cell in CELLS}


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[1]}-{cell[0]}")
def test_the_table_is_the_law(cell: tuple[str, str, Dtype, int]) -> None:
    gpu, model, dtype, tp = cell
    law = OperatorLaw(Kernels(catalog.gpu(gpu), "vllm"), catalog.model(model), dtype, tp, bounded=False)
    counts, contexts = np.meshgrid([1.0, 3.0, 8.0, 20.0, 48.0, 100.0, 200.0], [512.0, 1024.0, 2048.0, 4096.0, 8192.0])
    told = step_time(table(*cell, NOTHING), decodes=counts, context_tokens=counts * contexts)
    own = sum(law.linear(counts).values()) + law.head(counts) + law.decode(counts, contexts)
    error = np.abs(told / own - 1.0)
    assert np.median(error) < 0.016
    assert error.max() < 0.08  # where measured times fall with more tokens, the table does not
    chunks = np.array([300.0, 1000.0, 3000.0, 8000.0])
    told = step_time(
        table(*cell, NOTHING), decodes=0, context_tokens=0, prompt_tokens=chunks, attention_pairs=chunks**2 / 2
    )
    assert told == pytest.approx(sum(law.linear(chunks).values()) + law.head(1.0) + law.prompt(chunks), rel=0.08)


@given(
    cell=st.sampled_from(CELLS),
    decodes=st.integers(1, 1500),
    context=st.floats(1, 100_000),
    prompt=st.integers(0, 9000),
    prefix=st.floats(0, 50_000),
)
def test_more_of_anything_takes_longer(
    cell: tuple[str, str, Dtype, int], decodes: int, context: float, prompt: int, prefix: float
) -> None:
    def seconds(x: float, each: float, tokens: float, before: float) -> float:
        pairs = tokens * (before + tokens / 2)
        return float(
            step_time(TABLES[cell], decodes=x, context_tokens=x * each, prompt_tokens=tokens, attention_pairs=pairs)
        )

    now = seconds(decodes, context, prompt, prefix) * (1 - 1e-12)
    assert seconds(decodes + 1, context, prompt, prefix) >= now
    assert seconds(decodes, context * 1.1, prompt, prefix) >= now
    assert seconds(decodes, context, prompt + 50, prefix) >= now
    assert seconds(decodes, context, prompt, prefix * 1.1) >= now


@pytest.mark.parametrize("model", few(catalog.model_names(), 0, more=1))
def test_no_hardware_does_more_than_its_peak(model: str) -> None:
    known, batches = catalog.model(model), np.array([1.0, 8.0, 64.0, 512.0, 4096.0])
    for gpu in catalog.gpus():
        for dtype in DTYPES:
            try:
                own = table(gpu.name, model, dtype, 8, NOTHING)
            except DoesNotFit:
                continue
            most = 8 * peak(gpu, weights_of(gpu, known, dtype).fastest(gpu))
            decodes = step_time(own, decodes=batches, context_tokens=batches * 1000)
            pairs = batches * batches / 2
            prompts = step_time(own, decodes=0, context_tokens=0, prompt_tokens=batches, attention_pairs=pairs)
            flops = batches * (flops_per_token(known) + attention_flops(known) * 1000)
            if not known.windowed_layers:
                assert np.all(flops / decodes <= most), gpu.name
                flops = batches * flops_per_token(known) + attention_flops(known) * pairs
                assert np.all(flops / prompts <= most), gpu.name


def test_an_unknown_gpu_falls_back_and_says_so() -> None:
    own = table("mi300x", "llama-3.1-70b", "bf16", 8)
    measured = [part for part in own.parts if part.evidence != NONE]
    assert [part.operator for part in measured] == ["norms and activations"]
    assert float(step_time(own, decodes=1, context_tokens=1000)) > 69.5e9 * 2 / 8 / (0.8 * 5.3e12)


def test_parts_are_what_the_sums_are_made_of() -> None:
    own = table("h100", "llama-3.1-70b", "fp8", 4, NOTHING)
    context = own.shown_sequences * own.shown_tokens
    decode = step_time(own, decodes=own.shown_sequences, context_tokens=context)
    prompt = step_time(
        own, decodes=0, context_tokens=0, prompt_tokens=own.shown_tokens, attention_pairs=own.shown_tokens**2 / 2
    )
    assert sum(part.decode for part in own.parts) == pytest.approx(decode, rel=0.02)
    assert sum(part.prompt for part in own.parts) == pytest.approx(prompt, rel=0.05)


def test_the_engine_adds_its_terms() -> None:
    bare, own = table(*CELLS[0], NOTHING), TABLES[CELLS[0]]
    added = step_time(own, decodes=64, context_tokens=64_000) - step_time(bare, decodes=64, context_tokens=64_000)
    assert added == pytest.approx(32 * 27e-6 + 64 * 128_256 * 1e-10, rel=1e-3)
    short = step_time(own, decodes=0, context_tokens=0, prompt_tokens=1, attention_pairs=1)
    assert short == pytest.approx(max(own.overhead + 32e-4, 7e-3), rel=0.1)
    given = step_table(
        catalog.gpu("h100"),
        catalog.model("llama-3.1-8b"),
        dtype="bf16",
        tp=1,
        engine="vllm",
        terms=TERMS,
        overhead=5e-3,
    )
    assert given.overhead == 5e-3


@pytest.mark.parametrize(("model", "vocabulary"), [("llama-2-7b", 32_000), ("llama-3.1-8b", 128_256)])
def test_every_row_of_a_step_is_sampled_from_the_whole_vocabulary(model: str, vocabulary: int) -> None:
    gpu, of = catalog.gpu("h100"), catalog.model(model)
    for width in (1, 4):
        bare, own = (
            step_table(gpu, of, dtype="bf16", tp=1, engine="vllm", terms=terms, width=width)
            for terms in (NOTHING, EngineTerms(step=0.0, layer=0.0, logit=2e-9))
        )
        added = step_time(own, decodes=64, context_tokens=64_000) - step_time(bare, decodes=64, context_tokens=64_000)
        assert added == pytest.approx(64 * width * vocabulary * 2e-9, rel=1e-2)


def test_a_step_of_llama_70b_on_eight_h100() -> None:
    wide = step_time(table("h100", "llama-3.1-70b", "bf16", 8), decodes=1, context_tokens=1000)
    thin = step_time(table("h100", "llama-3.1-70b", "fp8", 8), decodes=1, context_tokens=1000)
    assert 3e-3 < float(wide) < 15e-3
    assert 0.5 * float(wide) < float(thin) < float(wide)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(DoesNotFit, match="no fp8 units"):
        table("a100", "llama-3.1-70b", "fp8", 8)
