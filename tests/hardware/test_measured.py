"""Measured points: reading and refusing."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.hardware.measured import COLUMNS, read_points

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
    assert point.line == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1024", "-5", "prompt_tokens"),
        ("1024", "1.5", "prompt_tokens"),
        (",128,", ",1,", "output_tokens"),
        (",8,1,", ",0,1,", "concurrency"),
        ("7.94", "nan", "tpot_ms"),
        ("7.94", "0", "tpot_ms"),
        ("190.9", "fast", "ttft_ms"),
    ],
)
def test_a_bad_row_is_refused_by_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ROW
    with pytest.raises(InputError, match=message) as caught:
        read_points(write(tmp_path, HEADER, ROW, ROW.replace(old, new)))
    assert "points.csv:3" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Llama-3.1-8B", "Llama-9", "unknown model llama-9"),
        ("h100_sxm", "tpu", "unknown GPU tpu"),
        ("trtllm", "ollama", "unknown engine ollama"),
        (",,trtllm", ",int4,trtllm", "unknown precision int4"),
        ("7.94,1", "7.94,2", "pp above 1"),
    ],
)
def test_a_row_of_what_is_not_modelled_is_left_out_and_counted(tmp_path: Path, old: str, new: str, why: str) -> None:
    other = ROW.replace(old, new)
    found = read_points(write(tmp_path, HEADER, ROW, other, other))
    assert [point.line for point in found.points] == [2]
    assert found.skipped == ((why, 2),)
    with pytest.raises(InputError, match="holds no measured point") as caught:
        read_points(write(tmp_path, HEADER, other))
    assert why in str(caught.value)


def test_columns_have_other_names_and_lengths_may_be_drawn(tmp_path: Path) -> None:
    header = (
        "model,gpu,engine,dtype,tp,prompt_tokens,output_tokens,concurrency,uniform_lengths,mean_ttft_ms,mean_tpot_ms"
    )
    lines = (f"llama-3.1-8b,h100,vllm,fp8,2.0,1000,200,16.0,{uniform},50,8" for uniform in ("False", "True"))
    fixed, drawn = read_points(write(tmp_path, header, *lines)).points
    assert (fixed.dtype, fixed.tp, fixed.concurrency, fixed.prompt_tokens) == ("fp8", 2, 16, 1000)
    assert (drawn.prompt_tokens, drawn.output_tokens) == (900, 180)


def test_a_short_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"points\.csv:2"):
        read_points(write(tmp_path, HEADER, "meta-llama/Llama-3.1-8B-Instruct,h100_sxm"))


@pytest.mark.parametrize("column", COLUMNS)
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    header = ",".join(name for name in COLUMNS if name != column)
    with pytest.raises(InputError, match=f"columns are missing: {column}"):
        read_points(write(tmp_path, header, ROW))


def test_a_file_without_points_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no measured point"):
        read_points(write(tmp_path, HEADER))
    with pytest.raises(InputError, match="no such file"):
        read_points(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_points(tmp_path)


def test_binary_noise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.csv"
    path.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(InputError, match="no CSV text"):
        read_points(path)
