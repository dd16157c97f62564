"""What engines add, and how it is fitted to public runs."""

from dataclasses import replace

import pytest

from fleettui.domain.hardware import StepTable
from fleettui.hardware import catalog
from fleettui.hardware.engine_terms import EngineTerms
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.step_table import step_table
from fleettui.hardware.validation import compare
from tests.evidence.engine_terms import TERMS, Held, fits, with_terms
from tests.hardware.test_calibration import served

OTHER = EngineTerms(
    step=0.0, layer=4e-5, logit=3e-10, eager_least=2e-4, eager_extra=5e-5, factor=1.2, expert_layer=2e-5
)


def table(terms: EngineTerms) -> StepTable:
    return step_table(
        catalog.gpu("h100"), catalog.model("llama-3.1-8b"), dtype="bf16", tp=1, engine="vllm", terms=terms
    )


@pytest.mark.parametrize("prompt", [0, 64, 4096])
def test_a_table_with_other_terms_is_the_one_that_is_made_of_them(prompt: int) -> None:
    shipped, model = catalog.engine("vllm").terms, catalog.model("llama-3.1-8b")
    changed, made = (
        float(step_time(one, decodes=40, context_tokens=40_000, prompt_tokens=prompt, attention_pairs=prompt**2 / 2))
        for one in (with_terms(table(shipped), model, shipped, OTHER), table(OTHER))
    )
    assert changed == pytest.approx(made, rel=1e-3)


def test_hidden_terms_are_found_although_a_fifth_of_the_runs_is_of_another_server() -> None:
    shipped = catalog.engine("vllm").terms
    hidden = replace(shipped, layer=4.1e-5, logit=2.3e-10)
    runs = []
    for place, one in enumerate(compare(served([(512, 128, 1)] * 20), "kernels")[0]):
        slopes = (20_000.0 - 700.0 * place, 0.0, 2e8 * place, 0.0, 0.0, 0.0)
        off = sum(by * (getattr(shipped, term) - getattr(hidden, term)) for term, by in zip(TERMS, slopes, strict=True))
        runs.append(Held(one, off + 0.7 * (place % 5 == 0), slopes, one.point.ttft - 0.03))
    fit = fits(runs)["vllm"]
    assert (fit.terms.layer, fit.terms.logit) == pytest.approx((hidden.layer, hidden.logit), rel=0.02)
    assert (fit.terms.eager_least, fit.terms.factor) == (shipped.eager_least, shipped.factor)
    assert fits(runs)["sglang"].terms == catalog.engine("sglang").terms
