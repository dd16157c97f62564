"""The CSV of our own: reading, skipping and refusing."""

from pathlib import Path

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware.measured import read_points
from fleettui.hardware.measured.own_csv import COLUMNS, MEASURED

HEADER = ",".join(COLUMNS) + ",pp"
ROW = "meta-llama/Llama-3.1-8B-Instruct,h100_sxm,,trtllm,1024,128,8,1,190.9,7.94,1"


def write(folder: Path, *lines: str) -> Path:
    path = folder / "points.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_row_is_read_in_seconds_and_catalogue_names(tmp_path: Path) -> None:
    (point,) = read_points(write(tmp_path, HEADER, ROW)).points
    assert (point.model, point.gpu, point.dtype, point.engine) == ("llama-3.1-8b", "h100", "bf16", "trtllm")
    assert (point.prompt_tokens, point.output_tokens, point.concurrency, point.tp) == (1024, 128, 8, 1)
    assert (point.ttft, point.tpot) == pytest.approx((0.1909, 0.00794))
    assert (point.line, point.protocol, point.uniform) == (2, "start", False)


@pytest.mark.parametrize(
    ("version", "given", "engine"),
    [
        ("0.12.0", None, "vllm-0.13"),
        ("v0.13.1", "vllm", "vllm-0.13"),
        ("0.14.0", None, "vllm"),
        ("", None, "vllm"),
        ("", "vllm-0.13", "vllm-0.13"),
        ("0.9.2", "vllm-0.13", "vllm-0.13"),
        ("nightly", None, "vllm"),
    ],
)
def test_a_run_is_of_the_version_of_its_engine(tmp_path: Path, version: str, given: str | None, engine: str) -> None:
    path = write(tmp_path, f"{HEADER},version", f"{ROW.replace('trtllm', 'vllm')},{version}")
    (point,) = read_points(path, Setup(engine=given)).points
    assert point.engine == engine


def test_a_run_of_another_version_than_asked_is_not_taken(tmp_path: Path) -> None:
    path = write(tmp_path, f"{HEADER},version", f"{ROW.replace('trtllm', 'vllm')},0.18.0")
    with pytest.raises(InputError, match=r"of another engine than --engine: vllm 0\.18\.0"):
        read_points(path, Setup(engine="vllm-0.13"))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Llama-3.1-8B", "Llama-9", "unknown model (got 'meta-llama/Llama-9-Instruct')"),
        ("h100_sxm", "tpu", "unknown GPU (got 'tpu')"),
        ("trtllm", "ollama", "unknown engine (got 'ollama')"),
        (",,trtllm", ",int3,trtllm", "unknown precision (got 'int3')"),
        ("1024", "-5", "prompt tokens is no usable length (got '-5')"),
        (",128,", ",1,", "output tokens is no usable length (got '1')"),
        (",8,1,", ",0,1,", "concurrency is no usable count (got '0')"),
        (",8,1,", ",8.5,1,", "concurrency is no usable count (got '8.5')"),
        (",8,1,", ",,1,", "neither clients nor a request rate are said: no steady load"),
        ("7.94", "nan", "TPOT is no time (got 'nan')"),
        ("7.94", "-7.94", "TPOT is no time (got '-7.94')"),
        ("190.9", "fast", "TTFT is no time (got 'fast')"),
        ("7.94,1", "7.94,2", "pp is not modelled (got '2')"),
    ],
)
def test_a_bad_row_is_skipped_by_its_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    assert old in ROW
    found = read_points(write(tmp_path, HEADER, ROW, ROW.replace(old, new)))
    assert [(one.line, one.why) for one in found.skipped] == [(3, why)]
    assert [point.line for point in found.points] == [2]


def test_a_file_without_a_usable_row_is_refused_in_three_lines(tmp_path: Path) -> None:
    bad = ROW.replace("7.94", "nan")
    with pytest.raises(InputError, match="holds no measured point that can be used, of 2 rows") as caught:
        read_points(write(tmp_path, HEADER, bad, bad))
    assert "2 of them: TPOT is no time (got 'nan'): lines 2, 3" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3
    with pytest.raises(InputError, match="holds no measured point"):
        read_points(write(tmp_path, HEADER))


def test_a_short_row_is_skipped(tmp_path: Path) -> None:
    found = read_points(write(tmp_path, HEADER, "meta-llama/Llama-3.1-8B-Instruct,h100_sxm", ROW))
    assert [one.line for one in found.skipped] == [2]


@pytest.mark.parametrize("column", MEASURED)
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    header = ",".join(name for name in COLUMNS if name != column)
    with pytest.raises(InputError, match=f"columns are missing: {column}"):
        read_points(write(tmp_path, header, ROW))


def test_columns_have_other_names_and_lengths_may_be_drawn(tmp_path: Path) -> None:
    header = (
        "model,gpu,engine,dtype,tp,prompt_tokens,output_tokens,concurrency,uniform_lengths,mean_ttft_ms,mean_tpot_ms"
    )
    lines = (f"llama-3.1-8b,h100,vllm,fp8,2.0,1000,200,16.0,{uniform},50,8" for uniform in ("False", "True"))
    fixed, drawn = read_points(write(tmp_path, header, *lines)).points
    assert (fixed.dtype, fixed.tp, fixed.concurrency, fixed.prompt_tokens) == ("fp8", 2, 16, 1000)
    assert (drawn.prompt_tokens, drawn.output_tokens, drawn.uniform) == (900, 180, True)


def test_options_say_what_the_file_does_not(tmp_path: Path) -> None:
    path = write(tmp_path, "model,prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms", "/models/x,1024,128,8,90,8")
    setup = Setup(model="llama-3.1-70b", gpu="h100", engine="vllm", dtype="fp8", tp=4)
    (point,) = read_points(path, setup).points
    assert (point.model, point.gpu, point.engine, point.dtype, point.tp) == ("llama-3.1-70b", "h100", "vllm", "fp8", 4)
    with pytest.raises(InputError, match="no GPU is said: give --gpu"):
        read_points(path, Setup(model="llama-3.1-70b"))


def test_of_a_file_that_names_its_gpus_the_said_ones_runs_alone_are_read_and_the_others_counted(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, ROW, ROW.replace("h100", "a100"))
    found = read_points(path, Setup(gpu="a100"))
    assert [point.gpu for point in found.points] == ["a100"]
    assert [one.why for one in found.skipped] == ["of another GPU than --gpu (got 'h100')"]
    with pytest.raises(InputError, match="2 rows; 1 of them: of another GPU than --gpu"):
        read_points(path, Setup(gpu="l40s"))


def test_an_open_loop_has_the_clients_of_littles_law(tmp_path: Path) -> None:
    header = "model,gpu,engine,tp,prompt_tokens,output_tokens,request_rate,requests,duration_s,ttft_ms,tpot_ms"
    path = write(
        tmp_path,
        header,
        "llama-3.1-8b,h100,vllm,1,500,101,4,400,101.05,50,10",
        "llama-3.1-8b,h100,vllm,1,500,101,40,400,101.05,50,10",
    )
    found = read_points(path)
    (point,) = found.points
    assert (point.protocol, point.request_rate, point.concurrency) == ("open", 4.0, 4)
    assert found.skipped[0].why == "40 requests a second were asked for and 4 reached: the client was saturated"


def test_the_format_of_the_cache_is_the_rows_else_the_one_that_is_said_else_the_engines(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + ",kv_dtype", f"{ROW},fp8", f"{ROW},", f"{ROW},auto", f"{ROW},int8")
    for setup, others in ((Setup(), "bf16"), (Setup(kv_dtype="fp8"), "fp8"), (Setup(kv_dtype="bf16"), "bf16")):
        found = read_points(path, setup)
        assert [point.kv_dtype for point in found.points] == ["fp8", others, others]
        assert [one.why for one in found.skipped] == ["unknown precision of the cache (got 'int8')"]
    first, second, _ = read_points(path).points
    assert first.server_key != second.server_key
    assert (first.server, second.server) == (
        "llama-3.1-8b bf16 on 1 h100 under trtllm, fp8 cache",
        "llama-3.1-8b bf16 on 1 h100 under trtllm",
    )


@pytest.mark.parametrize(
    ("model", "said", "dtype"),
    [
        ("gpt-oss-120b", "fp4", "mxfp4"),
        ("deepseek-v3", "FP4", "nvfp4"),
        ("deepseek-v3", "", "fp8"),
        ("llama-3.1-8b", "", "bf16"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic", "", "fp8"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic", "bf16", "bf16"),
        ("Qwen/Qwen3-32B-AWQ", "", "int4"),
        ("llama-3.1-8b", "int4", "int4"),
        ("llama-3.1-8b", "fp8_block", "fp8-block"),
    ],
)
def test_the_format_of_weights_is_what_the_row_says_else_its_models_name_else_the_published_one(
    tmp_path: Path, model: str, said: str, dtype: str
) -> None:
    row = ROW.replace("meta-llama/Llama-3.1-8B-Instruct,h100_sxm,", f"{model},h100_sxm,{said}")
    (point,) = read_points(write(tmp_path, HEADER, row)).points
    assert point.dtype == dtype


def test_four_bits_of_another_maker_are_no_nvfp4(tmp_path: Path) -> None:
    row = ROW.replace("meta-llama/Llama-3.1-8B-Instruct,h100_sxm,", "amd/DeepSeek-R1-0528,mi355x,fp4")
    (point,) = read_points(write(tmp_path, HEADER, row)).points
    assert (point.model, point.dtype) == ("deepseek-r1", "mxfp4")


def test_experts_are_divided_or_spread_over_all_gpus_of_a_replica(tmp_path: Path) -> None:
    row = ROW.replace("meta-llama/Llama-3.1-8B-Instruct", "gpt-oss-120b").replace(",8,1,", ",8,4,")
    path = write(tmp_path, HEADER + ",ep", f"{row},4.0", f"{row},1", f"{row},", f"{row},2")
    found = read_points(path)
    assert [point.expert_parallel for point in found.points] == [True, False, False]
    assert [one.why for one in found.skipped] == ["ep is modelled where it is 1 or tp, 4 (got '2')"]
    first, second, _ = found.points
    assert first.server_key != second.server_key
    assert first.server == f"{second.server}, experts spread"


def test_a_row_whose_clients_idled_is_skipped_where_its_own_figures_say_so(tmp_path: Path) -> None:
    """A request takes .1909 + 127 x .00794 = 1.2 s, so that eight clients end 6.7 a second."""
    header = f"{HEADER},requests,duration_s,output_throughput"
    ends = (",80,12.5,", ",80,24,", ",,,850", ",,,300", ",,,", ",4,1.3,", ",80,0,", ",8,3.1,", ",80,6,", ",80,600,")
    found = read_points(write(tmp_path, header, *(f"{ROW}{end}" for end in ends)))
    assert [one.line for one in found.points] == [2, 4, 6]
    units = "a time may be in another unit, or its clients not all that asked"
    assert [one.line for one in found.skipped if one.why.endswith(units)] == [10, 11]
    assert [(one.line, one.why.partition(":")[0]) for one in found.skipped] == [
        (3, "by its own figures 4 of 8 clients were busy"),
        (5, "by its own figures 2.81 of 8 clients were busy"),
        (7, "by its own figures 4 of 8 clients were busy"),
        (8, "duration is no usable number (got '0')"),
        (9, "by its own figures 3.09 of 8 clients were busy"),
        (10, "by its own figures 16 of 8 clients were busy"),
        (11, "by its own figures 0.16 of 8 clients were busy"),
    ]


def test_a_lone_client_that_pauses_is_alone_all_the_same(tmp_path: Path) -> None:
    (point,) = read_points(
        write(tmp_path, f"{HEADER},requests,duration_s", f"{ROW},10,24".replace(",8,1,", ",1,1,"))
    ).points
    assert point.concurrency == 1


@pytest.mark.parametrize("separator", [";", "\t"])
def test_cells_may_be_parted_by_semicolons_or_tabs(tmp_path: Path, separator: str) -> None:
    found = read_points(write(tmp_path, *(line.replace(",", separator) for line in (HEADER, ROW))))
    assert [(one.line, one.concurrency) for one in found.points] == [(2, 8)]
    assert found.points[0].tpot == pytest.approx(0.00794)
    comma = ROW.replace(",", ";").replace("7.94", "7,94")
    with pytest.raises(InputError, match=r"TPOT is no time \(got '7,94'\): line 2"):
        read_points(write(tmp_path, HEADER.replace(",", ";"), comma))


@pytest.mark.parametrize("twice", ["tpot_ms", "TPOT_ms"])
def test_a_column_that_stands_twice_is_refused(tmp_path: Path, twice: str) -> None:
    with pytest.raises(InputError, match=r"points\.csv line 1: the column tpot_ms stands twice"):
        read_points(write(tmp_path, f"{HEADER},{twice}", f"{ROW},9"))


def test_the_case_of_a_columns_name_is_no_matter(tmp_path: Path) -> None:
    (point,) = read_points(write(tmp_path, HEADER, ROW)).points
    assert read_points(write(tmp_path, HEADER.upper(), ROW)).points == (point,)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("7.94", "7940", "TPOT of 7.94 s is no server's: it may be in another unit"),
        ("190.9", "190900000", "TTFT of 1.909e+05 s is no server's: it may be in another unit"),
        ("7.94", "1e300", "TPOT of 1e+297 s is no server's: it may be in another unit"),
    ],
)
def test_a_time_in_another_unit_is_told(tmp_path: Path, old: str, new: str, why: str) -> None:
    found = read_points(write(tmp_path, HEADER, ROW, ROW.replace(old, new)))
    assert [(one.line, one.why) for one in found.skipped] == [(3, why)]
