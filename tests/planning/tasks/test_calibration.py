"""The task that fits a law to files of runs."""

import hashlib
from pathlib import Path

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.calibration import fit

HEAD = "prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms"
ROWS = ("1024,256,1,60,9", "1024,256,8,80,10", "1024,256,64,400,20", "1024,256,4,70,nan")
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
    assert [one.points for one in found.sources] == [3, 2]
    assert found.sources[0].digest == hashlib.sha256(Path(paths[0]).read_bytes()).hexdigest()
    assert found.skipped == ((f"{paths[0]}: TPOT is no time (got 'nan'): line 5", 1),)


def test_one_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}\n{ROWS[0]}\n")
    with pytest.raises(InputError, match="no server has two runs"):
        fit(Context(), name="prod", paths=(str(path),), setup=SETUP, step_law="kernels")
