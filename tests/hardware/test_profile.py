"""The profile that sizing gets."""

from dataclasses import replace

import pytest

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import TUNINGS, Profile, StepCost, StepTable, Tuning
from fleettui.domain.serialization import decode, encode
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.profile import DoesNotFit, build_profile
from fleettui.hardware.roofline import BANDWIDTH_SHARE

H100, LLAMA = catalog.gpu("h100"), catalog.model("llama-3.1-70b")


def test_a_profile_is_that_of_the_whole_replica() -> None:
    profile = build_profile(H100, LLAMA, dtype="bf16", tp=8)
    assert profile.name == "h100/llama-3.1-70b/bf16/tp8"
    assert profile.peak == 8 * 989e12
    assert profile.bandwidth == 8 * 3.35e12
    assert profile.kv_bytes_per_token == 327_680
    assert profile.bytes_per_step == pytest.approx(2 * 69.5e9, rel=1e-3)
    assert isinstance(profile.step, StepCost)
    assert profile.step.weight_time == pytest.approx(profile.bytes_per_step / (BANDWIDTH_SHARE * profile.bandwidth))
    assert profile.flops_per_token == pytest.approx(2 * 69.5e9, rel=1e-3)
    assert profile.attention_flops == 4 * 64 * 128 * 80
    assert (profile.band, profile.model_error, profile.evidence) == ((0.69, 1.83), 0.83, "roofline alone")
    assert "band" in {one.field for one in profile.citations}
    assert profile.context == 131_072
    assert profile.memory[-1].endswith(f"{profile.kv_blocks:,} blocks")
    assert {"gpu.price", "model.config", "engine.overhead"} <= {one.field for one in profile.citations}


def test_a_replicated_cache_counts_on_every_gpu() -> None:
    profile = build_profile(catalog.gpu("h200"), catalog.model("deepseek-v3"), dtype="fp8", tp=8)
    assert profile.kv_bytes_per_token == 8 * 576 * 2 * 61
    assert profile.bytes_per_step == pytest.approx(671e9, rel=0.01)


def test_price_and_engine_overhead_can_be_given() -> None:
    usual = build_profile(H100, LLAMA, dtype="fp8", tp=4)
    given = build_profile(H100, LLAMA, dtype="fp8", tp=4, price=1.5, engine_overhead=1e-3)
    assert H100.price is not None
    assert usual.price_per_hour == H100.price.per_hour
    assert H100.price.date in usual.price_note
    assert H100.price.url in usual.price_note
    assert (given.price_per_hour, given.price_note) == (1.5, "given")
    assert usual.step.overhead - given.step.overhead == pytest.approx(2e-3)
    assert "engine.overhead" not in {one.field for one in given.citations}


def test_a_gpu_without_a_price_needs_one() -> None:
    gpu = replace(H100, name="mine", price=None)
    with pytest.raises(InputError, match=r"no price of mine is known(.|\n)*--price mine="):
        build_profile(gpu, LLAMA, dtype="fp8", tp=4)
    assert build_profile(gpu, LLAMA, dtype="fp8", tp=4, price=2.5).price_per_hour == 2.5


def test_sources_of_what_a_profile_does_not_use_stay_out_of_it() -> None:
    fields = {one.field for one in build_profile(H100, LLAMA, dtype="fp8", tp=4).citations}
    assert {"gpu.memory", "gpu.peak_fp8", "gpu.power", "gpu.idle_power"} <= fields
    assert not fields & {"gpu.peak_int8", "gpu.memory_printed", "gpu.all_in_power"}


def test_the_front_end_is_the_engines_own_or_given() -> None:
    own, given = (build_profile(H100, LLAMA, dtype="fp8", tp=4, front_end=asked) for asked in (None, 0.0))
    assert (own.front_end, given.front_end) == (catalog.engine("vllm").front_end.request, 0.0)
    cited = [{one.field for one in profile.citations} for profile in (own, given)]
    assert ["engine.front_end" in fields for fields in cited] == [True, False]
    with pytest.raises(InputError, match="front end"):
        build_profile(H100, LLAMA, dtype="fp8", tp=4, front_end=-1.0)


def test_the_time_of_the_api_process_is_the_engines_own_or_given() -> None:
    served = [
        build_profile(H100, LLAMA, dtype="fp8", tp=4, engine="trtllm", api_token=asked).api_token
        for asked in (None, 0.0, 2e-5)
    ]
    assert served == [catalog.engine("trtllm").front_end.output_token, 0.0, 2e-5]
    with pytest.raises(InputError, match="API process"):
        build_profile(H100, LLAMA, dtype="fp8", tp=4, api_token=-1e-6)


def test_engines_differ_in_their_overhead() -> None:
    vllm = build_profile(H100, LLAMA, dtype="fp8", tp=4, engine="vllm")
    trtllm = build_profile(H100, LLAMA, dtype="fp8", tp=4, engine="trtllm")
    assert vllm.step.overhead - trtllm.step.overhead == pytest.approx(2e-3)


@pytest.mark.parametrize("change", [{"price": -1.0}, {"engine_overhead": float("nan")}, {"engine": "ollama"}])
def test_bad_input_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(InputError):
        build_profile(H100, LLAMA, dtype="bf16", tp=8, **change)  # type: ignore[arg-type]


def test_a_model_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DoesNotFit, match="--tp"):
        build_profile(H100, LLAMA, dtype="bf16", tp=1)


@pytest.mark.parametrize("engine", catalog.engine_names())
def test_measured_kernels_make_a_step_under_every_engine(engine: str) -> None:
    profile = build_profile(H100, LLAMA, dtype="fp8", tp=8, engine=engine, step_law="kernels")
    assert isinstance(profile.step, StepTable)
    terms = catalog.engine(engine).terms
    assert profile.step.overhead == terms.step + 80 * terms.layer
    assert {"engine.terms", "engine.settings"} <= {one.field for one in profile.citations}
    assert "engine.overhead" not in {one.field for one in profile.citations}
    given = build_profile(H100, LLAMA, dtype="fp8", tp=8, engine=engine, step_law="kernels", engine_overhead=0.004)
    assert given.step.overhead == 0.004
    assert {one.field for one in given.citations if one.field.startswith("engine")} == {"engine.front_end"}


def test_a_profile_of_measured_kernels_is_kept_and_read_again() -> None:
    profile = build_profile(H100, LLAMA, dtype="fp8", tp=8, step_law="kernels")
    text = encode(Profile, profile)
    assert decode(Profile, text) == profile
    assert len(text) < 20_000
    plain = build_profile(H100, LLAMA, dtype="fp8", tp=8, step_law="roofline")
    assert decode(Profile, encode(Profile, plain)) == plain


def test_the_cache_is_read_in_half_the_time_by_the_roofline_where_it_is_fp8() -> None:
    """Llama-3.1-70B on 4 H100: 327,680 / 4 bytes a token at 0.8 of 3.35 TB/s and a tenth less of it: 33.6 ns."""
    plain, small = (
        build_profile(H100, LLAMA, dtype="fp8", tp=4, step_law="roofline", kv_dtype=one) for one in (None, "fp8")
    )
    assert isinstance(plain.step, StepCost)
    assert isinstance(small.step, StepCost)
    assert plain.step.context_time == pytest.approx(33.6e-9, rel=1e-3)
    assert small.step == replace(plain.step, context_time=plain.step.context_time / 2)
    assert (plain.kv_bytes_per_token, small.kv_bytes_per_token) == (327_680, 163_840)
    assert (plain.kv_dtype, plain.name, small.name) == (
        "bf16",
        "h100/llama-3.1-70b/fp8/tp4",
        "h100/llama-3.1-70b/fp8/kv-fp8/tp4",
    )


@pytest.mark.parametrize("engine", catalog.engine_names())
def test_attention_of_decodes_is_by_kernels_measured_on_an_fp8_cache(engine: str) -> None:
    """It reads half the bytes, and no more than the datasheet allows: 32 x 2,048 tokens in 0.401 ms of each GPU."""
    plain, small = (
        build_profile(H100, LLAMA, dtype="fp8", tp=4, engine=engine, step_law="kernels", kv_dtype=one)
        for one in ("bf16", "fp8")
    )
    assert isinstance(plain.step, StepTable)
    assert isinstance(small.step, StepTable)
    parts = [{one.operator: one for one in step.parts} for step in (plain.step, small.step)]
    before, after = (found["decode attention"] for found in parts)
    assert 32 * 2048 * 163_840 / 4 / H100.bandwidth < after.decode < 0.9 * before.decode
    assert after.evidence.startswith(f"measured, {catalog.engine(engine).family}")
    for found in parts:
        del found["decode attention"]
    assert parts[0] == parts[1]


def test_a_cache_that_nobody_measured_is_priced_by_the_roofline_and_said_so() -> None:
    profile = build_profile(catalog.gpu("mi300x"), LLAMA, dtype="fp8", tp=4, step_law="kernels", kv_dtype="fp8")
    assert isinstance(profile.step, StepTable)
    (attention,) = (one for one in profile.step.parts if one.operator == "decode attention")
    assert attention.evidence == "roofline: no kernel was measured"


def test_the_cache_is_the_engines_own_where_nobody_says() -> None:
    assert {catalog.engine(name).kv_dtype for name in catalog.engine_names()} == {"bf16"}
    assert build_profile(H100, LLAMA, dtype="fp8", tp=4).kv_dtype == "bf16"


def test_a_level_of_tuning_sets_the_engine_and_its_cache_and_is_cited() -> None:
    def built(level: Tuning, kv_dtype: CacheDtype | None = None) -> Profile:
        return build_profile(H100, LLAMA, dtype="fp8", tp=4, engine="trtllm", tuning=level, kv_dtype=kv_dtype)

    stock, tuned, benchmark = map(built, TUNINGS)
    assert stock == build_profile(H100, LLAMA, dtype="fp8", tp=4, engine="trtllm")
    assert [(one.settings.token_budget, one.settings.max_num_seqs) for one in (stock, tuned, benchmark)] == [
        (8192, 2048),
        (2048, 512),
        (1536, 2048),
    ]
    assert [one.kv_dtype for one in (stock, tuned, benchmark)] == ["bf16", "bf16", "fp8"]
    assert built("benchmark", "bf16").kv_dtype == "bf16"
    (source,) = (one.source for one in benchmark.citations if one.field.endswith("settings"))
    assert source.startswith("MLPerf Inference")


@pytest.mark.parametrize(
    ("gpu", "dtype", "units", "peak"),
    [
        ("h100", "bf16", None, 989e12),
        ("h100", "fp8", None, 1978e12),
        ("h100", "fp8-block", "fp8", 1978e12),
        ("h100", "int4", "bf16", 989e12),
        ("b200", "nvfp4", "fp4", 9e15),
    ],
)
def test_the_peak_is_that_of_the_units_that_multiply_and_is_cited(
    gpu: str, dtype: Dtype, units: str | None, peak: float
) -> None:
    profile = build_profile(catalog.gpu(gpu), LLAMA, dtype=dtype, tp=2)
    assert (profile.units, profile.peak) == (units, 2 * peak)
    assert f"gpu.peak_{units or dtype}" in {one.field for one in profile.citations}


def test_a_prompt_takes_no_less_than_the_units_of_each_part_allow() -> None:
    """nvfp4 on a B200: 68.5e9 of 69.5e9 parameters at 0.6 of 9 PFLOP/s, the projection at 0.6 of 2.25: 26.5 us."""
    step = build_profile(catalog.gpu("b200"), LLAMA, dtype="nvfp4", tp=1, step_law="roofline").step
    assert isinstance(step, StepCost)
    assert step.linear_time == pytest.approx(2 * 68.45e9 / 5.4e15 + 2 * 1.0507e9 / 1.35e15, rel=1e-3)
    four = build_profile(H100, LLAMA, dtype="int4", tp=1, step_law="roofline").step
    eight = build_profile(H100, LLAMA, dtype="int8", tp=2, step_law="roofline").step
    assert isinstance(four, StepCost)
    assert isinstance(eight, StepCost)
    assert four.linear_time == 2 * eight.linear_time == pytest.approx(2 * 69.5e9 / (0.6 * 989e12), rel=1e-3)


def test_experts_that_are_spread_leave_the_memory_as_it_is_and_need_measured_kernels() -> None:
    model = catalog.model("gpt-oss-120b")
    divided, spread = (
        build_profile(H100, model, dtype="mxfp4", tp=4, step_law="kernels", expert_parallel=one)
        for one in (False, True)
    )
    assert (divided.memory, divided.kv_blocks) == (spread.memory, spread.kv_blocks)
    assert divided.step != spread.step
    assert (divided.name, spread.name) == ("h100/gpt-oss-120b/mxfp4/tp4", "h100/gpt-oss-120b/mxfp4/tp4/ep4")
    assert divided.replica_key != spread.replica_key
    alone = [
        build_profile(H100, model, dtype="mxfp4", tp=1, step_law="kernels", expert_parallel=one).step
        for one in (False, True)
    ]
    assert alone[0] == alone[1]
    with pytest.raises(InputError, match="the roofline does not know how unevenly") as caught:
        build_profile(H100, model, dtype="mxfp4", tp=4, step_law="roofline", expert_parallel=True)
    assert "--step-law kernels" in str(caught.value)


def test_a_model_that_asks_for_an_fp8_cache_has_one_unless_another_is_said() -> None:
    model = replace(LLAMA, native_cache="fp8")
    assert build_profile(H100, model, dtype="fp8", tp=4).kv_dtype == "fp8"
    assert build_profile(H100, model, dtype="fp8", tp=4, kv_dtype="bf16").kv_dtype == "bf16"
