"""The catalogue: what is there, that it can be believed, and how an unknown name is refused."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import catalog, records
from fleettui.hardware.gpu_record import OF_THE_CATALOGUE

PUBLISHED_SPARSE_BF16 = {
    "a100": 624e12,
    "a100-pcie": 624e12,
    "a10g": 140e12,
    "b200": 4500e12,
    "b300": 4500e12,
    "gb200": 5000e12,
    "gb300": 5000e12,
    "h100": 1979e12,
    "h20": 296e12,
    "h200": 1979e12,
    "l4": 242e12,
    "l40s": 733e12,
    "mi300x": 2615e12,
    "mi325x": 2615e12,
    "mi355x": 5033e12,
    "rtx-pro-6000": 1008e12,
    "trainium2": 2563e12,
}
"""What datasheets print of bf16 with sparsity: twice and more of what is true of plain matrices."""
FP8_PER_BF16 = {"gaudi-3": 1.0, "trainium2": 1.948}
"""Where fp8 is not twice bf16."""
FOUR_BIT = ("b200", "b300", "gb200", "gb300", "mi355x", "rtx-pro-6000")
FP4_PER_BF16 = {"b300": 6.0, "gb300": 6.0}
"""Where fp4 is not four times bf16."""
SEARCHED = ("a100", "a10g", "b200", "h100", "h200", "l40s", "mi300x")
PARTS = {
    "a100",
    "a100-pcie",
    "a10g",
    "b200",
    "b300",
    "gaudi-3",
    "gb200",
    "gb300",
    "h100",
    "h20",
    "h200",
    "l4",
    "l40s",
    "mi300x",
    "mi325x",
    "mi355x",
    "rtx-pro-6000",
    "tpu-v5e",
    "tpu-v5p",
    "tpu-v6e",
    "trainium2",
}


def test_everything_is_listed_by_name() -> None:
    assert [one.name for one in catalog.gpus()] == sorted(catalog.gpu_names())
    assert [one.name for one in catalog.models()] == sorted(catalog.model_names())
    assert all(catalog.gpu(one.name) == one for one in catalog.gpus())


def test_names_that_kept_plans_may_hold_stay_known() -> None:
    assert set(catalog.gpu_names()) >= set(SEARCHED)
    assert set(catalog.model_names()) >= {
        "deepseek-v3",
        "llama-3.1-405b",
        "llama-3.1-70b",
        "llama-3.1-8b",
        "qwen3-235b-a22b",
        "qwen3-32b",
    }
    assert set(catalog.engine_names()) >= {"trtllm", "vllm"}


def test_the_parts_that_people_ask_for_are_there() -> None:
    assert set(catalog.gpu_names()) >= PARTS
    assert len(catalog.gpu_names()) >= 18


def test_a_question_without_gpus_searches_those_whose_files_say_so() -> None:
    assert catalog.searched_gpu_names() == SEARCHED


@pytest.mark.parametrize("name", catalog.gpu_names())
def test_peaks_are_dense_and_links_one_way(name: str) -> None:
    gpu = catalog.gpu(name)
    assert gpu.link_bandwidth == catalog.record("gpus", "GPU", name).table("link_bandwidth").number("two_way") / 2
    assert gpu.peak_bf16 <= PUBLISHED_SPARSE_BF16.get(name, math.inf) / 2
    if gpu.peak_fp8 is not None:
        assert gpu.peak_fp8 == pytest.approx(FP8_PER_BF16.get(name, 2.0) * gpu.peak_bf16, rel=0.02)
    if gpu.peak_int8 is not None:
        assert gpu.peak_int8 == pytest.approx(2 * gpu.peak_bf16, rel=0.02)
    if gpu.peak_fp4 is not None or name in FOUR_BIT:
        assert gpu.peak_fp4 == pytest.approx(FP4_PER_BF16.get(name, 4.0) * gpu.peak_bf16, rel=0.001)


@pytest.mark.parametrize("name", ["b300", "gb300"])
def test_blackwell_ultra_has_no_int8_worth_the_name(name: str) -> None:
    assert catalog.gpu(name).peak_int8 is None


@pytest.mark.parametrize("name", catalog.gpu_names())
def test_printed_memory_is_what_a_process_sees_but_for_the_gibibyte(name: str) -> None:
    """Printed 80 GB are GiB-like: a driver reports up to 1.074 times as many decimal ones, less what it keeps."""
    gpu = catalog.gpu(name)
    assert gpu.memory_printed is not None
    assert 0.97 < gpu.memory / gpu.memory_printed < 2**30 / 1e9 + 0.005


def test_scale_up_reaches_the_node_at_least() -> None:
    sizes = {gpu.name: gpu.joined for gpu in catalog.gpus()}
    assert all(gpu.gpus_per_node <= sizes[gpu.name] for gpu in catalog.gpus())
    assert sizes["gb200"] == sizes["gb300"] == 72
    assert sizes["trainium2"] == 16


@pytest.mark.parametrize("name", catalog.gpu_names())
def test_a_gpu_has_figures_in_si_units_and_a_citation_for_every_field(name: str) -> None:
    gpu = catalog.gpu(name)
    assert "kernels_like" in records.shipped(f"catalog/gpus/{name}.toml").values, "whose kernels stand in is said"
    assert name not in gpu.kernels_like
    assert gpu.name == name
    assert {citation.field for citation in gpu.citations} >= {*OF_THE_CATALOGUE, "power"}
    assert 1e10 < gpu.memory < 1e12
    assert 1e11 < gpu.bandwidth < 1e14
    assert 1e9 < gpu.link_bandwidth < gpu.bandwidth
    assert 1e13 < gpu.peak_bf16 <= (gpu.peak_fp8 or gpu.peak_bf16) <= 2.1 * gpu.peak_bf16
    assert gpu.power.idle < gpu.power.nominal <= gpu.thermal_design_power
    assert gpu.idle_power is not None
    assert 0 < gpu.idle_power < gpu.power.idle
    assert gpu.all_in_power is None or gpu.thermal_design_power < gpu.all_in_power < 3 * gpu.thermal_design_power
    assert gpu.scale_out is not None
    assert 0 < gpu.scale_out < gpu.bandwidth


def test_the_default_search_has_prices() -> None:
    assert all(catalog.gpu(name).price for name in SEARCHED)


@pytest.mark.parametrize("name", [gpu.name for gpu in catalog.gpus() if gpu.price])
def test_a_price_names_its_offer_and_date(name: str) -> None:
    price = catalog.gpu(name).price
    assert price is not None
    assert 0.05 < price.per_hour < 50
    assert price.purchase == "on-demand"
    assert price.url.startswith("https://")
    assert price.date.startswith("20")


def test_what_nobody_measured_is_marked_low() -> None:
    confidence = {citation.field: citation.confidence for citation in catalog.gpu("a10g").citations}
    assert confidence["peak_bf16"] == confidence["thermal_design_power"] == confidence["power"] == "low"
    assert catalog.gpu("h100").power.confidence == "low"  # 16 % off on what it was fitted to
    assert catalog.gpu("b200").power.confidence == "low"
    tpu = {citation.field: citation.confidence for citation in catalog.gpu("tpu-v6e").citations}
    assert tpu["thermal_design_power"] == tpu["idle_power"] == tpu["power"] == "low"


def test_precisions_that_a_gpu_lacks_have_no_peak() -> None:
    assert catalog.gpu("a100").peak("fp8") is None
    assert catalog.gpu("a10g").peak("fp8") is None
    assert catalog.gpu("h100").peak("fp8") == 1978e12


@pytest.mark.parametrize("read", [catalog.gpu, catalog.model, catalog.engine])
def test_an_unknown_name_says_where_the_known_ones_stand(read: object) -> None:
    with pytest.raises(UnknownNameError, match=r"accepted: \w+|fleettui (gpu|model) list shows them|did you mean"):
        read("h1000")  # type: ignore[operator]


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(UnknownNameError, match="did you mean h100"):
        catalog.gpu("h10")


@pytest.mark.parametrize("name", ["no/such/config.json", "missing.json"])
def test_what_looks_like_a_path_is_read_as_one(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        catalog.model(str(tmp_path / name))


def test_listing_loads_neither_numpy_nor_scipy() -> None:
    code = (
        "import sys, fleettui.hardware.catalog as c; c.gpu_names(); c.model('qwen3-32b');"
        "sys.exit(any(m in sys.modules for m in ('numpy', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
