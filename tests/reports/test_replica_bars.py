"""One replica in pictures: what fills a GPU's memory, and what a step is made of."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import Profile
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.reports.bars_svg import bars_svg
from fleettui.reports.bars_text import bars_text
from fleettui.reports.replica_bars import EAGER, LAUNCH, SAMPLING, Known, replica_bars


def built(
    gpu: str, model: str, *, dtype: Dtype = "fp8", engine: str = "vllm", tp: int = 4, law: str = "kernels"
) -> Profile:
    return build_profile(
        catalog.gpu(gpu),
        catalog.model(model),
        dtype=dtype,
        tp=tp,
        engine=engine,
        step_law=law,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("gpu", "model", "tp", "engine"),
    [("h100", "llama-3.1-70b", 4, "vllm"), ("h200", "deepseek-v3", 8, "vllm"), ("h200", "gpt-oss-120b", 4, "trtllm")],
)
def test_the_parts_are_the_whole_memory_and_the_cache_holds_its_blocks(
    gpu: str, model: str, tp: int, engine: str
) -> None:
    profile = built(gpu, model, tp=tp, engine=engine)
    memory, _ = replica_bars(profile, Known())
    parts = dict(zip(memory.labels, memory.wholes[0].parts, strict=True))
    assert sum(parts.values()) == pytest.approx(catalog.gpu(gpu).memory)
    held = profile.kv_blocks * profile.block_size * profile.kv_bytes_per_token / tp
    assert held <= parts["KV cache"] < held * 1.01
    assert {"weights", "activations", "reserve"} <= set(parts)


def test_a_step_is_its_kernels_and_what_the_engine_adds() -> None:
    profile = built("h100", "llama-3.1-70b")
    _, step = replica_bars(profile, Known(per_sequence=12e-6))
    decodes = dict(zip(step.labels, step.wholes[0].parts, strict=True))
    assert decodes[SAMPLING] == pytest.approx(32 * 12e-6)
    assert decodes[LAUNCH] == profile.step.overhead
    assert {"all-reduce", "decode attention", "gate and up"} <= set(decodes)
    eager = replica_bars(built("h100", "gemma-3-27b", dtype="bf16", engine="trtllm", tp=2), Known())[1]
    assert EAGER in eager.labels


def test_what_is_not_known_is_not_drawn() -> None:
    profile = built("h100", "llama-3.1-70b", law="roofline")
    assert [one.title.split()[0] for one in replica_bars(profile, Known())] == ["memory"]
    assert replica_bars(replace(profile, kv_blocks=profile.kv_blocks + 1), Known()) == ()
    assert replica_bars(replace(profile, gpu="mine"), Known()) == ()


def test_it_is_printed_in_80_columns_and_drawn_as_one_picture() -> None:
    pictures = replica_bars(built("h100", "llama-3.1-70b"), Known())
    text = "\n".join(map(bars_text, pictures))
    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii()
    svg = ElementTree.fromstring(bars_svg(pictures))
    words = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"KV cache", "all-reduce", *(one.title for one in pictures)} <= set(words)
