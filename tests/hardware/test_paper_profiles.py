"""The papers' three hand-set profiles."""

import pytest

from fleettui.errors import UnknownNameError
from fleettui.hardware import catalog
from fleettui.hardware.paper_profiles import WARNING, paper_names, paper_profile


@pytest.mark.parametrize(
    ("gpu", "milliseconds", "counts", "price"),
    [
        ("a10g", (12, 0.90), (64, 256, 32768), 1.01),
        ("a100", (8, 0.65), (128, 512, 65536), 2.21),
        ("h100", (4, 0.32), (256, 1024, 65536), 4.02),
    ],
)
def test_the_constants(gpu: str, milliseconds: tuple[float, float], counts: tuple[int, int, int], price: float) -> None:
    profile = paper_profile(gpu)
    assert (profile.base_step_time * 1e3, profile.time_per_sequence * 1e3) == pytest.approx(milliseconds)
    assert (profile.calibration_concurrency, profile.prefill_chunk, profile.kv_blocks) == counts
    assert (profile.price_per_hour, profile.gpu) == (price, gpu)


@pytest.mark.parametrize(
    ("gpu", "context", "slots"),
    [
        ("a100", 2048, 512),
        ("a100", 4096, 256),
        ("a100", 8192, 128),
        ("a100", 65536, 16),
        ("h100", 8192, 128),
        ("h100", 65536, 16),
        ("a10g", 8192, 64),
        ("a100", 1536, 682),
    ],
)
def test_slots_are_limited_by_memory_and_by_calibration(gpu: str, context: int, slots: int) -> None:
    assert paper_profile(gpu).slots(context) == slots


def test_there_are_three_and_each_names_a_gpu_of_the_catalogue() -> None:
    assert paper_names() == ("a100", "a10g", "h100")
    assert set(paper_names()) < set(catalog.gpu_names())
    with pytest.raises(UnknownNameError, match="a100, a10g, h100"):
        paper_profile("b200")


def test_the_warning_says_what_is_wrong() -> None:
    assert "8-GPU node" in WARNING
    assert "price of one GPU" in WARNING


def test_no_context_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="0 tokens"):
        paper_profile("a100").slots(0)
