"""The least times of operators: known shapes by hand, and what every kernel's time must do."""

import numpy as np
import pytest

from fleettui.hardware import catalog
from fleettui.hardware.formats import FORMATS, peak
from fleettui.hardware.operators import (
    ExpertShape,
    decode_attention,
    experts,
    latent_decode,
    latent_prompt,
    matrix_product,
    prompt_attention,
    ring_time,
)

H100 = catalog.gpu("h100")
MIXTRAL = ExpertShape(hidden=4096, inner=14336, used=2, count=8, divided=1)


def test_a_product_of_one_token_reads_its_weights_and_one_of_many_multiplies() -> None:
    one, many = (matrix_product(tokens, 7168, 8192, "bf16").least(H100) for tokens in (1, 8192))
    assert one == pytest.approx(7168 * 8192 * 2 / 3.35e12, rel=1e-3)
    assert many == pytest.approx(2 * 8192 * 7168 * 8192 / 989e12)


def test_half_the_bytes_take_half_the_time() -> None:
    wide, thin = (matrix_product(1, 8192, 8192, form).least(H100) for form in ("bf16", "fp8"))
    assert thin == pytest.approx(wide / 2, rel=1e-3)


def test_a_decode_reads_its_cache_up_to_the_window() -> None:
    whole, window = (
        decode_attention(8, 4, 4096, width=128, cache_bytes=2, window=one).moved - 8 * 4 * 4 * 128 for one in (0, 1024)
    )
    assert whole == 8 * 2 * 4096 * 128 * 2
    assert window == whole / 4


def test_prompts_form_half_their_square_of_pairs_and_fewer_in_a_window() -> None:
    assert prompt_attention(1, 1, 1000, width=128).flops == 4 * 128 * 500_000
    assert prompt_attention(1, 1, 1000, width=128, window=100).flops == 4 * 128 * (100_000 - 5000)
    assert prompt_attention(1, 1, 50, width=128, window=100).flops == 4 * 128 * 1250


def test_latent_attention_reads_a_latent_once_for_all_heads() -> None:
    few, many = (latent_decode(heads, 1, 100_000, cache_bytes=2) for heads in (16, 128))
    assert few.moved == pytest.approx(many.moved, rel=0.01)
    assert many.flops == 8 * few.flops
    assert latent_prompt(2, 1000).flops == 2 * 1e6 * 320


def test_tokens_touch_ever_more_experts_until_all_are_read() -> None:
    one, two, many = (experts(tokens, MIXTRAL, "bf16").moved for tokens in (1, 2, 10_000))
    weights = 3 * 4096 * 14336 * 2
    assert one == pytest.approx(2 * weights, rel=1e-3)
    assert two == pytest.approx((8 - 8 * 0.75**2) * weights, rel=1e-3)
    assert many == pytest.approx(8 * weights + 2 * 2 * 10_000 * 4096)


def test_units_that_a_gpu_lacks_are_the_next_wider_ones() -> None:
    a100 = catalog.gpu("a100")
    assert peak(a100, "fp8") == peak(a100, "fp4") == a100.peak_bf16
    assert peak(H100, "fp4") == H100.peak_fp8
    assert {FORMATS[form].units for form in ("nvfp4", "int8_sq")} == {"fp4", "int8"}


def test_estimates_reach_less_than_the_datasheet() -> None:
    work = matrix_product(np.array([1, 10_000]), 8192, 8192, "bf16")
    assert work.estimated(H100) / work.least(H100) == pytest.approx([1 / 0.8, 1 / 0.6])


def test_a_ring_carries_each_number_twice_but_for_ones_own_share() -> None:
    assert ring_time(1e6, 8, 450e9) == pytest.approx(2 * 7 / 8 * 2e6 / 450e9)
