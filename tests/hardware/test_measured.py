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
    (point,) = read_points(write(tmp_path, HEADER, ROW))
    assert (point.model, point.gpu, point.dtype, point.engine) == ("llama-3.1-8b", "h100", "bf16", "trtllm")
    assert (point.prompt_tokens, point.output_tokens, point.concurrency, point.tp) == (1024, 128, 8, 1)
    assert (point.ttft, point.tpot) == pytest.approx((0.1909, 0.00794))
    assert point.line == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Llama-3.1-8B", "Llama-9", "unknown model"),
        ("h100_sxm", "tpu", "unknown GPU"),
        ("trtllm", "ollama", "unknown engine"),
        (",,trtllm", ",int4,trtllm", "unknown precision"),
        ("1024", "-5", "prompt_tokens"),
        ("1024", "1.5", "prompt_tokens"),
        (",128,", ",1,", "output_tokens"),
        (",8,1,", ",0,1,", "concurrency"),
        ("7.94", "nan", "tpot_ms"),
        ("7.94", "0", "tpot_ms"),
        ("190.9", "fast", "ttft_ms"),
        ("7.94,1", "7.94,2", "column pp is not modelled"),
    ],
)
def test_a_bad_row_is_refused_by_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ROW
    with pytest.raises(InputError, match=message) as caught:
        read_points(write(tmp_path, HEADER, ROW, ROW.replace(old, new)))
    assert "points.csv:3" in str(caught.value)


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
