from pathlib import Path

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.profile import show, validate

HEAD = "model,gpu,precision,engine,prompt_tokens,output_tokens,concurrency,tp,ttft_ms,tpot_ms"
ROW = "meta-llama/Llama-3.1-70B-Instruct,h100_sxm,fp8,vllm,1024,1024,16,8,93,11.4"


def test_a_profile_comes_back_whole() -> None:
    found = show(Context(), gpu="h100", model="llama-3.1-70b", dtype="bf16", tp=8, engine="vllm", step_law="kernels")
    assert found.name == "h100/llama-3.1-70b/bf16/tp8"
    assert found.memory


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError):
        show(Context(), gpu="a10g", model="llama-3.1-405b", dtype="bf16", tp=1, engine="vllm", step_law="kernels")


def test_a_measured_point_is_held_to_its_prediction(tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    path.write_text(f"{HEAD}\n{ROW}\n")
    found = validate(Context(), paths=(str(path),), setup=Setup(), step_law="kernels")
    (comparison,) = found.comparisons
    (summary,) = found.summaries
    assert comparison.point.tpot == pytest.approx(0.0114)
    assert abs(comparison.tpot_error) < 0.3
    assert summary.worst == comparison


def test_rows_that_cannot_be_predicted_are_told_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    too_large = ROW.replace("70B", "405B").replace(",8,93", ",1,93")
    path.write_text("\n".join((HEAD, ROW, ROW.replace("11.4", "nan"), too_large)))
    found = validate(Context(), paths=(str(path),), setup=Setup(), step_law="kernels")
    assert len(found.comparisons) == 1
    assert found.skipped == (
        ("TPOT is no time (got 'nan'): line 3", 1),
        ("llama-3.1-405b fp8 does not fit on 1 h100: line 4", 1),
    )


def test_of_several_files_every_run_has_its_own(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv", "a again.csv", "none.csv")]
    for path, rows in zip(
        paths, ([ROW], [ROW.replace(",16,", ",32,"), ROW.replace("11.4", "nan")], [ROW], []), strict=True
    ):
        Path(path).write_text("\n".join((HEAD, *rows)))
    found = validate(Context(), paths=tuple(paths), setup=Setup(), step_law="roofline")
    assert [(one.point.file, one.point.concurrency) for one in found.comparisons] == [(paths[0], 16), (paths[1], 32)]
    assert found.summaries[0].points == 2
    whys = [why for why, _ in found.skipped]
    assert f"{paths[1]}: TPOT is no time (got 'nan'): line 3" in whys
    assert f"{paths[2]}: the same file as {paths[0]}: line 2" in whys
    assert any(why.startswith(f"{paths[3]}: ") for why in whys)


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv: no such file"):
        validate(Context(), paths=("nowhere.csv",), setup=Setup(), step_law="kernels")
