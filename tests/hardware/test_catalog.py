"""The catalogue: what is there, that it can be believed, and how an unknown name is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import catalog

PUBLISHED_SPARSE_BF16 = {
    "l40s": 733e12,
    "a100": 624e12,
    "h100": 1979e12,
    "h200": 1979e12,
    "b200": 4500e12,
    "mi300x": 2615e12,
    "a10g": 140e12,
}
PUBLISHED_TWO_WAY_LINK = {
    "l40s": 64e9,
    "a100": 600e9,
    "h100": 900e9,
    "h200": 900e9,
    "b200": 1800e9,
    "mi300x": 896e9,
    "a10g": 64e9,
}
"""What datasheets print of some GPUs: twice what is true of plain matrices, or of one direction."""
FIELDS = {
    "memory",
    "bandwidth",
    "peak_bf16",
    "link_bandwidth",
    "gpus_per_node",
    "thermal_design_power",
    "power",
    "price",
}


def test_everything_is_listed_by_name() -> None:
    assert [one.name for one in catalog.gpus()] == sorted(catalog.gpu_names())
    assert [one.name for one in catalog.models()] == sorted(catalog.model_names())
    assert all(catalog.gpu(one.name) == one for one in catalog.gpus())


def test_names_that_kept_plans_may_hold_stay_known() -> None:
    assert set(catalog.gpu_names()) >= {"a100", "a10g", "b200", "h100", "h200", "l40s", "mi300x"}
    assert set(catalog.model_names()) >= {
        "deepseek-v3",
        "llama-3.1-405b",
        "llama-3.1-70b",
        "llama-3.1-8b",
        "qwen3-235b-a22b",
        "qwen3-32b",
    }
    assert set(catalog.engine_names()) >= {"trtllm", "vllm"}


@pytest.mark.parametrize("name", PUBLISHED_SPARSE_BF16)
def test_peaks_are_dense_and_links_one_way(name: str) -> None:
    gpu = catalog.gpu(name)
    assert gpu.peak_bf16 <= PUBLISHED_SPARSE_BF16[name] / 2
    assert gpu.link_bandwidth == PUBLISHED_TWO_WAY_LINK[name] / 2
    if gpu.peak_fp8 is not None:
        assert gpu.peak_fp8 == pytest.approx(2 * gpu.peak_bf16, rel=0.02)


@pytest.mark.parametrize("name", catalog.gpu_names())
def test_a_gpu_has_figures_in_si_units_and_a_citation_for_every_field(name: str) -> None:
    gpu = catalog.gpu(name)
    assert gpu.name == name
    assert {citation.field for citation in gpu.citations} >= FIELDS
    assert 1e10 < gpu.memory < 1e12
    assert 1e11 < gpu.bandwidth < 1e14
    assert 1e9 < gpu.link_bandwidth < gpu.bandwidth
    assert 1e13 < gpu.peak_bf16 <= (gpu.peak_fp8 or gpu.peak_bf16) <= 2.1 * gpu.peak_bf16
    assert gpu.power.idle < gpu.power.nominal <= gpu.thermal_design_power


@pytest.mark.parametrize("name", catalog.gpu_names())
def test_a_price_names_its_offer_and_date(name: str) -> None:
    price = catalog.gpu(name).price
    assert 0.05 < price.per_hour < 50
    assert price.purchase == "on-demand"
    assert price.url.startswith("https://")
    assert price.date.startswith("20")


def test_what_nobody_measured_is_marked_low() -> None:
    confidence = {citation.field: citation.confidence for citation in catalog.gpu("a10g").citations}
    assert confidence["peak_bf16"] == confidence["thermal_design_power"] == confidence["power"] == "low"
    assert catalog.gpu("h100").power.confidence == "high"
    assert catalog.gpu("b200").power.confidence == "low"


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
