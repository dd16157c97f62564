"""Bytes of a moved cache against the published ones, and links of replicas."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.disagg import Links
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.kv_transfer import LATENCY, bytes_of, cache_size, links_between
from fleettui.hardware.profile import build_profile
from fleettui.hardware.sequence_cache import sequence_bytes

GPU, MODEL = catalog.gpu("h100"), catalog.model("llama-3.1-70b")
PROFILE = build_profile(GPU, MODEL, dtype="bf16", tp=4)


def test_a_token_of_a_cache_has_the_published_bytes() -> None:
    """Llama-3-70B: 2 × 8 heads × 128 numbers × 80 layers; DeepSeek's latent: (512 + 64) × 61, once for all GPUs."""
    assert cache_size(MODEL, "bf16").per_token == 327_680
    assert cache_size(MODEL, "fp8").per_token == 163_840
    assert cache_size(catalog.model("deepseek-v3"), "bf16").per_token == 70_272


def test_windows_and_states_count_as_sequences_keep_them() -> None:
    gemma = catalog.model("gemma-3-27b")
    for tokens in (100, 5000):
        assert float(bytes_of(cache_size(gemma, "bf16"), tokens)) == sequence_bytes(gemma, tokens)


def test_the_narrower_side_says_how_fast_one_transfer_is() -> None:
    wide = replace(PROFILE, tp=8)
    found = links_between(wide, PROFILE, {"h100": GPU}, None)
    assert found == Links(prefill=400e9, decode=200e9, latency=LATENCY)
    assert found.each == 200e9
    assert links_between(wide, PROFILE, {"h100": GPU}, 25e9).each == 25e9


def test_a_network_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is known of the network") as refusal:
        links_between(PROFILE, PROFILE, {"h100": replace(GPU, scale_out=None)}, None)
    assert "--link 50GB/s" in str(refusal.value.remedy)
