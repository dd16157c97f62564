"""The task that fits a law to files of runs."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.calibration import fit, refusal
from tests.own_fits import FIT, SERVER

HEAD = "prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms"
ROWS = ("1024,256,1,60,9", "1024,256,8,80,10", "1024,256,64,400,20", "1024,256,4,70,nan")
WILD = ((1, 12), (2, 60), (3, 12), (4, 90), (5, 11), (6, 80))
SETUP = Setup(model="llama-3.1-70b", gpu="h100", engine="vllm", dtype="fp8", tp=4)


def test_files_are_fitted_together_and_their_digests_kept(tmp_path: Path) -> None:
    paths = []
    for name, rows in (("a", ROWS), ("b", ROWS[1:3])):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join((HEAD, *rows)))
        paths.append(str(path))
    found = fit(Context(), name="prod", paths=tuple(paths), setup=SETUP, step_law="kernels")
    (server,) = found.servers
    assert (server.points, server.tp, found.name) == (5, 4, "prod")
    assert server.unfitted is not None, "what plans have without it"
    assert [one.points for one in found.sources] == [3, 2]
    assert found.sources[0].digest == hashlib.sha256(Path(paths[0]).read_bytes()).hexdigest()
    assert found.skipped == ((f"{paths[0]}: TPOT is no time (got 'nan'): line 5", 1),)


def test_a_file_without_a_run_is_left_out_and_told(tmp_path: Path) -> None:
    """Found: with one file a run, as vllm bench writes them, one run of NaN refused all."""
    texts = {"a": "\n".join((HEAD, *ROWS)), "nan": f"{HEAD}\n{ROWS[3]}", "head": HEAD, "notes": "nothing that was run"}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    paths = [str(tmp_path / f"{name}.csv") for name in texts]
    found = fit(Context(), name="prod", paths=tuple(paths), setup=SETUP, step_law="kernels")
    assert [one.path for one in found.sources] == paths[:1]
    told = " ".join(why for why, _ in found.skipped)
    assert all(path in told for path in paths[1:])
    with pytest.raises(InputError, match="none of 2 files holds a run that can be used"):
        fit(Context(), name="prod", paths=tuple(paths[1:3]), setup=SETUP, step_law="kernels")
    with pytest.raises(InputError, match="lost"):
        fit(Context(), name="prod", paths=(paths[0], str(tmp_path / "lost.csv")), setup=SETUP, step_law="kernels")


def test_one_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}\n{ROWS[0]}\n")
    with pytest.raises(InputError, match="no server has two runs"):
        fit(Context(), name="prod", paths=(str(path),), setup=SETUP, step_law="kernels")


def test_a_run_that_is_in_no_fit_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    """The second file's run of 256 clients waits for one of 64 places: twice the clients brought nothing but TTFT."""
    rows = (ROWS[:3], (*ROWS[:3], "1024,256,256,16000,20"))
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, lines in zip(paths, rows, strict=True):
        path.write_text("\n".join((HEAD, *lines)))
    found = fit(Context(), name="prod", paths=tuple(map(str, paths)), setup=SETUP, step_law="kernels")
    assert [one.points for one in found.sources] == [3, 3]
    ((why, count),) = found.skipped
    assert why.startswith(f"{paths[1]}: clients wait for a place")
    assert (why.endswith(": line 5"), count) == (True, 1)


def test_a_file_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "copy.csv"]
    for path in paths:
        path.write_text("\n".join((HEAD, *ROWS)))
    found = fit(Context(), name="prod", paths=tuple(map(str, paths)), setup=SETUP, step_law="kernels")
    alone = fit(Context(), name="prod", paths=(str(paths[0]),), setup=SETUP, step_law="kernels")
    assert (found.servers, found.sources) == (alone.servers, alone.sources)
    assert found.skipped[0] == (f"{paths[1]}: the same file as {paths[0]}: lines 2, 3, 4", 3)
    assert found.skipped[1:] == alone.skipped


FAST = ("1024,256,1,30,5.47", "1024,256,8,40,6.2", "1024,256,32,80,9.3", "1024,256,64,120,12.8")
"""Above what four H100 take to read the weights, 5.2 ms; a full cache would be read faster than their memory is."""


def test_a_fit_that_plans_refuse_is_refused_when_it_is_made_in_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "fast.csv"
    path.write_text("\n".join((HEAD, *FAST)))
    with pytest.raises(
        InputError, match="by the fit prod a step of a full cache is faster than its hardware"
    ) as caught:
        fit(Context(), name="prod", paths=(str(path),), setup=SETUP, step_law="kernels")
    assert "do: check the GPU, precision and parallelism of its runs" in str(caught.value)


def test_of_several_servers_one_that_cannot_be_is_left_out_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = (*(f"{row},4" for row in ROWS[:3]), *(f"{row},8" for row in FAST))
    rows = tuple(row.replace("1024,256,1,30,5.47,8", "1024,256,1,30,2.8,8") for row in rows)
    path.write_text("\n".join((f"{HEAD},tp", *rows)))
    found = fit(Context(), name="prod", paths=(str(path),), setup=replace(SETUP, tp=None), step_law="kernels")
    assert [(one.tp, one.points) for one in found.servers] == [(4, 3)]
    assert found.sources[0].points == 3
    ((why, count),) = found.skipped
    assert why.startswith(f"{path}: by the fit prod a step of ")
    assert (why.endswith(": lines 5, 6, 7, 8"), count) == (True, 4)


def test_a_fit_that_is_too_uncertain_to_plan_with_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wild.csv"
    path.write_text("\n".join((HEAD, *(f"1024,256,{clients},60,{tpot}" for clients, tpot in WILD))))
    with pytest.raises(InputError, match="this fit is too uncertain to plan with"):
        fit(Context(), name="prod", paths=(str(path),), setup=SETUP, step_law="kernels")


def test_a_fit_is_held_to_its_hardware_without_its_runs() -> None:
    assert refusal(Context(), fit=FIT) == ""
    faster = replace(SERVER, factor=0.3, tp=8)
    assert "is faster than its hardware can be" in refusal(Context(), fit=replace(FIT, servers=(SERVER, faster)))
    staged = replace(SERVER, pp=2)
    assert refusal(Context(), fit=replace(FIT, servers=(staged,))) == ""
