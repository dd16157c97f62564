import dataclasses
from pathlib import Path

import pytest

from fleettui.domain.hardware import Citation, Gpu, Model, PowerCurve, Price, Profile, Shape, StepCost
from fleettui.domain.offers import PRICE_CLASSES
from fleettui.hardware import catalog
from fleettui.hardware.model_config import FAMILIES
from fleettui.reports.hardware_text import gpu_text, gpus_table, model_text, models_table, profile_text, sources
from fleettui.reports.table import render

CURVE = PowerCurve(idle=300, nominal=600, steepness=1, midpoint=4, confidence="high")
GPU = Gpu(
    name="mi300x",
    vendor="AMD",
    memory=205.8e9,
    bandwidth=5.3e12,
    peak_bf16=1307e12,
    peak_fp8=None,
    link="Infinity Fabric",
    link_bandwidth=448e9,
    gpus_per_node=8,
    thermal_design_power=750,
    power=CURVE,
    price=Price(per_hour=1.99, purchase="on-demand", provider="some", region="any", date="2026-05", url="https://x.y"),
    citations=(Citation(field="memory", source="datasheet"),),
)
MODEL = Model(
    name="deepseek-v3",
    architecture="DeepseekV3ForCausalLM",
    parameters=671e9,
    active_parameters=36.6e9,
    layers=61,
    hidden=7168,
    heads=128,
    kv_heads=128,
    head_dimension=160,
    context=163_840,
    shape=Shape(vocabulary=129_280, query=24_576, dense_layers=3),
    experts=256,
    experts_per_token=8,
    latent_dimension=576,
    native_dtype="fp8",
)
PROFILE = Profile(
    name="x",
    gpu="h100",
    model="llama-3.1-70b",
    dtype="fp8",
    tp=4,
    price_per_hour=2.95,
    price_note="on-demand",
    step=StepCost(
        overhead=0.0058,
        weight_time=0.0065,
        linear_time=2.9e-5,
        all_reduce_time=8.7e-6,
        context_time=3.4e-8,
        attention_time=1.1e-9,
    ),
    kv_blocks=43_378,
    block_size=16,
    context=131_072,
    peak=1,
    bandwidth=1,
    flops_per_token=1,
    attention_flops=1,
    bytes_per_step=1,
    kv_bytes_per_token=1,
    power=CURVE,
    gpus_per_node=8,
    model_error=0.25,
    memory=("76.52 GB usable", "= 56.86 GB for the cache"),
)


def test_lists_fit_80_columns_and_know_what_is_absent() -> None:
    gpus, models = gpus_table([GPU]), models_table([MODEL, dataclasses.replace(MODEL, experts=0, latent_dimension=0)])
    row = ("mi300x", "206 GB", "5.3 TB/s", "1,307", "-", "750 W", "1.99", "-", "1 model", "Infinity Fabric")
    assert gpus.rows[0] == row
    assert [row[5:7] for row in models.rows] == [("latent", "256"), ("128", "-")]
    for table in (gpus, models):
        assert max(map(len, render(table).splitlines())) <= 80


def test_one_gpu_with_its_offer_and_sources() -> None:
    text = gpu_text(GPU)
    assert "fp8        none" in text
    assert "$1.99/h on-demand, some any, 2026-05" in text
    assert "memory: datasheet" in text


def test_one_gpu_with_what_else_is_known_and_without_a_price() -> None:
    more = dataclasses.replace(GPU, memory_printed=192e9, peak_int8=2615e12, peak_fp4=5e15, price=None)
    text = gpu_text(dataclasses.replace(more, scale_up_domain=64, scale_out=50e9, idle_power=80, all_in_power=1790))
    assert "206 GB usable, 192 GB printed" in text
    assert "int8       2,615 TFLOP/s dense" in text
    assert "fp4        5,000 TFLOP/s dense" in text
    assert "448 GB/s one way, joins 64 GPUs" in text
    assert "network    50 GB/s one way" in text
    assert "750 W TDP, 80 W without work, 1.8 kW" in text
    assert "at work by what it does, 15% off on average: medium trust" in " ".join(text.split())
    assert "--price mi300x=" in text
    assert "offer" not in text
    assert gpus_table([more]).rows[0][6] == "-"


def test_the_list_says_what_is_searched_without_being_named() -> None:
    assert "without --gpu" not in render(gpus_table([GPU]))
    told = " ".join(render(gpus_table([dataclasses.replace(GPU, searched=True)])).split())
    assert "without --gpu mi300x are searched, with --gpu all every one that has a price" in told


def test_one_model_with_its_experts() -> None:
    text = model_text(MODEL)
    assert "671B, 36.6B active per token" in text
    assert "256 of which a token uses 8" in text
    assert "experts" not in model_text(dataclasses.replace(MODEL, experts=0))


def test_one_model_with_windows_and_a_state() -> None:
    text = model_text(
        dataclasses.replace(
            MODEL,
            windowed_layers=18,
            window=1024,
            recurrent_layers=45,
            state_bytes=192e6,
        )
    )
    assert "window      18 layers keep the last 1,024 tokens, the others all" in text
    assert "state       45 layers keep no tokens but 0.192 GB of a sequence" in text
    assert "dtype       fp8 as published" in model_text(MODEL)


def test_second_names_stand_under_the_models() -> None:
    assert "r1 is deepseek-v3; another model" in " ".join(render(models_table([MODEL], {"r1": "deepseek-v3"})).split())


def test_under_the_models_stands_what_a_config_may_be_of() -> None:
    told = " ".join(render(models_table([MODEL])).split())
    assert all(name in told for name in FAMILIES)


def test_one_profile_with_its_memory_line_by_line() -> None:
    text = profile_text(PROFILE)
    assert text.startswith("llama-3.1-70b fp8 on 4 H100\n")
    assert "5.8 ms overhead + 6.5 ms weights" in text
    assert "43,378 blocks of 16 tokens" in text
    assert "memory       = 56.86 GB for the cache" in text
    assert max(map(len, text.splitlines())) <= 80


def test_fields_of_one_source_stand_together() -> None:
    cited = (
        Citation(field="memory", source="datasheet"),
        Citation(field="bandwidth", source="datasheet"),
        Citation(field="price", source="a page", confidence="low"),
    )
    assert sources(cited) == [("source", "memory, bandwidth: datasheet"), ("source", "price: a page (low confidence)")]


def test_one_gpu_with_every_class_of_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))
    text = " ".join(gpu_text(catalog.gpu("h100")).split())
    assert "sold on-demand $6.88/h aws us-east-1 p5.48xlarge (8 GPUs), 2025-08 or later: skypilot-catalog" in text
    for name in PRICE_CLASSES:
        assert f"sold {name} $" in text
