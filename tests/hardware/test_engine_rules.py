"""What engines do where nobody sets anything: each figure has a source, and memory is taken by the engine's rule."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from fleettui.domain.engine_settings import Room
from fleettui.domain.hardware import TUNINGS, Gpu, Profile, Tuning
from fleettui.hardware import catalog
from fleettui.hardware.engine_rules import MemoryRule
from fleettui.hardware.memory import cache_budget
from fleettui.hardware.profile import build_profile
from fleettui.hardware.records import CONFIDENCES

FIELDS = {
    "cache": ("kv_dtype", "block_size", "prefix_caching", "keeps_all"),
    "memory": ("of",),
    "chunks": ("rule",),
    "division": ("lanes", "experts", "of_all_lanes"),
    "polling": ("steps",),
    "graphs": ("bins", "per_sequence"),
    "overhead": ("value",),
    "terms": ("step", "layer", "logit", "eager_least", "eager_extra", "factor", "expert_layer"),
    "front_end": ("value", "output_token"),
    "bench": ("token_budget", "scatter"),
}
"""What every engine's file says of every version, by table; settings say the rest for each GPU class and level."""
NAMES = ("name", "like", "version")
LLAMA, MIB = catalog.model("llama-3.1-70b"), 2.0**20


def values(name: str) -> dict[str, Any]:
    """Return the file of an engine, an earlier version with what it has of the one it is like."""
    own = tomllib.loads(catalog.text("engines", "engine", name))
    return {**values(own["like"]), **own} if "like" in own else own


def is_figure(value: Any) -> bool:
    """Return whether a value of a file is one itself, no table and no list of tables."""
    return not isinstance(value, dict) and not (isinstance(value, list) and isinstance(value[0], dict))


def cited(found: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Yield every table of a file that has figures of its own, with its place."""
    if isinstance(found, list) and isinstance(found[0], dict):
        for place, one in enumerate(found):
            yield from cited(one, f"{where} {place}")
    elif isinstance(found, dict):
        if any(is_figure(value) for value in found.values()):
            yield where, found
        for key, value in found.items():
            yield from cited(value, f"{where} {key}")


@pytest.mark.parametrize("name", catalog.engine_names())
def test_every_figure_of_every_engine_and_version_has_a_source(name: str) -> None:
    file = values(name)
    for table, fields in FIELDS.items():
        assert [field for field in fields if field not in file[table]] == [], table
    for where, table in cited({key: value for key, value in file.items() if key not in NAMES}, name):
        assert len(table["source"]) > 20, where
        assert table["confidence"] in CONFIDENCES, where
    bare = [key for key, value in file.items() if is_figure(value) and key not in NAMES]
    assert bare == [], "figures stand in tables with a source"


@pytest.mark.parametrize("name", catalog.engine_names())
@pytest.mark.parametrize("level", TUNINGS)
def test_every_gpu_has_tokens_sequences_and_memory_at_every_level_with_a_source(name: str, level: Tuning) -> None:
    engine = catalog.engine(name)
    assert {one.level for one in engine.levels} == set(TUNINGS)
    for gpu in catalog.gpus():
        own = engine.settings_on(gpu, level)
        assert own.citation.source
        assert own.settings.max_num_seqs >= 256
        for gpus in (1, 8):
            assert 0.65 < engine.room_on(gpu, level, gpus=gpus).share < 0.98, (gpu.name, gpus)


@pytest.mark.parametrize(
    ("name", "block_size", "of", "chunks", "lanes", "experts"),
    [
        ("vllm", 16, "all", "shared", "groups", "all"),
        ("vllm-0.13", 16, "all", "shared", "groups", "all"),
        ("sglang", 1, "static", "own", "groups", "groups"),
        ("trtllm", 32, "free", "whole", "gpu", "groups"),
    ],
)
def test_what_engines_do_is_as_their_documents_say(
    name: str, block_size: int, of: str, chunks: str, lanes: str, experts: str
) -> None:
    rules = catalog.engine(name).rules
    assert (rules.cache.block_size, rules.memory_of.rule, rules.chunks.rule) == (block_size, of, chunks)
    assert (rules.division.lanes, rules.division.experts, rules.polling.rule) == (lanes, experts, 1)
    assert rules.cache.prefix_caching


def share(engine: str, gpu: str, level: Tuning = "stock", gpus: int = 8, lanes: int = 1) -> float:
    return catalog.engine(engine).room_on(catalog.gpu(gpu), level, gpus=gpus, lanes=lanes).share


def test_sglang_leaves_what_its_own_rule_leaves() -> None:
    """On 80 GiB: 512 MiB, 1.5 MiB a token of a chunk, 2 MiB a sequence of the largest graph, 128 MiB a GPU."""
    memory = catalog.gpu("h100").memory / MIB
    assert share("sglang", "h100") == round(1 - (512 + 1.5 * 8192 + 2 * 512 + 8 * 128) / memory, 3) == 0.817
    assert share("sglang", "h100", gpus=1) == 0.828
    assert share("sglang", "h100", lanes=8) == round(0.817 - 8 * 512 * 4.5 / memory, 3)
    assert share("sglang", "b200") == round(
        1 - (512 + 1.5 * 16384 + 2 * 512 + 8 * 128) * MIB / catalog.gpu("b200").memory, 3
    )


def test_levels_take_the_memory_that_their_sources_took() -> None:
    assert [share("vllm", "mi325x", level) for level in TUNINGS] == [0.9, 0.9, 0.96]
    assert [share("vllm", "h200", level) for level in TUNINGS] == [0.9, 0.9, 0.95]
    assert [share("trtllm", "b200", level) for level in TUNINGS] == [0.9, 0.9, 0.95]
    assert [share("sglang", "h200", level) for level in TUNINGS] == [0.896, 0.947, 0.82]


def test_a_share_is_of_all_of_static_parts_or_of_what_these_leave_free() -> None:
    left = {of: Room(share=0.9, of=of).left(100.0, held=40.0, activations=5.0) for of in ("all", "static", "free")}
    assert left == {"all": 45.0, "static": 50.0, "free": pytest.approx(49.5)}
    rule = MemoryRule(reserve=10.0, reserve_of_gpu=1.0, reserve_of_lane=2.0)
    assert [rule.share_on(100.0, gpus=gpus, lanes=lanes) for gpus, lanes in ((1, 1), (4, 1), (4, 2))] == [
        0.89,
        0.86,
        0.82,
    ]
    assert MemoryRule(reserve=10.0).share_on(5.0, gpus=1, lanes=1) == 0.0


@pytest.mark.parametrize("name", catalog.engine_names())
@pytest.mark.parametrize("gpu", catalog.gpus(), ids=lambda one: one.name)
def test_the_parts_of_a_gpus_memory_are_all_of_it_and_none_is_negative(name: str, gpu: Gpu) -> None:
    model = catalog.model("llama-3.1-8b")
    for level in TUNINGS:
        budget = cache_budget(gpu, model, dtype="bf16", tp=8, engine=catalog.engine(name), tuning=level)
        assert sum(part.size for part in budget.parts) == pytest.approx(gpu.memory)
        assert min(part.size for part in budget.parts) >= 0.0, budget.parts
        assert budget.blocks > 0


def test_the_arithmetic_that_is_printed_is_that_of_the_engine() -> None:
    def lines(engine: str) -> str:
        return " ".join(
            cache_budget(catalog.gpu("h100"), LLAMA, dtype="fp8", tp=4, engine=catalog.engine(engine)).lines
        )

    assert lines("vllm").startswith("76.52 GB usable (0.90 × 85.02 GB) − 17.64 GB weights")
    assert lines("sglang").startswith("69.97 GB usable (0.82 × 85.02 GB, activations in the rest) − 17.64 GB weights")
    assert "activations (est" not in lines("sglang")
    assert lines("trtllm").startswith("85.02 GB in all − 17.64 GB weights")
    assert "GB free, of which 0.90 = " in lines("trtllm")


def test_lanes_share_a_steps_tokens_where_the_engine_has_them_so() -> None:
    def budget(engine: str) -> int:
        h200, model = catalog.gpu("h200"), catalog.model("qwen3-235b-a22b")
        one = build_profile(
            h200, model, dtype="fp8", tp=8, engine=engine, attention_dp=True, expert_parallel=True, step_law="kernels"
        )
        return one.settings.token_budget

    assert {engine: budget(engine) for engine in ("vllm", "sglang", "trtllm")} == {
        "vllm": 8192,
        "sglang": 1024,
        "trtllm": 8192,
    }


def test_a_profile_says_what_its_engine_takes() -> None:
    one = build_profile(catalog.gpu("h100"), LLAMA, dtype="fp8", tp=4, engine="sglang")
    assert one.room == Room(share=0.823, of="static")
    assert {"engine.cache", "engine.memory", "engine.chunks"} <= {citation.field for citation in one.citations}


def test_a_share_that_is_typed_stands_for_every_level_and_is_cited() -> None:
    def built(share: float | None, level: Tuning = "stock") -> Profile:
        h100 = catalog.gpu("h100")
        return build_profile(h100, LLAMA, dtype="fp8", tp=4, engine="sglang", memory_share=share, tuning=level)

    assert {built(0.7, level).room for level in TUNINGS} == {Room(share=0.7, of="static")}
    assert built(0.7).kv_blocks < built(None).kv_blocks < built(0.9).kv_blocks
    assert [one.source for one in built(0.7).citations if one.field.endswith("memory share")] == ["as given"]
