"""Public runs of a server: its steps in every profile that no own fit knows."""

from dataclasses import replace

import pytest

from fleettui.domain.hardware import StepTable
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.hardware.public_runs import Key, as_run, corrected, public_runs
from fleettui.hardware.step_cost import step_time
from tests.evidence.public_runs import FASTEST, LEAST

KEY: Key = ("h200", "vllm-0.13", "qwen3-235b-a22b", "fp8")
BARE = build_profile(
    catalog.gpu("h200"), catalog.model("qwen3-235b-a22b"), dtype="fp8", tp=8, engine="vllm-0.13", step_law="kernels"
)


def test_servers_are_of_the_catalogue_and_of_enough_runs() -> None:
    for (gpu, engine, model, dtype), known in public_runs().items():
        assert catalog.gpu(gpu)
        assert engine in catalog.engine_names()
        assert catalog.model(model)
        assert dtype in ("bf16", "fp8", "mxfp4", "nvfp4")
        assert known.runs >= LEAST
        assert known.factor >= FASTEST
        assert "Apache-2.0" in known.citation.source


def test_all_of_a_step_takes_what_public_runs_took() -> None:
    found = corrected(BARE, "vllm-0.13")
    factor = public_runs()[KEY].factor
    asked = {"decodes": 30, "context_tokens": 40_000, "prompt_tokens": 2000, "attention_pairs": 2e6, "prompts": 2}
    assert float(step_time(found.step, **asked)) == pytest.approx(factor * float(step_time(BARE.step, **asked)))
    assert found.evidence == f"{BARE.evidence}, 38 public runs took {factor:.2f} of their kernels' time"
    assert found.citations[-1].field == "step"
    assert found.band == BARE.band


def test_other_servers_and_the_roofline_are_as_they_were() -> None:
    assert corrected(BARE, "sglang") is BARE
    assert corrected(BARE, "vllm") is BARE
    assert corrected(replace(BARE, dtype="bf16"), "vllm-0.13").step is BARE.step
    roofline = build_profile(catalog.gpu("h200"), catalog.model("qwen3-235b-a22b"), dtype="fp8", tp=8)
    assert not isinstance(roofline.step, StepTable)
    assert as_run(roofline.step, KEY) is roofline.step
    assert corrected(roofline, "vllm-0.13") is roofline
